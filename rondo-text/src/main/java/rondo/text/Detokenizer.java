package rondo.text;

/**
 * Token ids to text, one by one: emits only whole characters and holds back at most three bytes. Not thread-safe; one
 * per stream. Pushing all ids and then flushing gives exactly {@link Tokenizer#decode}.
 *
 * <p>Invalid UTF-8 becomes one U+FFFD per maximal subpart (Unicode chapter 3.9, as browsers and Rust do it), whether
 * the bytes come from one token or several.
 */
public final class Detokenizer {
    private static final char REPLACEMENT = '\uFFFD';

    private final Tokenizer tokenizer;
    private final boolean skipSpecialTokens;

    /** Bytes of the current character that are still to come, its bits so far, and the allowed range of the next. */
    private int missing;

    private int bits;
    private int low = 0x80;
    private int high = 0xBF;

    public Detokenizer(Tokenizer tokenizer, boolean skipSpecialTokens) {
        this.tokenizer = tokenizer;
        this.skipSpecialTokens = skipSpecialTokens;
    }

    /** Appends the characters that this token completes, possibly none. */
    public void push(int id, StringBuilder out) {
        if (skipSpecialTokens && tokenizer.isSpecial(id)) {
            return;
        }
        byte[] bytes = tokenizer.bytes(id);
        for (byte b : bytes) {
            if (b >= 0 && missing == 0) {
                out.append((char) b);
            } else {
                push(b, out);
            }
        }
    }

    /** The end of the stream: a character that was cut becomes U+FFFD. */
    public void flush(StringBuilder out) {
        if (missing > 0) {
            missing = 0;
            out.append(REPLACEMENT);
        }
    }

    /** Whether the stream stands inside a character. */
    public boolean holdsBack() {
        return missing > 0;
    }

    private void push(byte b, StringBuilder out) {
        int value = b & 0xFF;
        if (missing > 0) {
            if (value >= low && value <= high) {
                low = 0x80;
                high = 0xBF;
                bits = bits << 6 | value & 0x3F;
                if (--missing == 0) {
                    out.appendCodePoint(bits);
                }
                return;
            }
            missing = 0;
            out.append(REPLACEMENT);
        }
        low = 0x80;
        high = 0xBF;
        if (value < 0x80) {
            out.append((char) value);
        } else if (value >= 0xC2 && value <= 0xDF) {
            begin(1, value & 0x1F);
        } else if (value >= 0xE0 && value <= 0xEF) {
            begin(2, value & 0x0F);
            low = value == 0xE0 ? 0xA0 : 0x80;
            high = value == 0xED ? 0x9F : 0xBF;
        } else if (value >= 0xF0 && value <= 0xF4) {
            begin(3, value & 0x07);
            low = value == 0xF0 ? 0x90 : 0x80;
            high = value == 0xF4 ? 0x8F : 0xBF;
        } else {
            out.append(REPLACEMENT);
        }
    }

    private void begin(int more, int first) {
        missing = more;
        bits = first;
    }
}
