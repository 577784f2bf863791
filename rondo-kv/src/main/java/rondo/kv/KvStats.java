package rondo.kv;

import java.util.List;

/**
 * A snapshot of the cache's pools and counters; counters only grow.
 *
 * @param pools one row per life cycle and tier, device rows first
 */
public record KvStats(List<Pool> pools, Counters counters) {
    /** Slots of one pool, the scratch slot not counted: {@code total = free + evictable + held}. */
    public record Pool(int lifeCycle, Tier tier, int total, int free, int evictable, int held) {}

    /** Blocks are counted once per life cycle. */
    public record Counters(
            long allocated,
            long reusedFull,
            long reusedPartial,
            long missed,
            long dropped,
            long offloaded,
            long onboarded,
            long copied,
            long matchedTokens,
            long promptTokens) {}

    /** Unavailable share of the fullest device pool, 0 to 1. */
    public double utilisation() {
        double max = 0;
        for (Pool p : pools) {
            if (p.tier() == Tier.DEVICE && p.total() > 0) {
                max = Math.max(max, (double) p.held() / p.total());
            }
        }
        return max;
    }

    /** Reused share of all blocks that admitted sequences needed, 0 to 1. */
    public double blockHitRate() {
        long reused = counters.reusedFull() + counters.reusedPartial();
        long all = reused + counters.missed();
        return all == 0 ? 0 : (double) reused / all;
    }
}
