package rondo.engine;

import rondo.kv.KvStats;

/**
 * What the engine publishes after every step: an immutable snapshot; counters only grow.
 *
 * @param state   see {@link State}
 * @param running active sequences (admitted, unfinished)
 * @param waiting sequences in the queue, and their prompt tokens
 */
public record EngineStats(
        State state,
        long steps,
        int running,
        int waiting,
        long waitingTokens,
        long finished,
        long cancelled,
        long failed,
        long promptTokens,
        long cachedTokens,
        long generatedTokens,
        Preemption preemption,
        KvStats kv) {
    /**
     * What making room has cost.
     *
     * @param suspensions      sequences suspended to the host
     * @param recomputations   sequences paused to be computed again
     * @param recomputedTokens tokens computed a second time
     * @param drains           plans given up because whoever could give way had a run in flight
     */
    public record Preemption(long suspensions, long recomputations, long recomputedTokens, long drains) {}

    /** Times that a sequence was suspended or paused. */
    public long preemptions() {
        return preemption.suspensions() + preemption.recomputations();
    }

    /** Life of the engine. */
    public enum State {
        STARTING,
        READY,
        DRAINING,
        FAILED,
        STOPPED
    }
}
