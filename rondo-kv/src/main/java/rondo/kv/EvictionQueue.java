package rondo.kv;

import java.util.Arrays;

/**
 * The pages of one pool that may be evicted: by priority, and among equals by the moment of their release. All
 * operations take constant time; the links live in arrays that all queues share, since a page is in one queue at most.
 */
final class EvictionQueue {
    /** Highest priority of a page. */
    static final int MAX_PRIORITY = 100;

    private static final int NONE = -1;

    private final int[] previous;
    private final int[] next;
    private final byte[] priority;
    private final int[] head = new int[MAX_PRIORITY + 1];
    private final int[] tail = new int[MAX_PRIORITY + 1];
    private final int[] count = new int[MAX_PRIORITY + 1];
    /** Bit p of the two words: the bucket of priority p is not empty. */
    private long low;

    private long high;
    private int size;

    EvictionQueue(int[] previous, int[] next, byte[] priority) {
        this.previous = previous;
        this.next = next;
        this.priority = priority;
        Arrays.fill(head, NONE);
        Arrays.fill(tail, NONE);
    }

    int size() {
        return size;
    }

    /** The page to evict first, or -1. */
    int first() {
        int bucket = lowestBucket(0);
        return bucket < 0 ? NONE : head[bucket];
    }

    /** The first page of at least this priority, or -1. */
    int firstFrom(int lowest) {
        int bucket = lowestBucket(lowest);
        return bucket < 0 ? NONE : head[bucket];
    }

    /** Pages of exactly this priority. */
    int count(int of) {
        return count[of];
    }

    /** Pages of at most this priority. */
    int countUpTo(int highest) {
        int sum = 0;
        for (int p = lowestBucket(0); p >= 0 && p <= highest; p = lowestBucket(p + 1)) {
            sum += count[p];
        }
        return sum;
    }

    /** The page to evict after this one, or -1. */
    int after(int page) {
        if (next[page] != NONE) {
            return next[page];
        }
        int bucket = lowestBucket(priority[page] + 1);
        return bucket < 0 ? NONE : head[bucket];
    }

    /** Appends a page that was released just now. */
    void add(int page) {
        int p = priority[page];
        int last = tail[p];
        previous[page] = last;
        next[page] = NONE;
        tail[p] = page;
        if (last == NONE) {
            head[p] = page;
            mark(p, true);
        } else {
            next[last] = page;
        }
        count[p]++;
        size++;
    }

    void remove(int page) {
        int p = priority[page];
        int before = previous[page];
        int behind = next[page];
        if (before == NONE) {
            head[p] = behind;
        } else {
            next[before] = behind;
        }
        if (behind == NONE) {
            tail[p] = before;
        } else {
            previous[behind] = before;
        }
        if (head[p] == NONE) {
            mark(p, false);
        }
        count[p]--;
        size--;
    }

    private void mark(int bucket, boolean on) {
        long bit = 1L << (bucket & 63);
        if (bucket < 64) {
            low = on ? low | bit : low & ~bit;
        } else {
            high = on ? high | bit : high & ~bit;
        }
    }

    private int lowestBucket(int from) {
        long l = from < 64 ? low & (-1L << from) : 0;
        if (l != 0) {
            return Long.numberOfTrailingZeros(l);
        }
        long h = from <= 64 ? high : from < 128 ? high & (-1L << (from - 64)) : 0;
        return h == 0 ? NONE : 64 + Long.numberOfTrailingZeros(h);
    }
}
