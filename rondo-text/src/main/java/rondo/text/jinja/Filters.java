package rondo.text.jinja;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import rondo.text.jinja.Arguments.Bound;

/** The filters; those that work on sequences are in {@link SequenceFilters}. */
final class Filters {
    private static final Set<String> TEXT = Set.of(
            "tojson",
            "trim",
            "length",
            "count",
            "upper",
            "lower",
            "title",
            "capitalize",
            "replace",
            "string",
            "default",
            "d",
            "safe",
            "escape",
            "e",
            "forceescape",
            "indent",
            "int",
            "float",
            "abs",
            "round",
            "format",
            "truncate",
            "wordcount",
            "center",
            "urlencode",
            "attr",
            "items");

    private Filters() {}

    static boolean known(String name) {
        return TEXT.contains(name) || SequenceFilters.NAMES.contains(name);
    }

    static Object apply(Interpreter in, String name, Object value, Arguments arguments) {
        return switch (name) {
            case "tojson" -> toJson(value, arguments);
            case "trim" -> {
                Bound a = arguments.bind(name, 0, "chars");
                yield Strings.strip(Values.str(value), a.given(0) ? a.text(0).toString() : "", true, true);
            }
            case "length", "count" -> (long) Values.length(value);
            case "upper" -> rewritten(value, Values.str(value).toString().toUpperCase(Locale.ROOT));
            case "lower" -> rewritten(value, Values.str(value).toString().toLowerCase(Locale.ROOT));
            case "title" -> rewritten(value, title(Values.str(value).toString()));
            case "capitalize" ->
                rewritten(value, Strings.capitalize(Values.str(value).toString()));
            case "replace" -> {
                Bound a = arguments.bind(name, 2, "old", "new", "count");
                yield Strings.replace(Values.str(value), Values.str(a.get(0)), Values.str(a.get(1)), a.integer(2, -1));
            }
            case "string", "safe" -> Values.str(value);
            case "default", "d" -> {
                Bound a = arguments.bind(name, 0, "default_value", "boolean");
                boolean use = value instanceof Undefined || a.truth(1, false) && !Values.truth(value);
                yield use ? a.get(0, Text.EMPTY) : value;
            }
            case "escape", "e", "forceescape" ->
                rewritten(value, html(Values.str(value).toString()));
            case "indent" -> indent(in, Values.str(value), arguments);
            case "int" -> integer(value, arguments.bind(name, 0, "default", "base"));
            case "float" -> {
                Bound a = arguments.bind(name, 0, "default");
                try {
                    yield value instanceof Text t
                            ? Double.valueOf(t.toString().strip().replace("_", ""))
                            : (Object) Numbers.real(value);
                } catch (NumberFormatException | TemplateException e) {
                    yield a.get(0, 0.0);
                }
            }
            case "abs" -> {
                if (!Numbers.isNumber(value)) {
                    throw new TemplateException("abs expects a number, got " + Values.typeName(value));
                }
                yield Numbers.compare(value, 0L) < 0 ? Numbers.negate(value) : value;
            }
            case "round" -> round(value, arguments.bind(name, 0, "precision", "method"));
            case "format" ->
                Formats.percent(
                        Values.str(value),
                        arguments.named().isEmpty() ? new Tuple(arguments.positional()) : keyed(arguments.named()));
            case "truncate" -> truncate(Values.str(value), arguments);
            case "wordcount" -> (long) Strings.splitWhite(Values.str(value), -1).size();
            case "center" ->
                in.call(
                        TextMethods.of(Values.str(value), "center"),
                        arguments.positional().isEmpty() ? new Arguments(List.of(80L), arguments.named()) : arguments);
            case "urlencode" ->
                rewritten(
                        value,
                        java.net.URLEncoder.encode(
                                        Values.str(value).toString(), java.nio.charset.StandardCharsets.UTF_8)
                                .replace("+", "%20")
                                .replace("%2F", "/")
                                .replace("%7E", "~")
                                .replace("*", "%2A"));
            case "attr" -> {
                String attribute = arguments.bind(name, 1, "name").text(0).toString();
                yield value instanceof Map<?, ?>
                        ? new Undefined("'" + attribute + "' of a dict")
                        : Members.attribute(value, attribute);
            }
            case "items" -> {
                if (value instanceof Undefined) {
                    yield new Lazy(List.of());
                }
                if (!(value instanceof Map<?, ?> map)) {
                    throw new TemplateException("items expects a dict, got " + Values.typeName(value));
                }
                yield new Lazy(ContainerMethods.pairs(map));
            }
            default -> SequenceFilters.apply(in, name, value, arguments);
        };
    }

    private static Text rewritten(Object from, String changed) {
        return Values.str(from).like(changed);
    }

    private static Object keyed(Map<String, Object> named) {
        Map<Object, Object> out = new LinkedHashMap<>();
        named.forEach((key, value) -> out.put(Text.own(key), value));
        return out;
    }

