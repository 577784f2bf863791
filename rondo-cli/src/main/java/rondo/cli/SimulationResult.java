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
 * @param copyWaitNanos  virtual time that steps waited for copies between the tiers
 * @param virtualNanos   virtual time from the first request to the end
 * @param wallNanos      real time
 */
record SimulationResult(
        RunSummary summary,
        EngineStats engine,
        KvStats kv,
        long computedTokens,
        long busyNanos,
        long copyWaitNanos,
        long virtualNanos,
        long wallNanos) {
    /** Prompt tokens found in the cache at admission, percent. */
    double hitPercent() {
        return engine.promptTokens() == 0 ? 0 : 100.0 * engine.cachedTokens() / engine.promptTokens();
    }
}
