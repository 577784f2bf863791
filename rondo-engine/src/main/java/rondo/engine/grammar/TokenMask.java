package rondo.engine.grammar;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/** A set of tokens, kept as a list while it is small and as bits when it is not. */
final class TokenMask {
    /** A list of ids is smaller, and quicker to add, than the bits below this share of the vocabulary. */
    private static final int SPARSE = 32;

    /** Ids, or words of bits. */
    private final int[] ids;

    private final long[] words;

    private TokenMask(int[] ids, long[] words) {
        this.ids = ids;
        this.words = words;
    }

    static TokenMask of(int[] ids, int count, int vocabulary) {
        if (count < vocabulary / SPARSE) {
            return new TokenMask(Arrays.copyOf(ids, count), new long[0]);
        }
        long[] words = new long[(vocabulary + 63) / 64];
        for (int i = 0; i < count; i++) {
            words[ids[i] >> 6] |= 1L << (ids[i] & 63);
        }
        return new TokenMask(new int[0], words);
    }

    void addTo(MemorySegment bits) {
        for (int w = 0; w < words.length; w++) {
            long old = bits.getAtIndex(ValueLayout.JAVA_LONG, w);
            bits.setAtIndex(ValueLayout.JAVA_LONG, w, old | words[w]);
        }
        for (int id : ids) {
            long word = id >> 6;
            bits.setAtIndex(
                    ValueLayout.JAVA_LONG, word, bits.getAtIndex(ValueLayout.JAVA_LONG, word) | 1L << (id & 63));
        }
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof TokenMask m && Arrays.equals(ids, m.ids) && Arrays.equals(words, m.words);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(ids) + Arrays.hashCode(words);
    }

    long bytes() {
        return 4L * ids.length + 8L * words.length;
    }
}
