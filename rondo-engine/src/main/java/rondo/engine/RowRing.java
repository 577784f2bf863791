package rondo.engine;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The newest rows of numbers: the engine thread adds them without allocation, lock or wait; any thread drains them, each
 * row to one reader, oldest first. When nobody drains, the oldest are overwritten.
 */
final class RowRing {
    /** Where "all" ends: rows that a ring without a bound keeps at most. */
    static final int MOST_ROWS = 1 << 20;

    private static final int FIRST_ROWS = 1024;

    /** A row as it was added, and its number (0, 1, …). */
    record Row(long number, long[] values, Object label) {}

    private record Storage(long[] values, Object[] labels) {}

    private static final Object NO_LABEL = "";

    private final int width;
    private final boolean grows;
    private final boolean labelled;
    private volatile Storage storage;
    /** Rows whose writing has begun, and rows that are there. */
    private volatile long begun;

    private volatile long written;
    private volatile long taken;

    /** @param keep rows that are kept; -1 = all, up to {@link #MOST_ROWS} */
    RowRing(int width, int keep, boolean labelled) {
        this.width = width;
        this.labelled = labelled;
        grows = keep < 0;
        storage = storage(grows ? FIRST_ROWS : Math.max(1, keep));
    }

    private Storage storage(int rows) {
        Object[] labels = new Object[labelled ? rows : 0];
        return new Storage(new long[Math.multiplyExact(rows, width)], labels);
    }

    /** Engine thread only. The label is given back with the row. */
    void add(long[] row, @Nullable Object label) {
        long number = written;
        Storage s = storage;
        int rows = s.values.length / width;
        if (grows && number - taken >= rows && rows < MOST_ROWS) {
            s = grown(s, number);
            rows = s.values.length / width;
        }
        begun = number + 1;
        // Whoever sees a part of the new row must see that it was begun.
        VarHandle.storeStoreFence();
        int at = (int) (number % rows);
        System.arraycopy(row, 0, s.values, at * width, width);
        if (labelled && label != null) {
            s.labels[at] = label;
        }
        written = number + 1;
    }

    /** Number of the next row. */
    long next() {
        return written;
    }

    private Storage grown(Storage old, long next) {
        int rows = old.values.length / width;
        Storage bigger = storage(2 * rows);
        for (long n = Math.max(0, next - rows); n < next; n++) {
            int from = (int) (n % rows);
            int to = (int) (n % (2L * rows));
            System.arraycopy(old.values, from * width, bigger.values, to * width, width);
            if (labelled) {
                bigger.labels[to] = old.labels[from];
            }
        }
        storage = bigger;
        return bigger;
    }

    /** All rows since the last drain that are still there. */
    synchronized List<Row> drain() {
        return range(taken, written);
    }

    /** The rows of these numbers that are still there; they and those before them need not be kept any longer. */
    synchronized List<Row> range(long first, long end) {
        Storage s = storage;
        int rows = s.values.length / width;
        List<Row> out = new ArrayList<>();
        for (long n = Math.max(first, end - rows); n < end; n++) {
            int at = (int) (n % rows);
            long[] row = new long[width];
            System.arraycopy(s.values, at * width, row, 0, width);
            Object label = labelled ? s.labels[at] : NO_LABEL;
            VarHandle.loadLoadFence();
            // Overwritten meanwhile, unless the writer had moved on to a bigger storage.
            if (begun <= n + rows || storage != s) {
                out.add(new Row(n, row, label == null ? NO_LABEL : label));
            }
        }
        taken = Math.max(taken, end);
        return out;
    }
}
