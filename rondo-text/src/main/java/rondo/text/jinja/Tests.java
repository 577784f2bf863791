package rondo.text.jinja;

import java.math.BigInteger;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The tests that stand after {@code is}. */
final class Tests {
    private Tests() {}

    static boolean test(Interpreter in, String name, Object value, Arguments arguments) {
        return switch (name) {
            case "defined" -> !(value instanceof Undefined);
            case "undefined" -> value instanceof Undefined;
            case "none" -> value == None.NONE;
            case "string" -> value instanceof Text;
            case "mapping" -> value instanceof Map<?, ?>;
            case "iterable" -> iterable(value);
            case "sequence" ->
                value instanceof Text
                        || value instanceof List<?>
                        || value instanceof Tuple
                        || value instanceof Map<?, ?>
                        || value instanceof Undefined;
            case "true" -> value == Boolean.TRUE;
            case "false" -> value == Boolean.FALSE;
            case "boolean" -> value instanceof Boolean;
            case "number" -> Numbers.isNumber(value);
            case "integer" -> value instanceof Long || value instanceof BigInteger;
            case "float" -> value instanceof Double;
            case "callable" -> value instanceof Function;
            case "escaped" -> false;
            case "odd" -> !Values.equal(Numbers.arithmetic("%", defined(value), 2L), 0L);
            case "even" -> Values.equal(Numbers.arithmetic("%", defined(value), 2L), 0L);
            case "divisibleby" -> Values.equal(Numbers.arithmetic("%", defined(value), other(name, arguments)), 0L);
            case "upper" -> cased(value, true);
            case "lower" -> cased(value, false);
            case "eq", "equalto", "==" -> Values.equal(value, other(name, arguments));
            case "ne", "!=" -> !Values.equal(value, other(name, arguments));
            case "sameas" -> same(value, other(name, arguments));
            case "in" -> Values.contains(other(name, arguments), value);
            case "gt", "greaterthan", ">" -> order(value, other(name, arguments)) == 1;
            case "lt", "lessthan", "<" -> order(value, other(name, arguments)) == -1;
            case "ge", ">=" -> {
                int order = order(value, other(name, arguments));
                yield order == 0 || order == 1;
            }
            case "le", "<=" -> order(value, other(name, arguments)) <= 0;
            case "filter" -> value instanceof Text text && Filters.known(text.toString());
            case "test" -> value instanceof Text text && known(text.toString());
            default -> throw new TemplateException("no test named '" + name + "'");
        };
    }

    private static final java.util.Set<String> NAMES = java.util.Set.of(
            "defined",
            "undefined",
            "none",
            "string",
            "mapping",
            "iterable",
            "sequence",
            "true",
            "false",
            "boolean",
            "number",
            "integer",
            "float",
            "callable",
            "escaped",
            "odd",
            "even",
            "divisibleby",
            "upper",
            "lower",
            "eq",
            "equalto",
            "==",
            "ne",
            "!=",
            "sameas",
            "in",
            "gt",
            "greaterthan",
            ">",
            "lt",
            "lessthan",
            "<",
            "ge",
            ">=",
            "le",
            "<=",
            "filter",
            "test");

    static boolean known(String name) {
        return NAMES.contains(name);
    }

    static boolean iterable(Object value) {
        return value instanceof Text
                || value instanceof List<?>
                || value instanceof Tuple
                || value instanceof Map<?, ?>
                || value instanceof Lazy
                || value instanceof Undefined;
    }

    private static Object other(String name, Arguments arguments) {
        return arguments.bind("test '" + name + "'", 1, "other").get(0);
    }

    private static int order(Object a, Object b) {
        return Values.compare(defined(a), defined(b));
    }

    private static Object defined(Object value) {
        if (value instanceof Undefined u) {
            throw u.error();
        }
        return value;
    }

    private static boolean same(Object a, Object b) {
        return a == b || a instanceof Long && a.equals(b);
    }

    private static boolean cased(Object value, boolean upper) {
        String s = Values.str(value).toString();
        String changed = upper ? s.toUpperCase(Locale.ROOT) : s.toLowerCase(Locale.ROOT);
        return s.equals(changed) && s.codePoints().anyMatch(c -> Character.isUpperCase(c) || Character.isLowerCase(c));
    }
}
