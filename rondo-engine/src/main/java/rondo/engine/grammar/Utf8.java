package rondo.engine.grammar;

/** Ranges of code points as sequences of byte ranges in UTF-8 (RFC 3629). */
final class Utf8 {
    /** Last code point of each encoded length. */
    private static final int[] LAST = {0x7F, 0x7FF, 0xFFFF, 0x10FFFF};

    private static final int[] LEAD = {0, 0xC0, 0xE0, 0xF0};

    private Utf8() {}

    static void edges(Nfa nfa, int low, int high, int from, int to) {
        int first = 0;
        for (int length = 0; length < 4; length++) {
            int l = Math.max(low, first);
            int h = Math.min(high, LAST[length]);
            if (l <= h) {
                sameLength(nfa, l, h, length, LEAD[length], from, to);
            }
            first = LAST[length] + 1;
        }
    }

    /** {@code rest} continuation bytes follow the byte that starts with {@code lead}. */
    private static void sameLength(Nfa nfa, int low, int high, int rest, int lead, int from, int to) {
        if (rest == 0) {
            nfa.range(from, lead | low, lead | high, to);
            return;
        }
        int shift = 6 * rest;
        int mask = (1 << shift) - 1;
        int top = low >> shift;
        int topHigh = high >> shift;
        if (top == topHigh) {
            int next = nfa.state();
            nfa.range(from, lead | top, lead | top, next);
            sameLength(nfa, low & mask, high & mask, rest - 1, 0x80, next, to);
            return;
        }
        if ((low & mask) != 0) {
            sameLength(nfa, low, low | mask, rest, lead, from, to);
            top++;
        }
        if ((high & mask) != mask) {
            sameLength(nfa, high & ~mask, high, rest, lead, from, to);
            topHigh--;
        }
        if (top <= topHigh) {
            int next = nfa.state();
            nfa.range(from, lead | top, lead | topHigh, next);
            sameLength(nfa, 0, mask, rest - 1, 0x80, next, to);
        }
    }
}
