package rondo.engine;

import rondo.kv.KvStats;

/**
 * What the engine publishes after every step: an immutable snapshot; counters only grow.
 *
 * @param state         see {@link State}
 * @param running       active sequences (admitted, unfinished)
 * @param waiting       sequences in the queue, preempted ones included, and their prompt tokens
 * @param paused        of those that run or wait, the ones that were preempted and have not gone on yet
 * @param promptTokens  prompt tokens of admitted requests, each request counted once
 * @param cachedTokens  of those, the ones that were not computed because the cache had them at the first admission
 * @param preemption    what making room has cost
 * @param timing        what steps were like
 */
public record EngineStats(
        State state,
        long steps,
        int running,
        int waiting,
        int paused,
        long waitingTokens,
        long finished,
        long cancelled,
        long failed,
        long promptTokens,
        long cachedTokens,
        long generatedTokens,
        Preemption preemption,
        Steps timing,
        KvStats kv) {
    /** Life of the engine. */
    public enum State {
        STARTING,
        READY,
        DRAINING,
        FAILED,
        STOPPED
    }

    /**
     * What making room has cost.
     *
     * @param suspensions      times that a sequence's pages were let go to the host
     * @param recomputations   times that a sequence gave up its pages, to be computed again
     * @param recomputedTokens tokens computed a second time after that
     * @param reusedTokens     tokens that it found again in the cache after that; no prefix hits of the request
     * @param drains           plans given up to wait for the step in flight
     * @param stalls           times that nothing moved for a thousand plans
     * @param copyWaitNanos    time in which nothing ran because pages were on their way between tiers
     */
    public record Preemption(
            long suspensions,
            long recomputations,
            long recomputedTokens,
            long reusedTokens,
            long drains,
            long stalls,
            long copyWaitNanos) {
        public static Preemption none() {
            return new Preemption(0, 0, 0, 0, 0, 0, 0);
        }
    }

    /** Seconds of the host's planning, the device's work and the host's sampling per step, and tokens per step. */
    public record Steps(
            Distribution planSeconds,
            Distribution deviceSeconds,
            Distribution sampleSeconds,
            Distribution prefillTokens,
            Distribution decodeTokens) {
        public static Steps none() {
            Distribution none = Distribution.empty(1);
            return new Steps(none, none, none, none, none);
        }
    }

    /** Times that a sequence was preempted, of either kind. */
    public long preemptions() {
        return preemption.suspensions() + preemption.recomputations();
    }
}
