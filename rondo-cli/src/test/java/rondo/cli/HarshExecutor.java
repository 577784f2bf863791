package rondo.cli;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.KvPools;
import rondo.kv.PageCopies;
import rondo.kv.PageWork;
import rondo.kv.Tier;
import rondo.model.compute.KvMemory;

/**
 * The decoder on hostile ground: page numbers are shuffled, so that neighbours in a sequence are none in memory, and a page
 * that is handed out anew holds NaNs until it is written. Whoever reads what was never written, or what another sequence
 * left behind, answers with an error instead of a token.
 */
final class HarshExecutor implements Executor {
    private record Fresh(int lifeCycle, int page) {}

    /** Pages to fill with NaNs once all copies up to a batch have landed. */
    private record Poison(List<Fresh> pages, long afterBatch) {}

    private record Place(int slot, int lifeCycle, int block) {}

    private final Executor executor;
    private final java.util.function.Supplier<KvMemory> memory;
    private final int nanToken;
    private final SplittableRandom random;
    /** Per life cycle: the page of the memory that the engine's page is. */
    private int[][] shuffled = {};

    private int[][] shuffledHost = {};
    /** Pages in tables that no run has reached yet: they may be fresh. */
    private final Map<Place, Integer> unreached = new HashMap<>();
    /** Per step in flight, oldest first: what to poison before it is computed. */
    private final ArrayDeque<Poison> poison = new ArrayDeque<>();

    /** The last batch of copies handed over. */
    private long handed;

    private long poisoned;

    /**
     * @param memory   the memory that the executor has opened
     * @param nanToken a token whose K and V are NaNs in every layer
     */
    HarshExecutor(
            Executor executor, java.util.function.Supplier<KvMemory> memory, int nanToken, SplittableRandom random) {
        this.executor = executor;
        this.memory = memory;
        this.nanToken = nanToken;
        this.random = random;
    }

    /** How many pages were handed out with NaNs in them. */
    long poisoned() {
        return poisoned;
    }

    @Override
    public void open(KvPools pools, StepLimits limits) {
        executor.open(pools, limits);
        int lifeCycles = pools.layout().lifeCycles().size();
        shuffled = new int[lifeCycles][];
        shuffledHost = new int[lifeCycles][];
        for (int lc = 0; lc < lifeCycles; lc++) {
            shuffled[lc] = permutation(pools.deviceSlots().get(lc), 1);
            shuffledHost[lc] = permutation(pools.hostSlots().get(lc), 0);
        }
        fillScratchWithNaNs(lifeCycles, pools.layout().tokensPerBlock());
        for (int lc = 0; lc < lifeCycles; lc++) {
            int all = pools.deviceSlots().get(lc) + pools.hostSlots().get(lc);
            for (int page = 1; page < all; page++) {
                memory.get().copyPage(lc, 0, page);
            }
        }
    }

    private int[] permutation(int size, int from) {
        int[] to = new int[size];
        for (int i = 0; i < size; i++) {
            to[i] = i;
            if (i > from) {
                int j = from + random.nextInt(i - from + 1);
                to[i] = to[j];
                to[j] = i;
            }
        }
        return to;
    }

    /** Page 0 of every pool belongs to nobody; a block of the token that is no number goes there. */
    private void fillScratchWithNaNs(int lifeCycles, int tokensPerBlock) {
        StepPlan plan = executor.plan();
        plan.begin(0, SamplingParams.greedy(), TokenIds.empty(), TokenIds.empty());
        for (int lc = 0; lc < lifeCycles; lc++) {
            plan.pages.edit(0, lc, 0, 0);
        }
        int run = plan.addRun(0, 0, tokensPerBlock, 0);
        for (int i = 0; i < tokensPerBlock; i++) {
            plan.tokenIds[plan.start[run] + i] = nanToken;
        }
        long step = executor.submit(plan);
        executor.sample(plan);
        try {
            executor.await(step);
        } catch (StepFailure e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public long submit(StepPlan plan) {
        PageWork work = plan.pages;
        for (int i = 0; i < work.edits; i++) {
            int lc = work.lifeCycle[i];
            work.page[i] = shuffled[lc][work.page[i]];
            unreached.put(new Place(work.slot[i], lc, work.block[i]), work.page[i]);
        }
        shuffle(work.deviceCopies);
        List<Fresh> fresh = new ArrayList<>();
        int b = model().layout().tokensPerBlock();
        for (int run = 0; run < plan.runs; run++) {
            int end = plan.context[run] + plan.length[run];
            for (int lc = 0; lc < shuffled.length; lc++) {
                for (int block = 0; block * b < end; block++) {
                    Integer page = unreached.remove(new Place(plan.slot[run], lc, block));
                    // A block that begins behind what the sequence has: nothing in it is written yet.
                    if (page != null && block * b >= plan.context[run]) {
                        fresh.add(new Fresh(lc, page));
                    }
                }
            }
        }
        poison.add(new Poison(fresh, work.waitsForCopies ? handed : 0));
        return executor.submit(plan) - 1;
    }

    private void shuffle(PageCopies copies) {
        for (int i = 0; i < copies.count; i++) {
            int lc = copies.lifeCycle[i];
            copies.fromPage[i] = (copies.fromTier[i] == Tier.DEVICE ? shuffled : shuffledHost)[lc][copies.fromPage[i]];
            copies.toPage[i] = (copies.toTier[i] == Tier.DEVICE ? shuffled : shuffledHost)[lc][copies.toPage[i]];
        }
    }

    @Override
    public StepResult await(long step) throws StepFailure {
        Poison next = poison.remove();
        while (executor.pollCopies() < next.afterBatch) {
            Thread.onSpinWait(); // what is poisoned now is still read by a copy
        }
        for (Fresh f : next.pages) {
            memory.get().copyPage(f.lifeCycle, 0, f.page);
            poisoned++;
        }
        return executor.await(step + 1);
    }

    @Override
    public long copy(PageCopies copies, long afterStep) {
        shuffle(copies);
        handed = executor.copy(copies, afterStep + 1);
        return handed;
    }

    @Override
    public ModelFacts model() {
        return executor.model();
    }

    @Override
    public MemoryBudget budget(StepLimits limits) {
        return executor.budget(limits);
    }

    @Override
    public StepPlan plan() {
        return executor.plan();
    }

    @Override
    public void sample(StepPlan plan) {
        executor.sample(plan);
    }

    @Override
    public long pollCopies() {
        return executor.pollCopies();
    }

    @Override
    public void close() {
        executor.close();
    }
}
