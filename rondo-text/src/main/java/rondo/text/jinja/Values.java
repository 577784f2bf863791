package rondo.text.jinja;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** Python's object model, as far as templates see it: truth, equality, order, printing, going through things. */
final class Values {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_COMPARED = 5_000_000;

    private Values() {}

    /** JSON as template values; strings are foreign text, the order of keys is kept. */
    static Object of(JsonNode node) {
        return switch (node.getNodeType()) {
            case STRING -> Text.foreign(node.stringValue());
            case BOOLEAN -> node.booleanValue();
            case NUMBER -> node.isIntegralNumber() ? Numbers.norm(node.bigIntegerValue()) : (Object) node.doubleValue();
            case ARRAY -> {
                List<Object> out = new ArrayList<>(node.size());
                for (JsonNode item : node) {
                    out.add(of(item));
                }
                yield out;
            }
            case OBJECT -> {
                Map<Object, Object> out = new LinkedHashMap<>();
                node.properties().forEach(e -> out.put(Text.foreign(e.getKey()), of(e.getValue())));
                yield out;
            }
            default -> None.NONE;
        };
    }

    static String typeName(Object value) {
        return switch (value) {
            case None n -> "none";
            case Undefined u -> "undefined";
            case Boolean b -> "bool";
            case Long l -> "int";
            case BigInteger b -> "int";
            case Double d -> "float";
            case Text t -> "str";
            case List<?> l -> "list";
            case Tuple t -> "tuple";
            case Map<?, ?> m -> "dict";
            case Lazy l -> "generator";
            case Namespace n -> "namespace";
            case Function f -> "function";
            default -> value.getClass().getSimpleName();
        };
    }

    static boolean truth(Object value) {
        return switch (value) {
            case Boolean b -> b;
            case None n -> false;
            case Undefined u -> false;
            case Text t -> t.length() > 0;
            case Long l -> l != 0;
            case BigInteger b -> b.signum() != 0;
            case Double d -> d != 0;
            case Collection<?> c -> !c.isEmpty();
            case Tuple t -> !t.items().isEmpty();
            case Map<?, ?> m -> !m.isEmpty();
            default -> true;
        };
    }

    static boolean equal(Object a, Object b) {
        return equal(a, b, new int[] {MAX_COMPARED});
    }

    /** {@code left}: comparisons that may still be made; values can share parts, so that walking them explodes. */
    private static boolean equal(Object a, Object b, int[] left) {
        if (--left[0] < 0) {
            throw new TemplateException("values are too large to be compared");
        }
        if (a == b) {
            return true;
        }
        if (Numbers.isNumber(a) && Numbers.isNumber(b)) {
            return Numbers.compare(a, b) == 0;
        }
        if (a instanceof Undefined && b instanceof Undefined) {
            return true;
        }
        if (a instanceof List<?> x && b instanceof List<?> y) {
            return equalItems(x, y, left);
        }
        if (a instanceof Tuple x && b instanceof Tuple y) {
            return equalItems(x.items(), y.items(), left);
        }
        if (a instanceof Map<?, ?> x && b instanceof Map<?, ?> y) {
            return x.size() == y.size()
                    && x.entrySet().stream()
                            .allMatch(e -> y.containsKey(e.getKey()) && equal(e.getValue(), y.get(e.getKey()), left));
        }
        return a instanceof Text && a.equals(b);
    }

    private static boolean equalItems(List<?> a, List<?> b, int[] left) {
        if (a.size() != b.size()) {
            return false;
        }
        for (int i = 0; i < a.size(); i++) {
            if (!equal(a.get(i), b.get(i), left)) {
                return false;
            }
        }
        return true;
    }

    /** The value as a key of a dict or member of a set; lists, dicts and what is nested are none. */
    static Object key(Object value) {
        if (compound(value)
                || value instanceof Tuple tuple
                        && tuple.items().stream().anyMatch(x -> compound(x) || x instanceof Tuple)) {
            throw new TemplateException(typeName(value) + " cannot be a key");
        }
        return value;
    }

    private static boolean compound(Object value) {
        return value instanceof List<?> || value instanceof Map<?, ?> || value instanceof Lazy;
    }

