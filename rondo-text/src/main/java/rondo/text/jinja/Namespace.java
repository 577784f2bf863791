package rondo.text.jinja;

import java.util.LinkedHashMap;
import java.util.Map;

/** {@code namespace(…)}: the one thing whose attributes a template may assign. */
record Namespace(Map<String, Object> values) {
    Namespace() {
        this(new LinkedHashMap<>());
    }
}
