package rondo.cli.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import rondo.base.UserError;

/** Collects all that is wrong with a configuration, and all that is worth a line in the log. */
final class Problems {
    private record Problem(int line, String text) {}

    private static final Pattern PLACE = Pattern.compile(":([0-9]{1,9})\\)$");

    private final List<Problem> found = new ArrayList<>();
    private final List<Notice> notices = new ArrayList<>();

    /** Adds {@code config: <what> (<where>)}. */
    void add(Origin where, String what) {
        put(where, "config: " + what + " (" + where.cite() + ")");
    }

    /** A key that is not in the table; the hint stands behind the place. */
    void unknown(Origin where, String path, String hint) {
        put(where, "config: " + path + " is not a known key (" + where.cite() + "); " + hint);
    }

    private void put(Origin where, String text) {
        found.add(new Problem(where instanceof Origin.Yaml y ? y.line() : Integer.MAX_VALUE, text));
    }

    /** A message that is complete, its place within the brackets at its end. */
    void add(String finished) {
        Matcher place = PLACE.matcher(finished);
        found.add(new Problem(place.find() ? Integer.parseInt(place.group(1)) : Integer.MAX_VALUE, finished));
    }

    void mustBe(Origin where, String path, String expected, String got) {
        add(where, path + " must be " + expected + ", got " + got);
    }

    void conflict(Origin where, String path, String other, String why) {
        add(where, path + " conflicts with " + other + ": " + why);
    }

    /** A value that is spelt right and that Rondo does not do; {@code value} is empty where it does not matter. */
    void unsupported(Origin where, String path, String value, String reason) {
        add(where, assignment(path, value) + " is not supported by rondo: " + reason);
    }

    void noEffect(Origin where, String path, String value, String reason) {
        info(where, assignment(path, value) + " has no effect in rondo: " + reason);
    }

    void info(Origin where, String what) {
        notices.add(new Notice(Notice.Level.INFO, "config notice: " + what + " (" + where.cite() + ")"));
    }

    void warn(Origin where, String what) {
        notices.add(new Notice(Notice.Level.WARN, "config notice: " + what + " (" + where.cite() + ")"));
    }

    /** A line of the log that is no notice about one key. */
    void log(Notice.Level level, String text) {
        notices.add(new Notice(level, text));
    }

    private static String assignment(String path, String value) {
        return value.isEmpty() ? path : path + "=" + value;
    }

    /** The messages, in the order of lines; those about the command line last. */
    List<String> messages() {
        return found.stream()
                .sorted(Comparator.comparingInt(Problem::line))
                .map(Problem::text)
                .toList();
    }

    List<Notice> notices() {
        return List.copyOf(notices);
    }

    /** Ends the command with all messages, if there are any. */
    void throwIfAny() {
        if (!found.isEmpty()) {
            throw new UserError(UserError.USAGE, String.join("\n", messages()));
        }
    }
}
