package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.KvCache;
import rondo.kv.PageWork;

/**
 * Makes room when pages run out: suspends the youngest to the host, or pauses it to be computed again. Only sequences
 * that come after the one in need, and never one with a run in flight.
 */
final class Preemptor {
    /** What came of an attempt to make room for a sequence. */
    enum Room {
        /** Somebody gave way: try again. */
        FREED,
        /** Who could give way has a run in flight: await it and plan again. */
        DRAIN,
        /** There is nobody who could give way. */
        NONE
    }

    private final KvCache kv;
    private final EngineOptions.Preemption mode;
    private final boolean hostTier;
    private final Slots slots;
    private final SequenceList active;
    private final SequenceList waiting;
    private int droppedTokens;
    private long now;
    /** Number of the last submitted step. */
    private long submitted;

    // Counters: they only grow.
    long suspensions;
    long recomputations;

    Preemptor(
            KvCache kv,
            EngineOptions.Preemption mode,
            boolean hostTier,
            Slots slots,
            SequenceList active,
            SequenceList waiting) {
        this.kv = kv;
        // Without a host tier there is nowhere to suspend to.
        this.mode = hostTier ? mode : EngineOptions.Preemption.RECOMPUTE;
        this.hostTier = hostTier;
        this.slots = slots;
        this.active = active;
        this.waiting = waiting;
    }

    /** A plan begins. */
    void begin(long lastSubmitted, long nanos) {
        submitted = lastSubmitted;
        now = nanos;
    }

    /** For a decode that cannot grow: one victim at a time, the cheapest way first. */
    Room makeRoom(Sequence s, PageWork out) {
        if (slots.leaving() > 0) {
            // Pages of an ended sequence come back with the step in flight, at no one's cost.
            return Room.DRAIN;
        }
        if (mode != EngineOptions.Preemption.RECOMPUTE) {
            Sequence victim = youngestToSuspend(s);
            if (victim != null && suspend(victim, out)) {
                return Room.FREED;
            }
        }
        if (mode != EngineOptions.Preemption.OFFLOAD && recomputeYoungestAfter(s)) {
            return Room.FREED;
        }
        return anyInFlightAfter(s) ? Room.DRAIN : Room.NONE;
    }

    /**
     * For a prefill that cannot grow: with a host tier it waits; without one a single younger sequence is paused, and
     * what that frees is for {@code s} alone.
     */
    Room makeRoomForPrefill(Sequence s) {
        if (hostTier) {
            return Room.NONE;
        }
        if (recomputeYoungestAfter(s)) {
            return Room.FREED;
        }
        return anyInFlightAfter(s) ? Room.DRAIN : Room.NONE;
    }

    /** For one that has waited too long: whoever came last among those that came after it. */
    Room makeRoomForStarving(Sequence s) {
        Sequence victim = null;
        boolean inFlight = false;
        for (int i = 0; i < active.size(); i++) {
            Sequence a = active.get(i);
            if (a.arrival > s.arrival) {
                inFlight |= a.inFlight > 0;
                if (a.inFlight == 0 && (victim == null || a.arrival > victim.arrival)) {
                    victim = a;
                }
            }
        }
        if (victim == null) {
            return inFlight ? Room.DRAIN : Room.NONE;
        }
        recompute(victim);
        return Room.FREED;
    }

    /** Whether it can step aside for those before it. */
    boolean maySuspendSelf(Sequence s) {
        return mode != EngineOptions.Preemption.RECOMPUTE && active.get(0) != s;
    }

    /**
     * Nothing runs, nothing is in flight, and yet there are active sequences: suspended ones hold each other's pages, or
     * prefills wait for each other. The youngest is paused, whatever the mode, so that the oldest goes on.
     *
     * @return whether anybody gave way
     */
    boolean unstick() {
        Sequence oldest = active.get(0);
        if (recomputeYoungestAfter(oldest)) {
            return true;
        }
        if (oldest.state != Sequence.State.SUSPENDED) {
            return false;
        }
        recompute(oldest);
        return true;
    }

    /** Tokens of this plan's runs that were dropped since the last call. */
    int takeDroppedTokens() {
        int dropped = droppedTokens;
        droppedTokens = 0;
        return dropped;
    }

    /** Its pages may move to the host; false, and nothing changed, where there is no room. */
    boolean suspend(Sequence victim, PageWork out) {
        if (!kv.suspend(victim.reservation, victim.workStep, out)) {
            return false;
        }
        dropRun(victim);
        victim.suspendedFrom = victim.state;
        victim.state = Sequence.State.SUSPENDED;
        suspensions++;
        victim.handle.preempted(++victim.preemptions);
        return true;
    }

    private boolean recomputeYoungestAfter(Sequence s) {
        for (int i = active.size() - 1; i >= 0 && active.before(s, active.get(i)); i--) {
            if (active.get(i).inFlight == 0) {
                recompute(active.get(i));
                return true;
            }
        }
        return false;
    }

    private void recompute(Sequence victim) {
        dropRun(victim);
        active.remove(victim);
        slots.pause(victim);
        victim.state = Sequence.State.WAITING;
        victim.waitingSince = now;
        victim.history = 0;
        victim.submitted = 0;
        waiting.insert(victim);
        recomputations++;
        victim.handle.preempted(++victim.preemptions);
    }

    private @Nullable Sequence youngestToSuspend(Sequence s) {
        for (int i = active.size() - 1; i >= 0 && active.before(s, active.get(i)); i--) {
            Sequence victim = active.get(i);
            // What the step to come copies into its pages could not go out before that step, which may wait for them.
            if (victim.inFlight == 0
                    && victim.filledStep <= submitted
                    && victim.state != Sequence.State.SUSPENDED
                    && kv.ready(victim.reservation)) {
                return victim;
            }
        }
        return null;
    }

    boolean anySuspended() {
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).state == Sequence.State.SUSPENDED) {
                return true;
            }
        }
        return false;
    }

    private boolean anyInFlightAfter(Sequence s) {
        for (int i = active.size() - 1; i >= 0 && active.before(s, active.get(i)); i--) {
            if (active.get(i).inFlight > 0) {
                return true;
            }
        }
        return false;
    }

    private void dropRun(Sequence victim) {
        droppedTokens += victim.planned;
        victim.planned = 0;
    }
}
