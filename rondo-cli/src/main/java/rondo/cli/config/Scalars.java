package rondo.cli.config;

import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** How scalars are spelt: numbers, booleans, sizes, quotes (serve-config.md §1.1). */
final class Scalars {
    private static final Pattern INTEGER = Pattern.compile("[-+]?[0-9]+(_[0-9]+)*");
    private static final Pattern REAL = Pattern.compile("[-+]?([0-9]+(\\.[0-9]*)?|\\.[0-9]+)([eE][-+]?[0-9]+)?");
    private static final Pattern SPECIAL = Pattern.compile("[-+]?\\.(inf|Inf|INF)|\\.(nan|NaN|NAN)");
    private static final Pattern SIZE = Pattern.compile("([0-9]+(?:_[0-9]+)*)([a-z]+)");

    private Scalars() {}

    static boolean isBool(String text) {
        return text.equalsIgnoreCase("true") || text.equalsIgnoreCase("false");
    }

    static boolean isInteger(String text) {
        return INTEGER.matcher(text).matches();
    }

    /** Whether YAML reads a plain scalar as a number, be it finite or not. */
    static boolean isNumber(String text) {
        return isInteger(text)
                || REAL.matcher(text).matches()
                || SPECIAL.matcher(text).matches();
    }

    /** The integer, or empty where it is too great for 64 bits. */
    static OptionalLong integer(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.replace("_", "")));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }

    /** The number; not a number for text that is none. */
    static double real(String text) {
        String plain = isInteger(text) ? text.replace("_", "") : text;
        return REAL.matcher(plain).matches() ? Double.parseDouble(plain) : Double.NaN;
    }

    /** Bytes of {@code <digits><unit>}, all units binary; empty where it is none or too great. */
    static OptionalLong size(String text) {
        Matcher m = SIZE.matcher(text.toLowerCase(Locale.ROOT));
        if (!m.matches()) {
            return OptionalLong.empty();
        }
        int shift = switch (m.group(2)) {
            case "b" -> 0;
            case "kb", "kib" -> 10;
            case "mb", "mib" -> 20;
            case "gb", "gib" -> 30;
            case "tb", "tib" -> 40;
            default -> -1;
        };
        OptionalLong digits = integer(m.group(1));
        if (shift < 0 || digits.isEmpty() || digits.getAsLong() > Long.MAX_VALUE >> shift) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(digits.getAsLong() << shift);
    }

    /** Bytes in the greatest unit that divides them. */
    static String showSize(long bytes) {
        String[] units = {"", "KiB", "MiB", "GiB", "TiB"};
        int unit = 0;
        long n = bytes;
        while (n != 0 && n % 1024 == 0 && unit < units.length - 1) {
            n /= 1024;
            unit++;
        }
        return n + units[unit];
    }

    static String quote(String text) {
        return "'" + text.replace("'", "''").replace("\n", "\\n") + "'";
    }

    private static final Pattern WORD = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]*");

    /** Text as YAML writes it: bare where it cannot be taken for something else. */
    static String plain(String text) {
        boolean word = WORD.matcher(text).matches() && !isBool(text) && !text.equalsIgnoreCase("null");
        return word ? text : quote(text);
    }
}
