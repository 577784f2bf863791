package rondo.text.jinja;

/**
 * What one rendering may use, since templates come from strangers.
 *
 * @param outputChars longest string, output included, in UTF-16 units
 * @param steps       evaluated statements and expressions; long strings count one step per 64 characters handled
 * @param depth       nesting of evaluation (macros that call each other, say)
 */
public record Limits(int outputChars, long steps, int depth) {
    /** Enough for a prompt of about ten million tokens. */
    public static final Limits DEFAULT = new Limits(64 << 20, 50_000_000, 600);
}
