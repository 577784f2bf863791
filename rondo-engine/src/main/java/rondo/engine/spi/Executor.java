package rondo.engine.spi;

import rondo.kv.KvPools;
import rondo.kv.PageCopies;

/**
 * Computes steps. Called from the engine thread only; steps are computed in the order of their submission, and every
 * step sees what all earlier ones have written.
 */
public interface Executor extends AutoCloseable {
    ModelFacts model();

    /** What is left for the KV cache after weights and the worst step of these limits. */
    MemoryBudget budget(StepLimits limits);

    /** Allocates everything; nothing is allocated afterwards. */
    void open(KvPools pools, StepLimits limits);

    /** The next plan to fill, cleared: one of two that take turns. */
    StepPlan plan();

    /**
     * Takes a plan: table edits, device copies, forward; with {@code plan.pages.waitsForCopies} they begin only when all
     * copies between tiers have landed that were handed over before. Returns the step's number (1, 2, …) at once.
     */
    long submit(StepPlan plan);

    /** Says that {@link StepPlan#samples} of a submitted plan is final. Once per step, before its {@link #await}. */
    void sample(StepPlan plan);

    /**
     * Waits for a step's samples; steps are awaited in order, and at most two are submitted and not awaited. A step
     * without runs is done only when all copies have landed that were handed over before it was submitted: so the engine
     * waits for copies when nothing else can run. A back end without a device of its own computes here, on the calling
     * thread.
     */
    StepResult await(long step) throws StepFailure;

    /**
     * Starts copies between tiers once {@code afterStep} has been computed (at most the step to be submitted next);
     * returns the batch's number (1, 2, …). The list may be reused at once.
     */
    long copy(PageCopies copies, long afterStep);

    /** The highest batch of copies up to which all have landed. */
    long pollCopies();

    @Override
    void close();
}
