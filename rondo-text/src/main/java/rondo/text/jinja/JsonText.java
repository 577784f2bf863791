package rondo.text.jinja;

import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** JSON as {@code json.dumps(value, ensure_ascii=False, …)} writes it, which is what {@code tojson} means in chat templates. */
final class JsonText {
    private static final int MAX_DEPTH = 200;

    private final StringBuilder out = new StringBuilder();
    /** Text of one level of indentation, or null for everything on one line. */
    private final @Nullable String indent;

    private final String itemSeparator;
    private final String keySeparator;
    private final boolean ascii;
    private final boolean sortKeys;

    JsonText(@Nullable String indent, String itemSeparator, String keySeparator, boolean ascii, boolean sortKeys) {
        this.indent = indent;
        this.itemSeparator = itemSeparator;
        this.keySeparator = keySeparator;
        this.ascii = ascii;
        this.sortKeys = sortKeys;
    }

    static String of(Object value) {
        return new JsonText(null, ", ", ": ", false, false).write(value);
    }

    String write(Object value) {
        write(value, 0);
        return out.toString();
    }

    private void write(Object value, int depth) {
        if (depth > MAX_DEPTH) {
            throw new TemplateException("a value is nested too deeply");
        }
        if (out.length() > Limits.DEFAULT.outputChars() / 4) {
            throw new TemplateException("a JSON text grows too long");
        }
        switch (value) {
            case None n -> out.append("null");
            case Boolean b -> out.append(b ? "true" : "false");
            case Long l -> out.append(l.longValue());
            case BigInteger b -> out.append(b);
            case Double d -> out.append(real(d));
            case Text t -> string(t.toString());
            case List<?> list -> items(list, depth);
            case Tuple tuple -> items(tuple.items(), depth);
            case Map<?, ?> map -> object(map, depth);
            case Undefined u -> throw u.error();
            default -> throw new TemplateException(Values.typeName(value) + " cannot be written as JSON");
        }
    }

    private static String real(double d) {
        if (Double.isNaN(d)) {
            return "NaN";
        }
        return Double.isInfinite(d) ? (d > 0 ? "Infinity" : "-Infinity") : Numbers.repr(d);
    }

    private void items(List<?> list, int depth) {
        if (list.isEmpty()) {
            out.append("[]");
            return;
        }
        out.append('[');
        for (int i = 0; i < list.size(); i++) {
            out.append(i == 0 ? "" : itemSeparator);
            line(depth + 1);
            write(list.get(i), depth + 1);
        }
        line(depth);
        out.append(']');
    }

    private void object(Map<?, ?> map, int depth) {
        if (map.isEmpty()) {
            out.append("{}");
            return;
        }
        out.append('{');
        boolean first = true;
        Map<?, ?> ordered = map;
        if (sortKeys) {
            Map<Object, Object> sorted = new TreeMap<>(Values::compare);
            sorted.putAll(map);
            ordered = sorted;
        }
        for (Map.Entry<?, ?> e : ordered.entrySet()) {
            out.append(first ? "" : itemSeparator);
            first = false;
            line(depth + 1);
            string(key(e.getKey()));
            out.append(keySeparator);
            write(e.getValue(), depth + 1);
        }
        line(depth);
        out.append('}');
    }

    private static String key(Object key) {
        return switch (key) {
            case Text t -> t.toString();
            case None n -> "null";
            case Boolean b -> b ? "true" : "false";
            case Double d -> real(d);
            case Long l -> l.toString();
            case BigInteger b -> b.toString();
            default -> throw new TemplateException("a JSON key cannot be " + Values.typeName(key));
        };
    }

    private void line(int depth) {
        if (indent != null) {
            out.append('\n').append(indent.repeat(depth));
        }
    }

    private void string(String s) {
        out.append('"');
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                case '\b' -> out.append("\\b");
                case '\f' -> out.append("\\f");
                default -> {
                    if (c < 0x20 || ascii && c > 0x7E) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
