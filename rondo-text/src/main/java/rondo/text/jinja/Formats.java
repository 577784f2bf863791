package rondo.text.jinja;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Python's {@code %} formatting and the plain part of {@code str.format}. */
final class Formats {
    private static final int MAX_WIDTH = 10_000;

    private Formats() {}

    /** {@code format % values}. */
    static Text percent(Text format, Object values) {
        List<Object> items = values instanceof Tuple tuple ? tuple.items() : List.of(values);
        Map<?, ?> named = values instanceof Map<?, ?> map ? map : Map.of();
        String s = format.toString();
        Text.Builder out = new Text.Builder();
        int next = 0;
        int from = 0;
        for (int at = s.indexOf('%'); at >= 0; at = s.indexOf('%', from)) {
            out.append(format, from, at);
            int i = at + 1;
            Object value = null;
            if (s.startsWith("(", i)) {
                int close = s.indexOf(')', i);
                if (close < 0) {
                    throw new TemplateException("incomplete format key");
                }
                value = named.get(Text.own(s.substring(i + 1, close)));
                if (value == null) {
                    throw new TemplateException("no value for '" + s.substring(i + 1, close) + "'");
                }
                i = close + 1;
            }
            int specFrom = i;
            while (i < s.length() && "-+ 0#.123456789".indexOf(s.charAt(i)) >= 0) {
                i++;
            }
            if (i >= s.length()) {
                throw new TemplateException("incomplete format");
            }
            char kind = s.charAt(i);
            if (kind == '%') {
                out.append(Text.own("%"));
            } else {
                if (value == null) {
                    if (next >= items.size()) {
                        throw new TemplateException("not enough arguments for the format string");
                    }
                    value = items.get(next++);
                }
                out.append(one(s.substring(specFrom, i), kind, value));
            }
            from = i + 1;
        }
        if (next < items.size() && values instanceof Tuple) {
            throw new TemplateException("not all arguments of the format were used");
        }
        return out.append(format, from, s.length()).build();
    }

    private static Text one(String spec, char kind, Object value) {
        int dot = spec.indexOf('.');
        String flags = dot < 0 ? spec : spec.substring(0, dot);
        int precision = dot < 0 ? -1 : size(spec.substring(dot + 1));
        boolean left = flags.contains("-");
        int digits = 0;
        while (digits < flags.length() && "-+ 0#".indexOf(flags.charAt(digits)) >= 0) {
            digits++;
        }
        boolean zero = flags.substring(0, digits).contains("0");
        int width = size(flags.substring(digits));
        String sign = flags.contains("+") ? "+" : flags.contains(" ") ? " " : "";
        Text body = switch (kind) {
            case 's' -> cut(Values.str(value), precision);
            case 'r' -> cut(Text.foreign(Values.repr(value)), precision);
            case 'd', 'i', 'u' -> Text.own(signed(integer(value).toString(), sign));
            case 'x' -> Text.own(signed(integer(value).toString(16), sign));
            case 'X' -> Text.own(signed(integer(value).toString(16).toUpperCase(Locale.ROOT), sign));
            case 'o' -> Text.own(signed(integer(value).toString(8), sign));
            case 'f', 'F' -> Text.own(signed(fixed(Numbers.real(value), precision < 0 ? 6 : precision), sign));
            case 'e', 'g' -> Text.own(signed(Numbers.repr(Numbers.real(value)), sign));
            default -> throw new TemplateException("unsupported format character '" + kind + "'");
        };
        return pad(body, width, left, zero && kind != 's' && kind != 'r');
    }

    private static Text cut(Text text, int precision) {
        return precision >= 0 && Strings.length(text) > precision
                ? text.substring(0, Strings.offset(text, precision))
                : text;
    }

    private static java.math.BigInteger integer(Object value) {
        if (value instanceof Double d) {
            return java.math.BigDecimal.valueOf(d).toBigInteger();
        }
        return Numbers.big(value);
    }

    private static String signed(String digits, String sign) {
        return digits.startsWith("-") ? digits : sign + digits;
    }

