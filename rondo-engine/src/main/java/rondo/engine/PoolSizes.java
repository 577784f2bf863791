package rondo.engine;

import rondo.kv.KvCache;
import rondo.kv.KvLayout;
import rondo.kv.KvStats;
import rondo.kv.LifeCycle;
import rondo.kv.Tier;

/** How many pages the device has in each life cycle, and how many of them a sequence needs. Immutable. */
final class PoolSizes {
    private final KvLayout layout;
    private final int[] total;

    PoolSizes(KvCache kv, KvLayout layout) {
        this.layout = layout;
        total = new int[layout.lifeCycles().size()];
        for (KvStats.Pool pool : kv.stats().pools()) {
            if (pool.tier() == Tier.DEVICE) {
                total[pool.lifeCycle()] = pool.total();
            }
        }
    }

    int total(int lc) {
        return total[lc];
    }

    /** Most pages that a sequence of so many tokens needs at a time if it grows by no more than a block. */
    int widest(int lc, int tokens) {
        LifeCycle cycle = layout.lifeCycles().get(lc);
        int all = layout.blocks(tokens);
        return cycle.isFull() ? all : Math.min(all, cycle.sinkBlocks() + layout.blocks(cycle.window() - 1) + 2);
    }

    /** Whether a sequence of so many tokens fits if it has the pools to itself. */
    boolean everFits(int tokens) {
        for (int lc = 0; lc < total.length; lc++) {
            if (widest(lc, tokens) > total[lc]) {
                return false;
            }
        }
        return true;
    }
}
