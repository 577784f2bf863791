package rondo.engine;

import rondo.kv.KvCache;

/** The executor's sequence slots, with the reservations of those who sit in them. */
final class Slots {
    private final KvCache kv;
    private final int[] free;
    private int freeCount;
    private int leaving;

    Slots(int most, KvCache kv) {
        this.kv = kv;
        free = new int[most];
        while (freeCount < most) {
            free[freeCount] = most - 1 - freeCount;
            freeCount++;
        }
    }

    int free() {
        return freeCount;
    }

    boolean hasFree() {
        return freeCount > 0;
    }

    /** The slot that {@link #enter} gives next. */
    int next() {
        return free[freeCount - 1];
    }

    /** Those that are done, but whose last run is in flight: slot and pages come back with it. */
    int leaving() {
        return leaving;
    }

    /** The sequence takes {@link #next}, with the first {@code tokens} tokens found in the cache. */
    void enter(Sequence s, int reservation, int tokens) {
        s.slot = free[--freeCount];
        s.reservation = reservation;
        s.history = tokens;
        s.submitted = tokens;
        s.capacity = tokens;
        s.begun = false;
        s.state = Sequence.State.PREFILL;
    }

    /** It is done: slot and pages come back now, or with its run in flight. */
    void retire(Sequence s, boolean commit) {
        s.commitAtEnd = commit;
        if (s.inFlight > 0) {
            leaving++;
        } else {
            leave(s, commit);
        }
    }

    /** Its last run has been awaited. */
    void landed(Sequence s) {
        leaving--;
        leave(s, s.commitAtEnd);
    }

    /** Slot and pages come back for now: it will be computed again. Nothing of it is in flight. */
    void pause(Sequence s) {
        kv.pause(giveBackSlot(s), s.workStep);
    }

    /** Slot and pages come back; nothing of it is in flight. */
    private void leave(Sequence s, boolean commit) {
        kv.release(giveBackSlot(s), s.workStep, commit);
    }

    private int giveBackSlot(Sequence s) {
        free[freeCount++] = s.slot;
        int reservation = s.reservation;
        s.slot = -1;
        s.reservation = -1;
        return reservation;
    }
}