    /** As transformers defines it, not jinja2's own. */
    private static Text toJson(Object value, Arguments arguments) {
        Bound a = arguments.bind("tojson", 0, "ensure_ascii", "indent", "separators", "sort_keys");
        String indent = null;
        if (a.given(1)) {
            indent = a.get(1) instanceof Text text ? text.toString() : " ".repeat(Math.clamp(a.integer(1, 0), 0, 64));
        }
        String items = indent == null ? ", " : ",";
        String keys = ": ";
        if (a.given(2)) {
            List<Object> two = Values.items(a.get(2));
            if (two.size() != 2) {
                throw new TemplateException("tojson: separators must be a pair");
            }
            items = Values.str(two.get(0)).toString();
            keys = Values.str(two.get(1)).toString();
        }
        String json = new JsonText(indent, items, keys, a.truth(0, false), a.truth(3, false)).write(value);
        boolean own = value instanceof Text text ? !text.isForeign() : Numbers.isNumber(value) || value == None.NONE;
        return own ? Text.own(json) : Text.foreign(json);
    }

    /** jinja2's title: words begin after white space, hyphens and brackets. */
    private static String title(String s) {
        StringBuilder out = new StringBuilder(s.length());
        boolean start = true;
        for (int i = 0; i < s.length(); ) {
            int c = s.codePointAt(i);
            boolean breaks = c < 0x10000 && Strings.isSpace((char) c) || "-({[<".indexOf(c) >= 0;
            out.appendCodePoint(breaks ? c : start ? Character.toUpperCase(c) : Character.toLowerCase(c));
            start = breaks;
            i += Character.charCount(c);
        }
        return out.toString();
    }

    private static String html(String s) {
        return s.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("'", "&#39;")
                .replace("\"", "&#34;");
    }

    private static Text indent(Interpreter in, Text text, Arguments arguments) {
        Bound a = arguments.bind("indent", 0, "width", "first", "blank");
        Text by = a.get(0, 4L) instanceof Text given
                ? given
                : Text.own(" ".repeat(Math.clamp(a.integer(0, 4), 0, 10_000)));
        boolean first = a.truth(1, false);
        boolean blank = a.truth(2, false);
        List<Object> lines = new ArrayList<>(Strings.lines(text, false));
        boolean endsLine = text.length() > 0 && text.charAt(text.length() - 1) == '\n';
        if (endsLine || lines.isEmpty()) {
            lines.add(Text.EMPTY);
        }
        in.charge(text.length() + (long) lines.size() * by.length());
        Text.Builder out = new Text.Builder();
        for (int i = 0; i < lines.size(); i++) {
            Text line = (Text) lines.get(i);
            if (i > 0) {
                out.append(Text.own("\n"));
            }
            if (i == 0 ? first : blank || line.length() > 0) {
                out.append(by);
            }
            out.append(line);
        }
        return out.build();
    }

    private static Object integer(Object value, Bound a) {
        Object otherwise = a.get(0, 0L);
        try {
            if (value instanceof Text text) {
                String digits = text.toString().strip().replace("_", "");
                int base = a.integer(1, 10);
                try {
                    return Numbers.norm(new java.math.BigInteger(
                            base == 16 && digits.startsWith("0x") ? digits.substring(2) : digits, base));
                } catch (NumberFormatException e) {
                    double real = Double.parseDouble(digits);
                    return Double.isNaN(real) || Double.isInfinite(real)
                            ? otherwise
                            : Numbers.norm(new java.math.BigDecimal(real).toBigInteger());
                }
            }
            if (value instanceof Double d) {
                return Double.isNaN(d) || Double.isInfinite(d)
                        ? otherwise
                        : Numbers.norm(new java.math.BigDecimal(d).toBigInteger());
            }
            return Numbers.isInteger(value) ? Numbers.norm(Numbers.big(value)) : otherwise;
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private static Object round(Object value, Bound a) {
        int precision = a.integer(0, 0);
        String method = a.text(1, Text.own("common")).toString();
        if (method.equals("common") && precision >= 0 && Numbers.isInteger(value)) {
            return Numbers.norm(Numbers.big(value));
        }
        double real = Numbers.real(value);
        java.math.RoundingMode mode = switch (method) {
            case "common" -> java.math.RoundingMode.HALF_EVEN;
            case "ceil" -> java.math.RoundingMode.CEILING;
            case "floor" -> java.math.RoundingMode.FLOOR;
            default -> throw new TemplateException("round: method must be common, ceil or floor");
        };
        if (Double.isNaN(real) || Double.isInfinite(real)) {
            return real;
        }
        return new java.math.BigDecimal(real)
                .setScale(Math.clamp(precision, -400, 400), mode)
                .doubleValue();
    }

    private static Text truncate(Text text, Arguments arguments) {
        Bound a = arguments.bind("truncate", 0, "length", "killwords", "end", "leeway");
        int length = a.integer(0, 255);
        Text end = a.text(2, Text.own("..."));
        if (Strings.length(text) <= length + a.integer(3, 5)) {
            return text;
        }
        int keep = Math.max(0, length - Strings.length(end));
        Text cut = text.substring(0, Strings.offset(text, Math.min(keep, Strings.length(text))));
        int space = cut.toString().lastIndexOf(' ');
        if (!a.truth(1, false) && space >= 0) {
            cut = cut.substring(0, space);
        }
        return new Text.Builder().append(cut).append(end).build();
    }
}
