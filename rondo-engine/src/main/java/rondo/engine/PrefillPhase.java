package rondo.engine;

import rondo.kv.KvCache;
import rondo.kv.PageWork;

/** Phase 2 of a plan: the next chunk of everybody who is admitted and not done with its prompt; suspended ones resume. */
final class PrefillPhase {
    private final PlanAtHand plan;
    private final KvCache kv;
    private final PrefillShares shares;
    private final Preemptor preemptor;
    private final SequenceList active;
    private final SequenceList order = new SequenceList(false);

    PrefillPhase(PlanAtHand plan, KvCache kv, PrefillShares shares, Preemptor preemptor, SequenceList active) {
        this.plan = plan;
        this.kv = kv;
        this.shares = shares;
        this.preemptor = preemptor;
        this.active = active;
    }

    void run(PageWork pages) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence.State state = active.get(i).state;
            if (state == Sequence.State.PREFILL || state == Sequence.State.SUSPENDED) {
                order.add(active.get(i));
            }
        }
        for (int i = 0; i < order.size() && plan.budget.hasRoom() && !plan.drain; i++) {
            Sequence s = order.get(i);
            if (s.state == Sequence.State.SUSPENDED && !resume(s, pages)) {
                continue;
            }
            // It may have given way to an older one a moment ago.
            if (s.state == Sequence.State.WAITING || !kv.ready(s.reservation)) {
                continue;
            }
            if (s.state == Sequence.State.DECODE) {
                growResumed(s, pages);
            } else if (!growPrefill(s, pages)) {
                return;
            }
        }
    }

    /** Oldest first: who comes after one that cannot resume does not either, and what a pause has freed is not theirs. */
    private boolean resume(Sequence s, PageWork pages) {
        if (plan.paused || plan.isAfterBlocked(s) || !kv.resume(s.reservation, pages)) {
            plan.block(s);
            return false;
        }
        s.state = s.suspendedFrom;
        s.workStep = plan.nextStep;
        s.filledStep = plan.nextStep;
        return true;
    }

    private void growResumed(Sequence s, PageWork pages) {
        if (plan.grow(s, 1, 1, pages) > 0) {
            plan.addDecode(s);
        } else {
            plan.block(s);
        }
    }

    /** Returns whether the phase goes on. */
    private boolean growPrefill(Sequence s, PageWork pages) {
        boolean cut = !plan.budget.everFits(s.remaining());
        int chunk = shares.chunk(s, s.submitted, s.remaining(), cut);
        if (chunk == 0) {
            // Where prompts are not cut a younger one must not take the place that this one waits for.
            plan.block(s);
            return true;
        }
        int least = plan.budget.least(s.submitted, chunk, cut);
        if (growBy(s, chunk, least, pages) || plan.promises != null) {
            return true;
        }
        plan.block(s);
        Preemptor.Room room = preemptor.makeRoomForPrefill(s);
        plan.note(room);
        if (room == Preemptor.Room.FREED) {
            growBy(s, chunk, least, pages);
        }
        // A later prefill must not take what is left of the freed pages.
        return room == Preemptor.Room.NONE;
    }

    private boolean growBy(Sequence s, int chunk, int least, PageWork pages) {
        int granted = plan.grow(s, chunk, least, pages);
        if (granted > 0) {
            plan.addPrefill(s, granted);
        }
        return granted > 0;
    }
}
