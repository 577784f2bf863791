package rondo.text.jinja;

import java.util.List;

/** Python's tuple. */
record Tuple(List<Object> items) {}
