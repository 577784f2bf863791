package rondo.text.jinja;

import java.time.LocalDateTime;
import java.time.format.TextStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;

/** C's strftime for {@code strftime_now}, in English. */
final class Clocks {
    private Clocks() {}

    static String strftime(String format, LocalDateTime t) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < format.length(); i++) {
            char c = format.charAt(i);
            if (c != '%' || i + 1 == format.length()) {
                out.append(c);
                continue;
            }
            char kind = format.charAt(++i);
            boolean bare = kind == '-' && i + 1 < format.length();
            if (bare) {
                kind = format.charAt(++i);
            }
            String field = field(kind, t);
            out.append(bare && field.length() > 1 && field.charAt(0) == '0' ? field.substring(1) : field);
        }
        return out.toString();
    }

    private static String field(char kind, LocalDateTime t) {
        int hour12 = t.getHour() % 12 == 0 ? 12 : t.getHour() % 12;
        return switch (kind) {
            case 'Y' -> String.valueOf(t.getYear());
            case 'y' -> two(t.getYear() % 100);
            case 'm' -> two(t.getMonthValue());
            case 'd' -> two(t.getDayOfMonth());
            case 'e' -> String.format("%2d", t.getDayOfMonth());
            case 'H' -> two(t.getHour());
            case 'I' -> two(hour12);
            case 'M' -> two(t.getMinute());
            case 'S' -> two(t.getSecond());
            case 'f' -> String.format("%06d", t.get(ChronoField.MICRO_OF_SECOND));
            case 'j' -> String.format("%03d", t.getDayOfYear());
            case 'p' -> t.getHour() < 12 ? "AM" : "PM";
            case 'B' -> t.getMonth().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'b', 'h' -> t.getMonth().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'A' -> t.getDayOfWeek().getDisplayName(TextStyle.FULL, Locale.ENGLISH);
            case 'a' -> t.getDayOfWeek().getDisplayName(TextStyle.SHORT, Locale.ENGLISH);
            case 'u' -> String.valueOf(t.getDayOfWeek().getValue());
            case 'w' -> String.valueOf(t.getDayOfWeek().getValue() % 7);
            case 'F' -> strftime("%Y-%m-%d", t);
            case 'T' -> strftime("%H:%M:%S", t);
            case 'R' -> strftime("%H:%M", t);
            case 'D' -> strftime("%m/%d/%y", t);
            case 'Z', 'z' -> "";
            case 'n' -> "\n";
            case 't' -> "\t";
            case '%' -> "%";
            default -> "%" + kind;
        };
    }

    private static String two(int value) {
        return value < 10 ? "0" + value : String.valueOf(value);
    }
}
