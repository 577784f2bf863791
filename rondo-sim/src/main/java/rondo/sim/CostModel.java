package rondo.sim;

import rondo.engine.spi.StepPlan;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;
import rondo.kv.PageCopies;
import rondo.kv.Tier;

/**
 * What a step and a copy between tiers take. A first model: it knows no difference between a busy and a starved device,
 * so it is for comparing schedules and memory sizes with one another, not for promising latencies.
 *
 * @param stepNanos         what every step takes, whatever is in it: reading the weights once
 * @param tokenNanos        each token of a step: its matrix products
 * @param readBytesPerSecond how fast attention reads K and V
 * @param copyBytesPerSecond how fast pages move between the tiers, each way
 */
public record CostModel(long stepNanos, long tokenNanos, double readBytesPerSecond, double copyBytesPerSecond) {
    /** Muse Glimmer 30B in bf16: 55.7 GB of weights at {@link #H200_BYTES_PER_SECOND}. */
    private static final long MUSE_30B_STEP_NANOS = 13_000_000;
    /** The same model: 55.7 GFLOP a token at 844 TFLOP/s. */
    private static final long MUSE_30B_TOKEN_NANOS = 66_000;
    /** Measured on an H200, large copies, bytes read plus written. */
    private static final double H200_BYTES_PER_SECOND = 4.3e12;
    /** PCIe 5.0 x16 with pinned memory; 55 GB/s were measured each way, less what small copies lose. */
    private static final double PCIE_5_BYTES_PER_SECOND = 50e9;

    private static final double NANOS = 1e9;

    public CostModel {
        if (stepNanos < 0 || tokenNanos < 0 || !(readBytesPerSecond > 0) || !(copyBytesPerSecond > 0)) {
            throw new IllegalArgumentException("times must be >= 0 and speeds > 0");
        }
    }

    /** Muse Glimmer 30B, bf16, on one H200. */
    public static CostModel museGlimmer30bOnH200() {
        return new CostModel(MUSE_30B_STEP_NANOS, MUSE_30B_TOKEN_NANOS, H200_BYTES_PER_SECOND, PCIE_5_BYTES_PER_SECOND);
    }

    /** Nanoseconds of a step; one without runs, which only carries page work, takes none. */
    public long stepNanos(StepPlan plan, KvLayout layout) {
        if (plan.runs == 0) {
            return 0;
        }
        double bytes = 0;
        for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
            bytes += (double) tokensRead(plan, layout.lifeCycles().get(lc))
                    * layout.pageBytes().get(lc)
                    / layout.tokensPerBlock();
        }
        return stepNanos + plan.tokens * tokenNanos + Math.round(bytes / readBytesPerSecond * NANOS);
    }

    /** Tokens whose K and V the runs of a step read: all of them, or those that the first token's window begins with. */
    private static long tokensRead(StepPlan plan, LifeCycle cycle) {
        long tokens = 0;
        for (int run = 0; run < plan.runs; run++) {
            int before = cycle.isFull() ? plan.context[run] : Math.min(plan.context[run], cycle.window() - 1);
            tokens += before + plan.length[run];
        }
        return tokens;
    }

    /** Nanoseconds of the copies that go to one tier. */
    long copyNanos(PageCopies copies, Tier to, KvLayout layout) {
        long bytes = 0;
        for (int i = 0; i < copies.count; i++) {
            bytes += copies.toTier[i] == to ? layout.pageBytes().get(copies.lifeCycle[i]) : 0;
        }
        return Math.round(bytes / copyBytesPerSecond * NANOS);
    }
}
