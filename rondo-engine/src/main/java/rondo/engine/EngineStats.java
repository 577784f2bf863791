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
        long preemptions,
        KvStats kv) {
    /** Life of the engine. */
    public enum State {
        STARTING,
        READY,
        DRAINING,
        FAILED,
        STOPPED
    }
}
