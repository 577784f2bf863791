package rondo.engine;

import java.util.ArrayList;
import java.util.List;
import rondo.kv.KvStats;

/**
 * Balanced books: once nobody asks for anything, nothing runs, nothing waits, no page is held, and in every pool what is
 * free and what is cached make up the whole.
 */
public final class Books {
    private Books() {}

    /** What is out of balance, one line each; empty where all is well. */
    public static List<String> faults(EngineStats stats) {
        List<String> faults = new ArrayList<>(faults(stats.kv()));
        if (stats.running() != 0) {
            faults.add("running " + stats.running());
        }
        if (stats.waiting() != 0 || stats.waitingTokens() != 0) {
            faults.add("waiting " + stats.waiting() + " with " + stats.waitingTokens() + " tokens");
        }
        return faults;
    }

    /** The same of a cache alone. */
    public static List<String> faults(KvStats stats) {
        List<String> faults = new ArrayList<>();
        for (KvStats.Pool pool : stats.pools()) {
            if (pool.held() != 0 || pool.free() + pool.evictable() != pool.total()) {
                faults.add("unbalanced " + pool);
            }
        }
        return faults;
    }

    /** Fails unless everything has been given back. */
    public static void balance(EngineStats stats) {
        List<String> faults = faults(stats);
        if (!faults.isEmpty()) {
            throw new AssertionError("the books do not balance: " + faults);
        }
    }
}
