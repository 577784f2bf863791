package rondo.sim;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.KvPools;
import rondo.kv.PageCopies;
import rondo.kv.Tier;

/**
 * An executor that computes nothing: a step takes the time that a {@link CostModel} says, on a clock that
 * {@link #await} moves on, and answers the tokens of {@link Replies}. Steps run one after another, each after its
 * submission; copies between tiers run beside them, each way one after another. At most two steps are in flight.
 */
public final class CostModelExecutor implements Executor {
    /** No copy is under way. */
    public static final long NEVER = Long.MAX_VALUE;

    private record Landing(long batch, long at) {}

    private final ModelFacts facts;
    private final MemoryBudget budget;
    private final CostModel cost;
    private final Replies replies;
    private final VirtualClock clock;

    private StepPlan[] plans = {};
    private StepResult[] results = {};
    /** When the last two steps end, by the step's parity. */
    private final long[] ends = new long[2];

    private final long[] durations = new long[2];
    private final long[] waits = new long[2];
    private int planTurn;
    private long[] seeds = {};
    private long submitted;
    private long sampled;
    private long awaited;

    private final ArrayDeque<Landing> landings = new ArrayDeque<>();
    private long outFree;
    private long inFree;
    private long copies;
    private long landed;
    /** When all copies that were handed over have landed. */
    private long lastLanding;

    // What a simulation reports.
    private long busyNanos;
    private long computedTokens;
    private long copyWaitNanos;

    public CostModelExecutor(
            ModelFacts facts, MemoryBudget budget, CostModel cost, Replies replies, VirtualClock clock) {
        this.facts = facts;
        this.budget = budget;
        this.cost = cost;
        this.replies = replies;
        this.clock = clock;
    }

    @Override
    public ModelFacts model() {
        return facts;
    }

    @Override
    public MemoryBudget budget(StepLimits limits) {
        return budget;
    }

    @Override
    public void open(KvPools pools, StepLimits limits) {
        plans = new StepPlan[] {new StepPlan(limits, facts.vocabulary()), new StepPlan(limits, facts.vocabulary())};
        results = new StepResult[] {new StepResult(limits.maxRows()), new StepResult(limits.maxRows())};
        seeds = new long[limits.maxSequences()];
    }

    @Override
    public StepPlan plan() {
        planTurn ^= 1;
        plans[planTurn].clear();
        return plans[planTurn];
    }

    @Override
    public long submit(StepPlan plan) {
        if (submitted - awaited >= 2) {
            throw new IllegalStateException("steps " + (awaited + 1) + " and " + submitted + " are in flight already");
        }
        for (int i = 0; i < plan.begins; i++) {
            seeds[plan.beginSlot[i]] = plan.beginParams[i].seed();
        }
        long ready = Math.max(clock.nanoTime(), ends[parity(submitted)]);
        long begin = plan.runs == 0 || plan.pages.waitsForCopies ? Math.max(ready, lastLanding) : ready;
        long waited = plan.runs == 0 ? 0 : begin - ready;
        copyWaitNanos += waited;
        long nanos = cost.stepNanos(plan, facts.layout());
        submitted++;
        durations[parity(submitted)] = nanos;
        waits[parity(submitted)] = waited;
        ends[parity(submitted)] = begin + nanos;
        busyNanos += nanos;
        computedTokens += plan.tokens;
        return submitted;
    }

    @Override
    public void sample(StepPlan plan) {
        if (sampled >= submitted) {
            throw new IllegalStateException("sample is called once, between submit and await");
        }
        sampled++;
        StepResult result = results[parity(sampled)];
        for (int run = 0; run < plan.runs; run++) {
            for (int i = 0; i < plan.rowCount[run]; i++) {
                int row = plan.firstRow[run] + i;
                result.token[row] = token(plan.samples, row, seeds[plan.slot[run]]);
                result.logprob[row] = 0;
            }
        }
    }

    private int token(SamplePlan samples, int row, long seed) {
        if (samples.forced[row] != SamplePlan.NONE) {
            return samples.forced[row];
        }
        int token = replies.token(seed, samples.position[row]);
        return samples.masked[row] ? allowed(samples.mask(row), token) : token;
    }

    /** The token itself, or the next one behind it (cyclically) that the mask allows. */
    private int allowed(MemorySegment mask, int token) {
        for (int i = 0; i < facts.vocabulary(); i++) {
            int t = (token + i) % facts.vocabulary();
            if ((mask.getAtIndex(ValueLayout.JAVA_LONG, t >> 6) >>> (t & 63) & 1) != 0) {
                return t;
            }
        }
        return StepResult.EMPTY_MASK;
    }

    @Override
    public StepResult await(long step) {
        if (step != awaited + 1 || step > sampled) {
            throw new IllegalStateException(
                    "step " + step + " cannot be awaited: awaited " + awaited + ", sampled " + sampled);
        }
        awaited = step;
        clock.advanceTo(ends[parity(step)]);
        StepResult result = results[parity(step)];
        result.deviceNanos = durations[parity(step)];
        result.copyWaitNanos = waits[parity(step)];
        return result;
    }

    @Override
    public long copy(PageCopies pages, long afterStep) {
        // Steps before the last two have ended long ago.
        long ready = afterStep > submitted - 2 && afterStep > 0 ? ends[parity(afterStep)] : 0;
        long begin = Math.max(clock.nanoTime(), ready);
        long out = cost.copyNanos(pages, Tier.HOST, facts.layout());
        long in = cost.copyNanos(pages, Tier.DEVICE, facts.layout());
        if (out > 0) {
            outFree = Math.max(outFree, begin) + out;
        }
        if (in > 0) {
            inFree = Math.max(inFree, begin) + in;
        }
        lastLanding = Math.max(lastLanding, Math.max(out > 0 ? outFree : begin, in > 0 ? inFree : begin));
        landings.add(new Landing(++copies, lastLanding));
        return copies;
    }

    @Override
    public long pollCopies() {
        for (Landing first = landings.peek();
                first != null && first.at() <= clock.nanoTime();
                first = landings.peek()) {
            landed = first.batch();
            landings.remove();
        }
        return landed;
    }

    /** Steps that were submitted and not awaited. */
    public int stepsInFlight() {
        return (int) (submitted - awaited);
    }

    /** When the oldest batch of copies that is under way lands, or {@link #NEVER}. */
    public long nextLanding() {
        @Nullable Landing first = landings.peek();
        return first == null ? NEVER : first.at();
    }

    /** Nanoseconds that steps took so far, those in flight included. */
    public long busyNanos() {
        return busyNanos;
    }

    /** Tokens of all runs so far: those of prompts that were not cached, and those that were decoded. */
    public long computedTokens() {
        return computedTokens;
    }

    /** Nanoseconds that steps with runs waited for copies. */
    public long copyWaitNanos() {
        return copyWaitNanos;
    }

    private static int parity(long step) {
        return (int) (step & 1);
    }

    @Override
    public void close() {
        landings.clear();
    }
}