    /** Negative, 0, positive, or 2 where a NaN makes every comparison false. */
    static int compare(Object a, Object b) {
        if (Numbers.isNumber(a) && Numbers.isNumber(b)) {
            return Numbers.compare(a, b);
        }
        if (a instanceof Text x && b instanceof Text y) {
            return Integer.signum(x.compareTo(y));
        }
        if (a instanceof List<?> x && b instanceof List<?> y) {
            return compareItems(x, y);
        }
        if (a instanceof Tuple x && b instanceof Tuple y) {
            return compareItems(x.items(), y.items());
        }
        throw new TemplateException("cannot compare " + typeName(a) + " with " + typeName(b));
    }

    private static int compareItems(List<?> a, List<?> b) {
        for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
            if (!equal(a.get(i), b.get(i))) {
                return compare(a.get(i), b.get(i));
            }
        }
        return Integer.compare(a.size(), b.size());
    }

    static boolean contains(Object container, Object item) {
        return switch (container) {
            case Text text -> {
                if (!(item instanceof Text part)) {
                    throw new TemplateException("'in <string>' requires a string, got " + typeName(item));
                }
                yield text.toString().contains(part.toString());
            }
            case Map<?, ?> map -> map.containsKey(key(item));
            case Namespace space -> throw new TemplateException("a namespace cannot be searched");
            default -> {
                boolean found = false;
                for (Object each : items(container)) {
                    if (equal(each, item)) {
                        found = true;
                        break;
                    }
                }
                yield found;
            }
        };
    }

    /** What a loop over the value sees. */
    @SuppressWarnings("unchecked") // all lists of the interpreter hold Objects
    static List<Object> items(Object value) {
        return switch (value) {
            case List<?> list -> (List<Object>) list;
            case Tuple tuple -> tuple.items();
            case Map<?, ?> map -> new ArrayList<Object>(map.keySet());
            case Text text -> Strings.characters(text);
            case Lazy lazy -> lazy.take();
            case Members.Group group -> List.of(group.key(), group.members());
            case Undefined u -> List.of();
            default -> throw new TemplateException("cannot loop over " + typeName(value));
        };
    }

    static int length(Object value) {
        return switch (value) {
            case List<?> list -> list.size();
            case Tuple tuple -> tuple.items().size();
            case Map<?, ?> map -> map.size();
            case Text text -> Strings.length(text);
            case Undefined u -> 0;
            default -> throw new TemplateException(typeName(value) + " has no length");
        };
    }

    /** As {@code {{ value }}} prints it. */
    static Text str(Object value) {
        return switch (value) {
            case Text text -> text;
            case Undefined u -> Text.EMPTY;
            case None n -> Text.own("None");
            case Boolean b -> Text.own(b ? "True" : "False");
            case Double d -> Text.own(Numbers.repr(d));
            case Long l -> Text.own(l.toString());
            case BigInteger b -> Text.own(b.toString());
            default -> {
                StringBuilder out = new StringBuilder();
                repr(value, out, 0);
                yield Text.foreign(out.toString());
            }
        };
    }

    static String repr(Object value) {
        StringBuilder out = new StringBuilder();
        repr(value, out, 0);
        return out.toString();
    }

    private static void repr(Object value, StringBuilder out, int depth) {
        if (depth > MAX_DEPTH) {
            throw new TemplateException("a value is nested too deeply");
        }
        if (out.length() > Limits.DEFAULT.outputChars() / 4) {
            throw new TemplateException("a text grows too long");
        }
        switch (value) {
            case Text text -> Strings.repr(text.toString(), out);
            case List<?> list -> reprItems(list, "[", "]", out, depth);
            case Tuple tuple -> reprItems(tuple.items(), "(", tuple.items().size() == 1 ? ",)" : ")", out, depth);
            case Map<?, ?> map -> {
                out.append('{');
                boolean first = true;
                for (Map.Entry<?, ?> e : map.entrySet()) {
                    out.append(first ? "" : ", ");
                    first = false;
                    repr(e.getKey(), out, depth + 1);
                    out.append(": ");
                    repr(e.getValue(), out, depth + 1);
                }
                out.append('}');
            }
            case Undefined u -> out.append("Undefined");
            case Lazy lazy -> out.append("<generator>");
            case Namespace space -> out.append("<Namespace>");
            case Function f -> out.append("<function>");
            case None n -> out.append(str(n));
            default -> out.append(Numbers.isNumber(value) ? str(value).toString() : "<" + typeName(value) + ">");
        }
    }

    private static void reprItems(List<?> items, String open, String close, StringBuilder out, int depth) {
        out.append(open);
        for (int i = 0; i < items.size(); i++) {
            out.append(i == 0 ? "" : ", ");
            repr(items.get(i), out, depth + 1);
        }
        out.append(close);
    }
}
