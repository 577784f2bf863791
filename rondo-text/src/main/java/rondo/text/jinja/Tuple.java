package rondo.text.jinja;

import java.util.List;

/** Python's tuple. */
record Tuple(List<Object> items) {
    @Override
    public boolean equals(Object other) {
        return other instanceof Tuple && Values.equal(this, other);
    }

    /** Not over the items: they may be deep, and tuples are rare as keys. */
    @Override
    public int hashCode() {
        return items.size();
    }
}
