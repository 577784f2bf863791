package rondo.text.jinja;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Attributes, items and slices. A method wins over a key of the same name after a dot, as in Python's jinja2. */
final class Members {
    private Members() {}

    static Object attribute(Object of, String name) {
        if (of instanceof Undefined u) {
            throw u.error();
        }
        if (of instanceof Loop loop) {
            return loop.attribute(name);
        }
        if (of instanceof Namespace space) {
            Object value = space.values().get(name);
            return value == null ? missing(of, name) : value;
        }
        Function method = method(of, name);
        if (method != null) {
            return method;
        }
        if (of instanceof Map<?, ?> map) {
            Object value = map.get(Text.own(name));
            return value == null ? missing(of, name) : value;
        }
        if (of instanceof Group group) {
            return switch (name) {
                case "grouper" -> group.key();
                case "list" -> group.members();
                default -> missing(of, name);
            };
        }
        return missing(of, name);
    }

    /** A pair that {@code groupby} gives: also reachable as [0] and [1]. */
    record Group(Object key, List<Object> members) {}

    static Object item(Object of, Object key) {
        return switch (of) {
            case Undefined u -> throw u.error();
            case Map<?, ?> map -> {
                Object value = map.get(Values.key(key));
                yield value != null ? value : key instanceof Text name ? methodOr(of, name) : missing(of, key);
            }
            case List<?> list -> Numbers.isInteger(key) ? at(list, key) : named(of, key);
            case Tuple tuple -> Numbers.isInteger(key) ? at(tuple.items(), key) : named(of, key);
            case Group group ->
                Numbers.isInteger(key) ? at(List.of(group.key(), group.members()), key) : named(of, key);
            case Text text -> {
                if (!Numbers.isInteger(key)) {
                    yield named(of, key);
                }
                int length = Strings.length(text);
                int index = Numbers.index(key);
                int i = index < 0 ? index + length : index;
                if (i < 0 || i >= length) {
                    yield missing(of, key);
                }
                int from = Strings.offset(text, i);
                yield text.substring(
                        from, from + Character.charCount(text.toString().codePointAt(from)));
            }
            default -> named(of, key);
        };
    }

    private static Object at(List<?> list, Object key) {
        int index = Numbers.index(key);
        int i = index < 0 ? index + list.size() : index;
        return i < 0 || i >= list.size() ? missing(list, key) : list.get(i);
    }

    private static Object named(Object of, Object key) {
        return key instanceof Text name ? attribute(of, name.toString()) : missing(of, key);
    }

    private static Object methodOr(Object of, Text name) {
        Function method = method(of, name.toString());
        return method == null ? missing(of, name) : method;
    }

    private static @Nullable Function method(Object of, String name) {
        return switch (of) {
            case Text text -> TextMethods.of(text, name);
            case Map<?, ?> map -> ContainerMethods.of(map, name);
            case List<?> list -> ContainerMethods.of(list, name);
            case Tuple tuple -> ContainerMethods.of(tuple.items(), name);
            default -> null;
        };
    }

    private static Undefined missing(Object of, Object key) {
        String shown = Values.str(key).toString();
        return new Undefined(
                "'" + (shown.length() > 60 ? shown.substring(0, 60) + "…" : shown) + "' of a " + Values.typeName(of));
    }

    static Object slice(Object of, Object from, Object to, Object step) {
        if (of instanceof Undefined) {
            throw ((Undefined) of).error();
        }
        if (!(of instanceof Text || of instanceof List<?> || of instanceof Tuple)) {
            throw new TemplateException(Values.typeName(of) + " cannot be sliced");
        }
        int by = step == None.NONE ? 1 : integer(step);
        if (by == 0) {
            throw new TemplateException("a slice's step cannot be zero");
        }
        if (of instanceof Text text && by == 1) {
            return textSlice(text, from, to);
        }
        List<Object> items = Values.items(of);
        int size = items.size();
        List<Object> out = new ArrayList<>();
        if (by > 0) {
            long end = bound(to, size, 0, size, size);
            for (long i = bound(from, size, 0, size, 0); i < end; i += by) {
                out.add(items.get((int) i));
            }
        } else {
            long end = bound(to, size, -1, size - 1, -1);
            for (long i = bound(from, size, -1, size - 1, size - 1); i > end; i += by) {
                out.add(items.get((int) i));
            }
        }
        if (of instanceof Text) {
            Text.Builder text = new Text.Builder();
            out.forEach(c -> text.append((Text) c));
            return text.build();
        }
        return of instanceof Tuple ? new Tuple(out) : out;
    }

    private static Text textSlice(Text text, Object from, Object to) {
        int length = Strings.length(text);
        int start = bound(from, length, 0, length, 0);
        int end = bound(to, length, 0, length, length);
        if (start >= end) {
            return Text.EMPTY;
        }
        return text.substring(Strings.offset(text, start), Strings.offset(text, end));
    }

    private static int bound(Object given, int size, int low, int high, int otherwise) {
        if (given == None.NONE) {
            return otherwise;
        }
        long i = integer(given);
        return (int) Math.clamp(i < 0 ? i + size : i, low, high);
    }

    private static int integer(Object value) {
        if (value instanceof Undefined u) {
            throw u.error();
        }
        if (!Numbers.isInteger(value)) {
            throw new TemplateException("a slice needs integers, got " + Values.typeName(value));
        }
        return Numbers.index(value);
    }
}
