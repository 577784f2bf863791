package rondo.kv;

import java.util.Arrays;

/** The copies between tiers that have not landed yet, by their batches: a ring that grows. */
final class Flights {
    private int[] page = new int[64];
    private boolean[] out = new boolean[64];
    private long[] batch = new long[64];
    private int first;
    private int count;

    /** A copy of a page to the host ({@code goesOut}) or into its device slot; batches never go back. */
    void add(int ofPage, boolean goesOut, long inBatch) {
        if (count == page.length) {
            grow();
        }
        int at = (first + count++) & (page.length - 1);
        page[at] = ofPage;
        out[at] = goesOut;
        batch[at] = inBatch;
    }

    int count() {
        return count;
    }

    int page(int index) {
        return page[(first + index) & (page.length - 1)];
    }

    /** Whether there is a copy of a batch up to this one. */
    boolean hasLanded(long upTo) {
        return count > 0 && batch[first] <= upTo;
    }

    boolean firstGoesOut() {
        return out[first];
    }

    int removeFirst() {
        int of = page[first];
        first = (first + 1) & (page.length - 1);
        count--;
        return of;
    }

    private void grow() {
        int size = page.length;
        page = Arrays.copyOf(page, 2 * size);
        out = Arrays.copyOf(out, 2 * size);
        batch = Arrays.copyOf(batch, 2 * size);
        System.arraycopy(page, 0, page, size, first);
        System.arraycopy(out, 0, out, size, first);
        System.arraycopy(batch, 0, batch, size, first);
    }
}
