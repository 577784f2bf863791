package rondo.engine.grammar;

import java.util.Arrays;
import java.util.function.IntPredicate;

/** An immutable set of Unicode scalar values (code points without surrogates), as sorted, disjoint ranges. */
final class CharSet {
    static final CharSet NONE = new CharSet(new int[0]);
    static final CharSet ALL = new CharSet(new int[] {0, 0xD7FF, 0xE000, 0x10FFFF});

    /** Pairs lowest, highest; neither overlapping nor adjacent. */
    private final int[] ranges;

    private CharSet(int[] ranges) {
        this.ranges = ranges;
    }

    static CharSet of(int codePoint) {
        return range(codePoint, codePoint);
    }

    static CharSet of(String chars) {
        CharSet set = NONE;
        for (int c : chars.codePoints().toArray()) {
            set = set.or(of(c));
        }
        return set;
    }

    static CharSet range(int low, int high) {
        return new CharSet(new int[] {low, high}).and(ALL);
    }

    static CharSet matching(IntPredicate test) {
        int[] found = new int[64];
        int n = 0;
        int start = -1;
        for (int c = 0; c <= 0x110000; c++) {
            boolean in = c <= 0x10FFFF && test.test(c);
            if (in && start < 0) {
                start = c;
            } else if (!in && start >= 0) {
                found = n + 2 > found.length ? Arrays.copyOf(found, 2 * n) : found;
                found[n++] = start;
                found[n++] = c - 1;
                start = -1;
            }
        }
        return new CharSet(Arrays.copyOf(found, n)).and(ALL);
    }

    int size() {
        return ranges.length / 2;
    }

    int low(int i) {
        return ranges[2 * i];
    }

    int high(int i) {
        return ranges[2 * i + 1];
    }

    boolean isEmpty() {
        return ranges.length == 0;
    }

    boolean contains(int c) {
        for (int i = 0; i < ranges.length; i += 2) {
            if (c >= ranges[i] && c <= ranges[i + 1]) {
                return true;
            }
        }
        return false;
    }

    CharSet or(CharSet other) {
        return not(not(this).and(not(other)));
    }

    CharSet minus(CharSet other) {
        return and(not(other));
    }

    CharSet negate() {
        return not(this).and(ALL);
    }

    CharSet and(CharSet other) {
        int[] out = new int[ranges.length + other.ranges.length + 2];
        int n = 0;
        int i = 0;
        int j = 0;
        while (i < ranges.length && j < other.ranges.length) {
            int low = Math.max(ranges[i], other.ranges[j]);
            int high = Math.min(ranges[i + 1], other.ranges[j + 1]);
            if (low <= high) {
                out[n++] = low;
                out[n++] = high;
            }
            if (ranges[i + 1] < other.ranges[j + 1]) {
                i += 2;
            } else {
                j += 2;
            }
        }
        return n == 0 ? NONE : new CharSet(Arrays.copyOf(out, n));
    }

    /** Complement in 0 to 0x10FFFF, surrogates included, so that it is its own inverse. */
    private static CharSet not(CharSet set) {
        int[] out = new int[set.ranges.length + 2];
        int n = 0;
        int next = 0;
        for (int i = 0; i < set.ranges.length; i += 2) {
            if (set.ranges[i] > next) {
                out[n++] = next;
                out[n++] = set.ranges[i] - 1;
            }
            next = set.ranges[i + 1] + 1;
        }
        if (next <= 0x10FFFF) {
            out[n++] = next;
            out[n++] = 0x10FFFF;
        }
        return new CharSet(Arrays.copyOf(out, n));
    }

    @Override
    public boolean equals(Object o) {
        return o instanceof CharSet other && Arrays.equals(ranges, other.ranges);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(ranges);
    }
}
