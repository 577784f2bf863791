package rondo.text.jinja;

/** Python's None. */
enum None {
    NONE
}
