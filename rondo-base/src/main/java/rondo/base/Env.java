package rondo.base;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The one place that reads the process environment (serve-config.md §1.11). */
public final class Env {
    private final Map<String, String> values;

    public Env(Map<String, String> values) {
        this.values = Map.copyOf(values);
    }

    public static Env system() {
        return new Env(System.getenv());
    }

    /** The same environment with some variables set otherwise. */
    public Env with(Map<String, String> others) {
        Map<String, String> all = new HashMap<>(values);
        all.putAll(others);
        return new Env(all);
    }

    public Optional<String> get(String name) {
        return Optional.ofNullable(values.get(name)).filter(v -> !v.isEmpty());
    }

    /** A positive integer, or {@code otherwise} when the variable is not set. */
    public int positiveInt(String name, int otherwise) {
        Optional<String> text = get(name);
        if (text.isEmpty()) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text.get());
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException e) {
            // falls through to the one message
        }
        throw new UserError(UserError.USAGE, "env: " + name + " must be a positive integer, got '" + text.get() + "'");
    }
}
