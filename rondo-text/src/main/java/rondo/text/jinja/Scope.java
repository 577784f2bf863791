package rondo.text.jinja;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Variables of one block, with the surrounding ones behind them. */
final class Scope {
    private final @Nullable Scope outer;
    private final Map<String, Object> values;

    Scope(@Nullable Scope outer) {
        this(outer, new HashMap<>());
    }

    Scope(@Nullable Scope outer, Map<String, Object> values) {
        this.outer = outer;
        this.values = values;
    }

    @Nullable
    Object find(String name) {
        for (Scope at = this; at != null; at = at.outer) {
            Object value = at.values.get(name);
            if (value != null) {
                return value;
            }
        }
        return null;
    }

    void set(String name, Object value) {
        values.put(name, value);
    }
}
