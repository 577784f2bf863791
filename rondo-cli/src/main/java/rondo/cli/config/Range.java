package rondo.cli.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Limits of a number.
 *
 * @param low      least value
 * @param lowOpen  whether {@code low} itself is outside
 * @param high     greatest value
 * @param highOpen whether {@code high} itself is outside
 * @param exact    whether the limit is meant as one value: it is cited as such
 * @param why      the reason of the limit, or empty
 */
record Range(double low, boolean lowOpen, double high, boolean highOpen, boolean exact, String why) {
    private static final Pattern REASON = Pattern.compile("(.*?) *\\((?<why>[a-z][^)]*)\\)");
    private static final Pattern COMPARISON = Pattern.compile("(>=|>|<=|=) *(\\S+)");
    private static final Pattern INTERVAL = Pattern.compile("([\\[(])([^,]+),([^\\])]+)([\\])])");

    static Range parse(String text) {
        Matcher reason = REASON.matcher(text);
        String why = reason.matches() ? reason.group("why") : "";
        String limits = (reason.matches() ? reason.group(1) : text).strip();
        if (limits.isEmpty()) {
            return new Range(Double.NEGATIVE_INFINITY, true, Double.POSITIVE_INFINITY, true, false, why);
        }
        Matcher comparison = COMPARISON.matcher(limits);
        if (comparison.matches()) {
            double n = Double.parseDouble(comparison.group(2));
            return switch (comparison.group(1)) {
                case ">=" -> new Range(n, false, Double.POSITIVE_INFINITY, true, false, why);
                case ">" -> new Range(n, true, Double.POSITIVE_INFINITY, true, false, why);
                case "<=" -> new Range(Double.NEGATIVE_INFINITY, true, n, false, false, why);
                default -> new Range(n, false, n, false, true, why);
            };
        }
        Matcher interval = INTERVAL.matcher(limits);
        if (interval.matches()) {
            return new Range(
                    Double.parseDouble(interval.group(2)),
                    interval.group(1).equals("("),
                    Double.parseDouble(interval.group(3)),
                    interval.group(4).equals(")"),
                    false,
                    why);
        }
        int dots = limits.indexOf("..");
        return new Range(
                Double.parseDouble(limits.substring(0, dots)),
                false,
                Double.parseDouble(limits.substring(dots + 2)),
                false,
                false,
                why);
    }

    boolean isOpen() {
        return low == Double.NEGATIVE_INFINITY && high == Double.POSITIVE_INFINITY;
    }

    boolean holds(double value) {
        return aboveLow(value) && belowHigh(value);
    }

    private boolean aboveLow(double value) {
        return lowOpen ? value > low : value >= low;
    }

    private boolean belowHigh(double value) {
        return highOpen ? value < high : value <= high;
    }

    /** What a value outside should have been: {@code >= 1}, {@code > 0 and <= 1}, {@code 1 (the reason)}. */
    String expected(double value) {
        if (exact) {
            return number(low) + because();
        }
        if (!why.isEmpty()) {
            return aboveLow(value) ? highText() + because() : lowText();
        }
        return describe();
    }

    private String because() {
        return why.isEmpty() ? "" : " (" + why + ")";
    }

    String describe() {
        if (isOpen()) {
            return "";
        }
        if (exact) {
            return number(low);
        }
        if (low == Double.NEGATIVE_INFINITY) {
            return highText();
        }
        return high == Double.POSITIVE_INFINITY ? lowText() : lowText() + " and " + highText();
    }

    private String lowText() {
        return (lowOpen ? "> " : ">= ") + number(low);
    }

    private String highText() {
        return (highOpen ? "< " : "<= ") + number(high);
    }

    private static String number(double value) {
        return new Value.Real(value).yaml();
    }
}
