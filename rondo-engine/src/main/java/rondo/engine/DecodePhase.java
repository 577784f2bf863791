package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.KvCache;
import rondo.kv.PageWork;

/** Phase 1 of a plan: one token for everybody who decodes, at the cost of younger ones where pages run out. */
final class DecodePhase {
    private final PlanAtHand plan;
    private final KvCache kv;
    private final Preemptor preemptor;
    private final SequenceList active;
    private final SequenceList order = new SequenceList(false);

    /** The last decode that a full step has served: the next step begins behind it; null if the last step had room. */
    private @Nullable Sequence lastServed;

    DecodePhase(PlanAtHand plan, KvCache kv, Preemptor preemptor, SequenceList active) {
        this.plan = plan;
        this.kv = kv;
        this.preemptor = preemptor;
        this.active = active;
    }

    void run(PageWork pages) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            // Whoever is known to end with the step in flight runs no more.
            if (s.state == Sequence.State.DECODE && !s.endsInFlight()) {
                order.add(s);
            }
        }
        int first = afterLastServed();
        Sequence last = lastServed;
        lastServed = null;
        for (int n = 0; n < order.size(); n++) {
            Sequence s = order.get((first + n) % order.size());
            if (!plan.budget.hasRoom()) {
                lastServed = last;
                return;
            }
            // It may have given way to an older one a moment ago.
            if (s.state != Sequence.State.DECODE || !kv.ready(s.reservation)) {
                continue;
            }
            if (grow(s, pages)) {
                plan.addDecode(s);
                last = s;
            } else if (plan.promises == null) {
                plan.block(s);
                return;
            }
        }
    }

    /** Where the phase begins: behind the one with which the last step was full, so that nobody always comes too late. */
    private int afterLastServed() {
        if (lastServed != null) {
            for (int i = 0; i < order.size(); i++) {
                if (active.before(lastServed, order.get(i))) {
                    return i;
                }
            }
        }
        return 0;
    }

    private boolean grow(Sequence s, PageWork pages) {
        while (plan.grow(s, 1, 1, pages) == 0) {
            if (plan.promises != null) {
                // A page that it is promised is still on its way back.
                return false;
            }
            Preemptor.Room room = preemptor.makeRoom(s, pages);
            plan.note(room);
            if (room == Preemptor.Room.NONE) {
                stepAside(s, pages);
            }
            if (room != Preemptor.Room.FREED) {
                return false;
            }
        }
        return true;
    }

    /** All that come after it have given way and there is no room yet: it makes some for those before it. */
    private void stepAside(Sequence s, PageWork pages) {
        if (!preemptor.maySuspendSelf(s)) {
            return;
        }
        if (s.inFlight > 0) {
            plan.drain = true;
        } else {
            preemptor.suspend(s, pages);
        }
    }
}
