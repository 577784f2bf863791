package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.KvCache;
import rondo.kv.PageWork;

/**
 * The plan that is being made, as far as the phases of the {@link Scheduler} share it: who runs, what is left of the
 * budgets, and what stands in the way of those who come later. Reused from step to step.
 */
final class PlanAtHand {
    private final KvCache kv;
    private final Preemptor preemptor;
    private final SequenceList active;
    private final boolean prefixAware;
    private final FirstBlocks firstBlocks;

    /** Where everybody is promised pages to the end. */
    final @Nullable Promises promises;

    final StepBudget budget;
    final SequenceList prefills = new SequenceList(false);
    final SequenceList decodes = new SequenceList(false);
    /** Those that this plan found impossible; they are no longer waiting. */
    final SequenceList refused = new SequenceList(false);

    /** The step that the plan becomes. */
    long nextStep;

    long now;
    /** Whether the plan before moved nobody, and nothing was in flight. */
    boolean stuck;
    /** Whether somebody gave way: what that has freed is for those that are active already. */
    boolean paused;
    /** Whether somebody was put off until another one has computed what both share. */
    boolean deferred;
    /** Whether the plan is given up: who could give way has a run in flight. */
    boolean drain;
    /** The oldest active sequence that could not go on: nobody after it is admitted. */
    private @Nullable Sequence blocked;

    PlanAtHand(
            EngineOptions options,
            KvCache kv,
            int tokensPerBlock,
            @Nullable Promises promises,
            Preemptor preemptor,
            SequenceList active) {
        this.kv = kv;
        this.promises = promises;
        this.preemptor = preemptor;
        this.active = active;
        prefixAware = options.prefixAware();
        budget = new StepBudget(options.maxNumTokens(), tokensPerBlock, options.chunkedPrefill());
        firstBlocks = new FirstBlocks(2 * options.maxBatchSize() + 1);
    }

    /** @param submitted number of the last submitted step */
    void begin(long submitted, long nanos, boolean stuckBefore) {
        nextStep = submitted + 1;
        now = nanos;
        stuck = stuckBefore;
        budget.clear();
        preemptor.begin(submitted, nanos);
        paused = false;
        deferred = false;
        drain = false;
        blocked = null;
        prefills.clear();
        decodes.clear();
        refused.clear();
        firstBlocks.clear();
        if (promises != null) {
            promises.begin(active);
        }
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            s.planned = 0;
            if (prefixAware && s.inFlight > 0) {
                firstBlocks.add(s.keys, s.history);
            }
        }
    }

    // ---- who runs

    void addDecode(Sequence s) {
        s.workStep = nextStep;
        s.planned = 1;
        budget.use(1);
        decodes.add(s);
    }

    void addPrefill(Sequence s, int length) {
        s.workStep = nextStep;
        s.planned = length;
        budget.use(length);
        prefills.add(s);
        if (prefixAware && s.inFlight == 0) {
            firstBlocks.add(s.keys, s.history);
        }
    }

    /** Whether another one is about to compute the block that follows {@code history} tokens, and hits are waited for. */
    boolean computesBlockAfter(Sequence s, int history) {
        return prefixAware && firstBlocks.contains(s.keys, history);
    }

    // ---- pages

    /** Room for so many tokens from {@code s.submitted} on, as far as what others are promised allows. */
    int grow(Sequence s, int wanted, int least, PageWork pages) {
        int most = promises == null ? wanted : promises.most(s, s.submitted, wanted);
        if (most < least) {
            return 0;
        }
        int granted = kv.grow(s.reservation, most, least, pages);
        if (promises != null && granted > 0) {
            promises.grown(s, s.submitted + granted);
        }
        return granted;
    }

    /** What an attempt to make room means for the plan. */
    void note(Preemptor.Room room) {
        switch (room) {
            case FREED -> gaveWay();
            case DRAIN -> drain = true;
            case NONE -> {}
        }
    }

    private void gaveWay() {
        paused = true;
        budget.giveBack(preemptor.takeDroppedTokens());
    }

    // ---- who stands in the way

    void block(Sequence s) {
        if (isBeforeBlocked(s)) {
            blocked = s;
        }
    }

    boolean isAfterBlocked(Sequence s) {
        return blocked != null && active.before(blocked, s);
    }

    boolean isBeforeBlocked(Sequence s) {
        return blocked == null || active.before(s, blocked);
    }
}
