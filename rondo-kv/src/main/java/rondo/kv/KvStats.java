package rondo.kv;

import java.util.List;
import java.util.function.ToLongFunction;

/**
 * A snapshot of the cache's pools and counters; counters only grow.
 *
 * @param pools         one row per life cycle and tier, device rows first
 * @param lifeCycles    what happened to the pages of each life cycle
 * @param matchedTokens prompt tokens of all admissions that were found in the cache
 * @param promptTokens  prompt tokens of all admissions
 * @param keyCollisions how often a 256-bit key stood for other tokens than those looked up; anything but 0 is a miracle
 *     or a bug
 */
public record KvStats(
        List<Pool> pools, List<Counters> lifeCycles, long matchedTokens, long promptTokens, long keyCollisions) {
    public KvStats {
        pools = List.copyOf(pools);
        lifeCycles = List.copyOf(lifeCycles);
    }

    /**
     * Slots of one pool, the scratch slot not counted: {@code total = free + evictable + held}. Pages on their way count
     * with both their slots.
     */
    public record Pool(int lifeCycle, Tier tier, int total, int free, int evictable, int held) {}

    /**
     * Pages of one life cycle.
     *
     * @param pageBytes          bytes of one page, 0 in a sum over life cycles
     * @param allocated          given to sequences
     * @param reusedFull         whole blocks matched
     * @param reusedPartial      parts of blocks matched
     * @param missed             allocated for blocks of prompts
     * @param dropped            gone for want of room
     * @param droppedFromHost    those of them that were on the host
     * @param offloadedAhead     copied to the host before anybody needed the slot
     * @param offloadedOnDemand  copied to the host because somebody did
     * @param takenBack          hit while on their way to the host, and kept on the device
     * @param onboarded          copied back from the host
     * @param copied             copied within the device (partial reuse)
     * @param copiedFromHost     copied for partial reuse of a page that stayed on the host
     */
    public record Counters(
            long pageBytes,
            long allocated,
            long reusedFull,
            long reusedPartial,
            long missed,
            long dropped,
            long droppedFromHost,
            long offloadedAhead,
            long offloadedOnDemand,
            long takenBack,
            long onboarded,
            long copied,
            long copiedFromHost) {
        /** Copied to the host. */
        public long offloaded() {
            return offloadedAhead + offloadedOnDemand;
        }

        private Counters plus(Counters o) {
            return new Counters(
                    0,
                    allocated + o.allocated,
                    reusedFull + o.reusedFull,
                    reusedPartial + o.reusedPartial,
                    missed + o.missed,
                    dropped + o.dropped,
                    droppedFromHost + o.droppedFromHost,
                    offloadedAhead + o.offloadedAhead,
                    offloadedOnDemand + o.offloadedOnDemand,
                    takenBack + o.takenBack,
                    onboarded + o.onboarded,
                    copied + o.copied,
                    copiedFromHost + o.copiedFromHost);
        }
    }

    /** The sums over all life cycles. */
    public Counters counters() {
        Counters sum = new Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        for (Counters c : lifeCycles) {
            sum = sum.plus(c);
        }
        return sum;
    }

    /** Bytes that a counter of pages stands for, over all life cycles; as in {@code bytes(Counters::offloaded)}. */
    public long bytes(ToLongFunction<Counters> of) {
        long sum = 0;
        for (Counters c : lifeCycles) {
            sum += of.applyAsLong(c) * c.pageBytes();
        }
        return sum;
    }

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
        Counters c = counters();
        long reused = c.reusedFull() + c.reusedPartial();
        long all = reused + c.missed();
        return all == 0 ? 0 : (double) reused / all;
    }
}
