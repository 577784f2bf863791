package rondo.engine;

import java.util.concurrent.atomic.AtomicLongArray;

/** Numbers that the engine thread writes and anybody reads, without allocation. */
final class Counters {
    static final int STEPS = 0;
    static final int RUNNING = 1;
    static final int PAUSED = 2;
    static final int FINISHED = 3;
    static final int CANCELLED = 4;
    static final int FAILED = 5;
    static final int PROMPT_TOKENS = 6;
    static final int CACHED_TOKENS = 7;
    static final int GENERATED_TOKENS = 8;
    static final int SUSPENSIONS = 9;
    static final int RECOMPUTATIONS = 10;
    static final int RECOMPUTED_TOKENS = 11;
    static final int REUSED_TOKENS = 12;
    static final int DRAINS = 13;
    static final int STALLS = 14;
    static final int COPY_WAIT_NANOS = 15;
    static final int WAITING_AGAIN = 16;
    private static final int COUNT = 17;

    private final AtomicLongArray values = new AtomicLongArray(COUNT);

    long get(int which) {
        return values.getAcquire(which);
    }

    void set(int which, long value) {
        values.setRelease(which, value);
    }

    void add(int which, long more) {
        values.setRelease(which, values.getPlain(which) + more);
    }
}
