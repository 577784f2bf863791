package rondo.cli;

import rondo.agentx.metrics.RunSummary;
import rondo.engine.EngineStats;
import rondo.kv.KvStats;

/**
 * What a simulation came to.
 *
 * @param summary        latencies and rates in virtual time
 * @param kv             the memory at the end; its counters are of the whole run
 * @param computedTokens tokens of all runs
 * @param busyNanos      virtual time in which steps ran
 * @param virtualNanos   virtual time from the first request to the end
 * @param wallNanos      real time
 */
record SimulationResult(
        RunSummary summary,
        EngineStats engine,
        KvStats kv,
        long computedTokens,
        long busyNanos,
        long virtualNanos,
        long wallNanos) {
    /** Prompt tokens found in the cache at admission, percent. */
    double hitPercent() {
        return engine.promptTokens() == 0 ? 0 : 100.0 * engine.cachedTokens() / engine.promptTokens();
    }

    /** Tokens that were computed a second time because their sequence was preempted. */
    long recomputedTokens() {
        long once = engine.promptTokens() - engine.cachedTokens() + engine.generatedTokens() - engine.finished();
        return Math.max(0, computedTokens - once);
    }
}
