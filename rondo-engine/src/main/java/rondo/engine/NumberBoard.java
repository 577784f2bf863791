package rondo.engine;

import java.lang.invoke.VarHandle;

/**
 * Numbers that belong together: the engine thread posts them without allocation or lock, and any thread reads all of one
 * posting. (A sequence lock: the version is odd while a posting is under way.)
 */
final class NumberBoard {
    private final long[] values;
    private int posted;
    private volatile int version;

    NumberBoard(int width) {
        values = new long[width];
    }

    /** Engine thread only. */
    void post(long[] from) {
        version = ++posted;
        VarHandle.storeStoreFence();
        System.arraycopy(from, 0, values, 0, values.length);
        version = ++posted;
    }

    long[] read() {
        while (true) {
            int before = version;
            if ((before & 1) == 0) {
                long[] copy = values.clone();
                VarHandle.loadLoadFence();
                if (version == before) {
                    return copy;
                }
            }
            Thread.onSpinWait();
        }
    }
}