    static String fixed(double value, int precision) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return Numbers.repr(value);
        }
        return new java.math.BigDecimal(value)
                .setScale(precision, java.math.RoundingMode.HALF_EVEN)
                .toPlainString();
    }

    private static int size(String digits) {
        if (digits.isEmpty()) {
            return 0;
        }
        try {
            int size = Integer.parseInt(digits);
            if (size <= MAX_WIDTH) {
                return size;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message
        }
        throw new TemplateException("bad width in a format: '" + digits + "'");
    }

    private static Text pad(Text body, int width, boolean left, boolean zero) {
        int missing = width - Strings.length(body);
        if (missing <= 0) {
            return body;
        }
        Text fill = Text.own((zero && !left ? "0" : " ").repeat(missing));
        if (zero && !left && body.length() > 0 && "+-".indexOf(body.charAt(0)) >= 0) {
            return new Text.Builder()
                    .append(body, 0, 1)
                    .append(fill)
                    .append(body, 1, body.length())
                    .build();
        }
        return left
                ? new Text.Builder().append(body).append(fill).build()
                : new Text.Builder().append(fill).append(body).build();
    }

    /** {@code format.format(…)}: fields by position or name, attributes and items, conversions; widths for strings and numbers. */
    static Text braces(Text format, Arguments arguments) {
        String s = format.toString();
        Text.Builder out = new Text.Builder();
        int next = 0;
        for (int i = 0; i < s.length(); ) {
            char c = s.charAt(i);
            if ((c == '{' || c == '}') && i + 1 < s.length() && s.charAt(i + 1) == c) {
                out.append(format, i, i + 1);
                i += 2;
            } else if (c == '{') {
                int close = s.indexOf('}', i);
                if (close < 0) {
                    throw new TemplateException("'{' without '}' in a format");
                }
                String field = s.substring(i + 1, close);
                int colon = field.indexOf(':');
                String spec = colon < 0 ? "" : field.substring(colon + 1);
                String path = colon < 0 ? field : field.substring(0, colon);
                boolean repr = path.endsWith("!r");
                path = repr || path.endsWith("!s") ? path.substring(0, path.length() - 2) : path;
                Object value =
                        field(path, path.isEmpty() || ".[".indexOf(path.charAt(0)) >= 0 ? next++ : -1, arguments);
                out.append(spec(repr ? Text.foreign(Values.repr(value)) : value, spec));
                i = close + 1;
            } else if (c == '}') {
                throw new TemplateException("'}' without '{' in a format");
            } else {
                int to = i;
                while (to < s.length() && s.charAt(to) != '{' && s.charAt(to) != '}') {
                    to++;
                }
                out.append(format, i, to);
                i = to;
            }
        }
        return out.build();
    }

    private static Object field(String path, int automatic, Arguments arguments) {
        int end = 0;
        while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
            end++;
        }
        String first = path.substring(0, end);
        Object value;
        if (automatic >= 0 || !first.isEmpty() && Character.isDigit(first.charAt(0))) {
            int index = automatic >= 0 ? automatic : size(first);
            if (index >= arguments.positional().size()) {
                throw new TemplateException("format: no argument " + index);
            }
            value = arguments.positional().get(index);
        } else {
            value = found(arguments.named().get(first), first);
        }
        for (int i = end; i < path.length(); ) {
            boolean item = path.charAt(i) == '[';
            int to = i + 1;
            while (to < path.length() && path.charAt(to) != (item ? ']' : '.') && (item || path.charAt(to) != '[')) {
                to++;
            }
            String name = path.substring(i + 1, to);
            boolean number = item && !name.isEmpty() && name.chars().allMatch(Character::isDigit);
            value = item
                    ? Members.item(value, number ? (Object) (long) size(name) : Text.own(name))
                    : Members.attribute(value, name);
            i = item ? to + 1 : to;
        }
        return value;
    }

    private static Object found(@Nullable Object value, String name) {
        if (value == null) {
            throw new TemplateException("format: no argument '" + name + "'");
        }
        return value;
    }

    /** [[fill]align][sign][0][width][.precision][type], without grouping. */
    private static Text spec(Object value, String spec) {
        if (spec.isEmpty()) {
            return Values.str(value);
        }
        java.util.regex.Matcher m = java.util.regex.Pattern.compile(
                        "(?:(.)?([<>^]))?([+ ]?)(0?)(\\d*)(?:\\.(\\d+))?([sdxXof]?)")
                .matcher(spec);
        if (!m.matches()) {
            throw new TemplateException("unsupported format '" + spec + "'");
        }
        boolean number = Numbers.isNumber(value) && !(value instanceof Boolean);
        char kind = !m.group(7).isEmpty() ? m.group(7).charAt(0) : number ? (value instanceof Double ? 'r' : 'd') : 's';
        String precision = m.group(6) == null ? "" : "." + m.group(6);
        Text body = kind == 'r' && precision.isEmpty()
                ? Values.str(value)
                : one(m.group(3) + precision, kind == 'r' ? 'f' : kind, value);
        int missing = size(m.group(5)) - Strings.length(body);
        if (missing <= 0) {
            return body;
        }
        String align = m.group(2) != null ? m.group(2) : number ? ">" : "<";
        String fill = m.group(1) != null ? m.group(1) : m.group(4).isEmpty() ? " " : "0";
        int before = align.equals("<") ? 0 : align.equals(">") ? missing : missing / 2;
        return new Text.Builder()
                .append(Text.own(fill.repeat(before)))
                .append(body)
                .append(Text.own(fill.repeat(missing - before)))
                .build();
    }
}
