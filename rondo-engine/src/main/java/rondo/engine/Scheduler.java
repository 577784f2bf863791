package rondo.engine;

import rondo.engine.spi.StepPlan;
import rondo.kv.KvCache;
import rondo.kv.KvLayout;
import rondo.kv.KvStats;
import rondo.kv.Tier;

/**
 * Decides what runs in each step: decodes first, then prefill chunks in arrival order, within the budgets; when pages
 * run out, the youngest give way. The step before may be in flight while it plans. Engine thread only.
 */
final class Scheduler {
    private final KvCache kv;

    /** Admitted and unfinished. */
    final SequenceList active;
    /** Not admitted, or paused. */
    final SequenceList waiting;
    /** Those that this plan found impossible; they are no longer waiting. */
    final SequenceList refused;
    /** Those that have all pages there are, and would need more; they end here. */
    final SequenceList exhausted = new SequenceList(false);

    final Slots slots;
    final Preemptor preemptor;

    private final PlanAtHand atHand;
    private final DecodePhase decodes;
    private final PrefillShares shares;
    private final PrefillPhase prefills;
    final AdmissionPhase admissions;
    final BatchWait batchWait;

    /** Nobody waits for others to begin with any more. */
    boolean hurries;

    /** Plans in a row in which nobody could move. */
    private int stuck;

    Scheduler(EngineOptions options, KvCache kv, KvLayout layout, QueueLimits queue) {
        this.kv = kv;
        boolean byPriority = options.queueOrder() == EngineOptions.QueueOrder.PRIORITY;
        active = new SequenceList(byPriority);
        waiting = new SequenceList(byPriority);
        slots = new Slots(options.maxBatchSize(), kv);
        preemptor = new Preemptor(kv, options.preemption(), hasHostTier(kv), slots, active, waiting);
        Promises promises =
                options.capacity() == EngineOptions.Capacity.GUARANTEED_NO_EVICT ? new Promises(kv, layout) : null;
        atHand = new PlanAtHand(options, kv, layout.tokensPerBlock(), promises, preemptor, active);
        refused = atHand.refused;
        decodes = new DecodePhase(atHand, kv, preemptor, active);
        shares = new PrefillShares(options, layout.tokensPerBlock(), atHand, slots, active, waiting);
        prefills = new PrefillPhase(atHand, kv, shares, preemptor, active);
        admissions = new AdmissionPhase(options, kv, layout, queue, atHand, shares, slots, preemptor, active, waiting);
        batchWait = new BatchWait(options, active, waiting);
    }

    private static boolean hasHostTier(KvCache kv) {
        for (KvStats.Pool pool : kv.stats().pools()) {
            if (pool.tier() == Tier.HOST && pool.total() > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Fills the plan and {@code next}, which holds its runs.
     *
     * @param submitted number of the last submitted step; the plan becomes the one after it
     * @param settled   whether nothing is in flight, neither a step nor a copy
     * @return whether anything moved: something runs, gave way, was refused or put off. Nothing runs where
     *     {@link #wantsDrain}
     */
    boolean plan(StepPlan plan, Flight next, long submitted, boolean settled, long now) {
        atHand.begin(submitted, now, stuck > 0);
        exhausted.clear();
        next.clear();
        int waitingBefore = waiting.size();
        decodes.run(plan.pages);
        if (!atHand.drain) {
            shares.split();
            prefills.run(plan.pages);
        }
        boolean held = held(now) > 0;
        if (!atHand.drain && !atHand.paused && !held) {
            // What a pause has freed is for those that are active already.
            admissions.run(plan.pages);
        }
        if (atHand.drain) {
            return true;
        }
        shares.spread(plan.pages);
        unstick(plan, settled);
        kv.demoteAhead(plan.pages);
        PlanWriter.write(atHand.prefills, false, plan, next);
        PlanWriter.write(atHand.decodes, true, plan, next);
        return !next.runs.isEmpty() || atHand.paused || atHand.deferred || held || waiting.size() != waitingBefore;
    }

    /** Nanoseconds for which new ones are held back still, so that more of them begin at once. */
    long held(long now) {
        return hurries ? 0 : batchWait.left(now);
    }

    /** Whether the plan was given up because who could give way has a run in flight; pages that it has grown stay. */
    boolean wantsDrain() {
        return atHand.drain;
    }

    /** The second time in a row, since the first may have left slots that the next step has to retire. */
    private void unstick(StepPlan plan, boolean settled) {
        boolean moves = !atHand.budget.isEmpty()
                || atHand.paused
                || atHand.deferred
                || !refused.isEmpty()
                || plan.pages.tierCopies.count > 0
                || slots.leaving() > 0;
        stuck = settled && !moves && hasWork() ? stuck + 1 : 0;
        if (stuck <= 1) {
            return;
        }
        stuck = 0;
        if (active.isEmpty()) {
            admissions.refuse(waiting.get(0), "the KV cache has no room for this request");
        } else if (atHand.promises == null) {
            atHand.paused = preemptor.unstick();
            if (!atHand.paused) {
                exhausted.add(active.get(0));
            }
        }
    }

    boolean hasWork() {
        return !active.isEmpty() || !waiting.isEmpty();
    }

    /** Takes a sequence out that is done; its slot and pages follow when nothing of it is in flight. */
    void retire(Sequence s, boolean commit) {
        active.remove(s);
        slots.retire(s, commit);
    }

    /** Sequences that were preempted and do not run yet, whichever way. */
    int paused() {
        int count = waitingAgain();
        for (int i = 0; i < active.size(); i++) {
            count += active.get(i).state == Sequence.State.SUSPENDED ? 1 : 0;
        }
        return count;
    }

    /** Sequences that gave up their pages and wait to be computed again. */
    int waitingAgain() {
        int count = 0;
        for (int i = 0; i < waiting.size(); i++) {
            count += waiting.get(i).queued ? 0 : 1;
        }
        return count;
    }
}
