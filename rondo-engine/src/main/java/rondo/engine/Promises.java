package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.KvCache;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;

/**
 * The bookkeeping of {@code GUARANTEED_NO_EVICT}: whoever is admitted finds pages to its end, so nobody ever has to give
 * way.
 *
 * <p>With full attention a sequence only gains pages until it ends: what all of them may still need must be available.
 * With a window it gives pages back as it takes new ones, but a page that it shares comes back to nobody; so there the
 * widest that each can be must fit side by side, shared or not, and a long chunk may only use what is left beside that.
 */
final class Promises {
    /** Plans after which it is tried again all the same: what others have committed meanwhile it need not compute. */
    private static final int PATIENCE = 16;

    private final KvCache kv;
    private final KvLayout layout;
    private final int lifeCycles;
    private final PoolSizes pools;
    /** What all active ones may still take (full attention), or can be side by side (windows). */
    private final long[] promised;
    /** The last one that could not begin, and what was left then; it is not tried again before there is more. */
    private @Nullable Sequence failed;

    private final long[] leftAtFailure;
    private int plansSinceFailure;

    Promises(KvCache kv, KvLayout layout) {
        this.kv = kv;
        this.layout = layout;
        lifeCycles = layout.lifeCycles().size();
        pools = new PoolSizes(kv, layout);
        promised = new long[lifeCycles];
        leftAtFailure = new long[lifeCycles];
    }

    private int held(int lc, Sequence s) {
        LifeCycle cycle = layout.lifeCycles().get(lc);
        int stale = cycle.staleEnd(s.history, layout.tokensPerBlock());
        return layout.blocks(s.capacity) - Math.max(0, stale - cycle.sinkBlocks());
    }

    private long promise(int lc, Sequence s) {
        int widest = pools.widest(lc, s.mostTokens());
        if (layout.lifeCycles().get(lc).isFull()) {
            return Math.max(0, widest - layout.blocks(s.capacity));
        }
        return Math.max(widest, held(lc, s));
    }

    /** Before a plan: what is promised to those that are active. */
    void begin(SequenceList active) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            promised[lc] = 0;
            for (int i = 0; i < active.size(); i++) {
                promised[lc] += promise(lc, active.get(i));
            }
        }
    }

    private long limit(int lc) {
        return layout.lifeCycles().get(lc).isFull() ? kv.available(lc) : pools.total(lc);
    }

    /** Whether there is a reason to try again: looking a long prompt up in every plan would be costly. */
    boolean isWorthTrying(Sequence s) {
        if (s != failed || ++plansSinceFailure >= PATIENCE) {
            return true;
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (limit(lc) - promised[lc] > leftAtFailure[lc]) {
                return true;
            }
        }
        return false;
    }

    /** It could not begin, and has given back what it held. */
    void failed(Sequence s) {
        failed = s;
        plansSinceFailure = 0;
        for (int lc = 0; lc < lifeCycles; lc++) {
            leftAtFailure[lc] = limit(lc) - promised[lc];
        }
    }

    /** Whether a sequence that holds what it has matched may begin; if so, it has its promise from now on. */
    boolean make(Sequence s) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (promised[lc] + promise(lc, s) > limit(lc)) {
                return false;
            }
        }
        add(s, 1);
        return true;
    }

    private void add(Sequence s, int sign) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            promised[lc] += sign * promise(lc, s);
        }
    }

    /** The part of a chunk from {@code from} on that leaves all others their promise. */
    int most(Sequence s, int from, int chunk) {
        int most = chunk;
        for (int lc = 0; lc < lifeCycles; lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            if (!cycle.isFull()) {
                long free = pools.total(lc) - promised[lc] + promise(lc, s) - held(lc, s);
                long end = (layout.blocks(s.capacity) + free) * layout.tokensPerBlock();
                most = (int) Math.min(most, end - from);
            }
        }
        return Math.max(0, most);
    }

    /** It has grown to {@code capacity} tokens. */
    void grown(Sequence s, int capacity) {
        add(s, -1);
        s.capacity = Math.max(s.capacity, capacity);
        add(s, 1);
    }
}
