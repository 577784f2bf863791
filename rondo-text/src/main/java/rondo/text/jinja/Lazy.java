package rondo.text.jinja;

import java.util.List;

/** What filters such as {@code map} and {@code select} give: may be gone through once, has no length and no index. */
final class Lazy {
    private List<Object> items;

    Lazy(List<Object> items) {
        this.items = items;
    }

    List<Object> take() {
        List<Object> out = items;
        items = List.of();
        return out;
    }
}
