package rondo.sim;

import rondo.base.TimeSource;

/** A clock that stands still until somebody moves it on; it never goes back. For one thread. */
public final class VirtualClock implements TimeSource {
    private long now;

    /** A clock that begins at a time, nanoseconds. */
    public VirtualClock(long begin) {
        now = begin;
    }

    @Override
    public long nanoTime() {
        return now;
    }

    /** Moves on to a time; one that has passed already changes nothing. */
    public void advanceTo(long nanos) {
        now = Math.max(now, nanos);
    }
}
