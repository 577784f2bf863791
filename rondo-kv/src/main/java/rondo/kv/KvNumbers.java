package rondo.kv;

import java.util.ArrayList;
import java.util.List;

/**
 * What {@link KvStats} says, in one reused array, so that it can be read after every step without allocation: per pool
 * (device pools by life cycle, then host pools) its total, free and evictable slots, then per life cycle the counters in
 * the order of {@link KvStats.Counters}, then the three numbers of the whole cache.
 */
public final class KvNumbers {
    private static final int PER_POOL = 3;
    private static final int PER_LIFE_CYCLE = 13;
    private static final int OF_ALL = 3;

    private final int lifeCycles;
    private final long[] values;
    private int filled;

    public KvNumbers(int lifeCycles) {
        this.lifeCycles = lifeCycles;
        values = new long[width(lifeCycles)];
    }

    /** Longs that the numbers of so many life cycles take. */
    public static int width(int lifeCycles) {
        return lifeCycles * (2 * PER_POOL + PER_LIFE_CYCLE) + OF_ALL;
    }

    /** Starts over; then come the pools in order, then the rest. */
    KvNumbers begin() {
        filled = 0;
        return this;
    }

    KvNumbers pool(int total, int free, int evictable) {
        return add(total).add(free).add(evictable);
    }

    KvNumbers add(long value) {
        values[filled++] = value;
        return this;
    }

    /** As {@link KvStats#keyCollisions}. */
    public long keyCollisions() {
        return values[values.length - 1];
    }

    /** Copies all of it to {@code to[at ...]}. */
    public void copyTo(long[] to, int at) {
        System.arraycopy(values, 0, to, at, values.length);
    }

    public KvStats stats() {
        return stats(values, 0, lifeCycles);
    }

    /** The statistics that {@link #copyTo} has written to {@code from[at ...]}. */
    public static KvStats stats(long[] from, int at, int lifeCycles) {
        List<KvStats.Pool> pools = new ArrayList<>();
        int i = at;
        for (Tier tier : List.of(Tier.DEVICE, Tier.HOST)) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int total = (int) from[i++];
                int free = (int) from[i++];
                int evictable = (int) from[i++];
                pools.add(new KvStats.Pool(lc, tier, total, free, evictable, total - free - evictable));
            }
        }
        List<KvStats.Counters> counters = new ArrayList<>();
        for (int lc = 0; lc < lifeCycles; lc++) {
            counters.add(new KvStats.Counters(
                    from[i++], from[i++], from[i++], from[i++], from[i++], from[i++], from[i++], from[i++], from[i++],
                    from[i++], from[i++], from[i++], from[i++]));
        }
        return new KvStats(pools, counters, from[i++], from[i++], from[i]);
    }
}
