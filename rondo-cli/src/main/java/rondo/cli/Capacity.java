package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PoolSizing;

/**
 * How many sessions of which length a {@link MemoryPlan} holds.
 *
 * @param sessions one row per length, ascending; the last is the longest
 */
record Capacity(MemoryPlan plan, List<Sessions> sessions) {
    /** Lengths that are told, in tokens, as far as they are served; the longest is added. */
    static final List<Integer> LENGTHS = List.of(4096, 32_768, 100_000, 200_000);

    /** Slots that no session counts on: scratch, one block as a chunk, and the source of a partial copy. */
    private static final int EXTRA_SLOTS = 3;

    /**
     * Sessions of one length.
     *
     * @param tokens      of each session
     * @param running     that have all pages which a step needs on the device at once
     * @param kept        that can go on without recomputing, all on the device
     * @param keptInAll   the same with the host tier: those beyond {@code kept} are paused there
     * @param limitedBy   pool that bounds {@code running}
     * @param keptBy      pool that bounds {@code keptInAll}
     * @param deviceBytes that one running session takes
     */
    record Sessions(int tokens, int running, int kept, int keptInAll, int limitedBy, int keptBy, long deviceBytes) {}

    /** A count and the pool that bounds it. */
    private record Bounded(int count, int pool) {}

    static Capacity of(MemoryPlan plan, int endpointRewind) {
        List<Integer> lengths = new ArrayList<>();
        LENGTHS.stream().filter(l -> l < plan.maxSeqLen()).forEach(lengths::add);
        lengths.add(plan.maxSeqLen());
        List<Sessions> rows = new ArrayList<>();
        for (int tokens : lengths) {
            rows.add(sessions(plan.pools(), tokens, endpointRewind));
        }
        return new Capacity(plan, List.copyOf(rows));
    }

    private static Sessions sessions(KvPools pools, int tokens, int rewind) {
        KvLayout layout = pools.layout();
        List<Integer> running = runningPages(layout, tokens);
        List<Integer> kept = keptPages(layout, tokens, rewind);
        Bounded runs = fitting(pools, running, false);
        Bounded inAll = fitting(pools, kept, true);
        long bytes = 0;
        for (int lc = 0; lc < running.size(); lc++) {
            bytes += running.get(lc) * layout.pageBytes().get(lc);
        }
        return new Sessions(
                tokens,
                runs.count(),
                fitting(pools, kept, false).count(),
                inAll.count(),
                runs.pool(),
                inAll.pool(),
                bytes);
    }

    /** Pages per pool that a session of so many tokens needs while it runs. */
    static List<Integer> runningPages(KvLayout layout, int tokens) {
        return PoolSizing.minSlots(layout, tokens).stream()
                .map(slots -> slots - EXTRA_SLOTS)
                .toList();
    }

    /** Pages per pool with which it can go on: of a window, what an end point within the rewind needs. */
    static List<Integer> keptPages(KvLayout layout, int tokens, int rewind) {
        List<Integer> out = new ArrayList<>();
        int blocks = layout.blocks(tokens);
        for (LifeCycle cycle : layout.lifeCycles()) {
            long window = ((long) cycle.window() + rewind + layout.tokensPerBlock() - 1) / layout.tokensPerBlock() + 1;
            out.add((int) (cycle.isFull() ? blocks : Math.min(blocks, cycle.sinkBlocks() + window)));
        }
        return List.copyOf(out);
    }

    private static Bounded fitting(KvPools pools, List<Integer> pages, boolean withHost) {
        int least = Integer.MAX_VALUE;
        int pool = 0;
        for (int lc = 0; lc < pages.size(); lc++) {
            long slots = pools.deviceSlots().get(lc)
                    - EXTRA_SLOTS
                    + (withHost ? pools.hostSlots().get(lc) : 0L);
            int count = (int) Math.min(Integer.MAX_VALUE, slots / pages.get(lc));
            if (count < least) {
                least = count;
                pool = lc;
            }
        }
        return new Bounded(least, pool);
    }

    /** The greatest length, a multiple of the block, of which {@code count} sessions run at once; 0 = not even one block. */
    int lengthFor(int count) {
        KvPools pools = plan.pools();
        int block = pools.layout().tokensPerBlock();
        int low = 0;
        int high = plan.maxSeqLen() / block;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            boolean fit = fitting(pools, runningPages(pools.layout(), middle * block), false)
                            .count()
                    >= count;
            low = fit ? middle : low;
            high = fit ? high : middle - 1;
        }
        return low * block;
    }

    /** The byte shares with which no pool is full before another, were all sessions so long. */
    static List<Double> evenRatio(KvLayout layout, int tokens, int rewind) {
        List<Integer> pages = keptPages(layout, tokens, rewind);
        double sum = 0;
        for (int lc = 0; lc < pages.size(); lc++) {
            sum += (double) pages.get(lc) * layout.pageBytes().get(lc);
        }
        List<Double> out = new ArrayList<>();
        double rest = 1;
        for (int lc = 0; lc < pages.size() - 1; lc++) {
            // Three digits, as a person would write them; the last takes what is left, so that they sum to 1.
            double share = Math.max(
                            1,
                            Math.round(1000 * pages.get(lc) * layout.pageBytes().get(lc) / sum))
                    / 1000.0;
            out.add(share);
            rest -= share;
        }
        out.add(Math.round(1000 * rest) / 1000.0);
        return List.copyOf(out);
    }
}
