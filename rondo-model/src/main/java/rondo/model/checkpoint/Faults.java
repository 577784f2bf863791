package rondo.model.checkpoint;

import java.nio.file.Path;
import java.util.List;
import rondo.base.UserError;

/** The one form in which a faulty checkpoint is told: {@code model: <file>: <what is wrong>}. */
public final class Faults {
    /** Most names that one message lists. */
    private static final int MOST_NAMES = 10;

    private Faults() {}

    public static UserError in(Path file, String what) {
        return new UserError(UserError.MODEL, "model: " + file + ": " + oneLine(what));
    }

    public static UserError in(Path file, String what, Throwable cause) {
        return new UserError(UserError.MODEL, "model: " + file + ": " + oneLine(what), cause);
    }

    /** The first names of a list and how many more there are. */
    public static String list(List<String> names) {
        String first = String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())));
        return names.size() > MOST_NAMES ? first + " and " + (names.size() - MOST_NAMES) + " more" : first;
    }

    /** Text from a file, safe to print: control characters gone, not longer than a line. */
    static String oneLine(String text) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), 600));
        for (int i = 0; i < text.length() && out.length() < 600; i++) {
            char c = text.charAt(i);
            out.append(c < ' ' || c == 0x7f || Character.isSurrogate(c) ? ' ' : c);
        }
        return out.toString();
    }
}
