package rondo.engine.grammar;

import rondo.base.TimeSource;

/** What the compilation of one grammar may cost, since grammars come from strangers. */
final class Budget {
    private static final int CHECK_EVERY = 256;

    private final TimeSource time;
    private final long deadline;
    private final long maxNanos;
    private final int maxStates;
    private int states;
    private int work;

    Budget(TimeSource time, long maxNanos, int maxStates) {
        this.time = time;
        this.maxNanos = maxNanos;
        this.deadline = time.nanoTime() + maxNanos;
        this.maxStates = maxStates;
    }

    /** Another state of an automaton. */
    void state() {
        if (++states > maxStates) {
            throw new UnsupportedGrammar("", "the grammar needs more than " + maxStates + " states");
        }
        work();
    }

    /** A small piece of work. */
    void work() {
        if (++work % CHECK_EVERY == 0) {
            checkTime();
        }
    }

    void checkTime() {
        if (time.nanoTime() - deadline > 0) {
            throw new UnsupportedGrammar("", "the grammar takes more than " + maxNanos / 1_000_000 + " ms to compile");
        }
    }
}
