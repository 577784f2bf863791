package rondo.base;

import java.util.Arrays;

/**
 * An immutable sequence of token ids, held in chunks of {@value #CHUNK} ids that conversations share: a turn that
 * extends another one costs only its own tokens.
 */
public final class TokenIds {
    /** Ids in one chunk; every chunk but the last of a sequence is full. */
    public static final int CHUNK = 1 << 14;

    private static final int SHIFT = 14;
    private static final TokenIds EMPTY = new TokenIds(new int[0][], 0);

    private final int[][] chunks;
    private final int length;

    private TokenIds(int[][] chunks, int length) {
        this.chunks = chunks;
        this.length = length;
    }

    public static TokenIds empty() {
        return EMPTY;
    }

    public static TokenIds of(int... ids) {
        return EMPTY.append(ids, 0, ids.length);
    }

    public int length() {
        return length;
    }

    public int get(int index) {
        if (index < 0 || index >= length) {
            throw new IndexOutOfBoundsException("token " + index + " of " + length);
        }
        return chunks[index >> SHIFT][index & (CHUNK - 1)];
    }

    /** Copies {@code count} ids starting at {@code from} into {@code to}. */
    public void copy(int from, int[] to, int toIndex, int count) {
        if (from < 0 || count < 0 || from + count > length) {
            throw new IndexOutOfBoundsException("tokens " + from + "+" + count + " of " + length);
        }
        int done = 0;
        while (done < count) {
            int at = from + done;
            int n = Math.min(count - done, CHUNK - (at & (CHUNK - 1)));
            System.arraycopy(chunks[at >> SHIFT], at & (CHUNK - 1), to, toIndex + done, n);
            done += n;
        }
    }

    public int[] toArray() {
        int[] out = new int[length];
        copy(0, out, 0, length);
        return out;
    }

    /** This sequence followed by {@code count} more ids; full chunks are shared, a partial last one is copied. */
    public TokenIds append(int[] ids, int from, int count) {
        if (from < 0 || count < 0 || from + count > ids.length) {
            throw new IndexOutOfBoundsException("ids " + from + "+" + count + " of " + ids.length);
        }
        if (count == 0) {
            return this;
        }
        int total = Math.addExact(length, count);
        int[][] out = Arrays.copyOf(chunks, (total + CHUNK - 1) >> SHIFT);
        int at = length;
        int done = 0;
        while (done < count) {
            int chunk = at >> SHIFT;
            int offset = at & (CHUNK - 1);
            int n = Math.min(count - done, CHUNK - offset);
            int[] grown = offset == 0 ? new int[n] : Arrays.copyOf(out[chunk], offset + n);
            System.arraycopy(ids, from + done, grown, offset, n);
            out[chunk] = grown;
            done += n;
            at += n;
        }
        return new TokenIds(out, total);
    }

    /** The first {@code count} ids; shares every chunk. */
    public TokenIds prefix(int count) {
        if (count < 0 || count > length) {
            throw new IndexOutOfBoundsException("prefix " + count + " of " + length);
        }
        return count == length ? this : new TokenIds(Arrays.copyOf(chunks, (count + CHUNK - 1) >> SHIFT), count);
    }

    /** Length of the longest common prefix. */
    public int commonPrefix(TokenIds other) {
        int limit = Math.min(length, other.length);
        for (int at = 0; at < limit; at += CHUNK) {
            int[] a = chunks[at >> SHIFT];
            int[] b = other.chunks[at >> SHIFT];
            if (a != b) {
                int n = Math.min(CHUNK, limit - at);
                int mismatch = Arrays.mismatch(a, 0, n, b, 0, n);
                if (mismatch >= 0) {
                    return at + mismatch;
                }
            }
        }
        return limit;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof TokenIds t && t.length == length && commonPrefix(t) == length;
    }

    @Override
    public int hashCode() {
        int hash = length;
        for (int i = Math.max(0, length - 64); i < length; i++) {
            hash = 31 * hash + get(i);
        }
        return hash;
    }

    @Override
    public String toString() {
        return "TokenIds[" + length + "]";
    }
}
