package rondo.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PageCopies;
import rondo.kv.Tier;

/**
 * An executor without a network: it writes token ids into fake pages through the block tables and derives every next
 * token from what it reads back, so that a wrong page, a stale window or a wrong position gives a wrong token. In sliding
 * life cycles only the window is read, and it must agree with the full one where both hold a token.
 */
public final class StubExecutor implements Executor {
    /** Looks at a step before it is computed; may make it fail. */
    @FunctionalInterface
    public interface StepHook {
        /** @return runs that fail, one flag each, or an empty array */
        boolean[] before(long step, StepPlan plan) throws StepFailure;
    }

    private static final boolean[] NONE_FAIL = {};

    private final ModelFacts facts;
    private final NextToken model;
    private StepHook hook = (step, plan) -> NONE_FAIL;

    private @Nullable KvPools pools;
    private StepPlan[] plans = {};
    private final StepResult[] results = new StepResult[2];
    private StepResult result = new StepResult(0);
    /** Fake pages: token + 1 per position, 0 = never written; by life cycle and tier. */
    private int[][][] device = {};

    private int[][][] host = {};
    /** Page of a block, by slot and life cycle. */
    private int[][][] tables = {};

    private StubSampling[] slots = {};
    private int[] last = {};
    private int[] history = new int[0];
    private int newest = Integer.MAX_VALUE;
    private final ArrayDeque<StepPlan> queue = new ArrayDeque<>();
    private final long[] copiesBefore = new long[2];
    private final boolean[] sampled = new boolean[2];
    private StubCopies copies = new StubCopies(device, host);
    private int copyDelay;
    private long submitted;
    private long computed;
    private boolean closed;

    // What tests look at.
    private long overlapped;
    private long superfluous;
    private final List<int[]> runLengths = new ArrayList<>();
    private boolean recording;

    public StubExecutor(ModelFacts facts, NextToken model) {
        this.facts = facts;
        this.model = model;
    }

    public StubExecutor onStep(StepHook newHook) {
        this.hook = newHook;
        return this;
    }

    /** From now on keeps {slot, context, length, rows} of every run, and a {-1, step, 0, 0} before each step's. */
    public void record() {
        recording = true;
    }

    public List<int[]> recorded() {
        return runLengths;
    }

    /** Copies between tiers land only when so many more steps have been computed, or somebody waits for them. */
    public void delayCopies(int steps) {
        copyDelay = steps;
        copies.delay(steps);
    }

    /** While held, copies land only where somebody waits for them. */
    public void holdCopies(boolean on) {
        copies.hold(on);
    }

    /** The model looks at so many tokens only, and no others are read back. */
    public void readNewest(int tokens) {
        newest = tokens;
    }

    /** Everything under way lands now. */
    public void landCopies() {
        copies.landUpTo(copies.handed());
    }

    /** Batches of copies that were handed over and have not landed. */
    public long pendingCopies() {
        return copies.handed() - copies.landed();
    }

    /** Pages copied between tiers so far. */
    public long copiedPages() {
        return copies.pages();
    }

    /** Steps that were submitted while another one was in flight. */
    public long overlappedSteps() {
        return overlapped;
    }

    /** Rows that nobody wanted any more when the step was sampled. */
    public long superfluousRows() {
        return superfluous;
    }

    public boolean isClosed() {
        return closed;
    }

    @Override
    public ModelFacts model() {
        return facts;
    }

    @Override
    public MemoryBudget budget(StepLimits limits) {
        return new MemoryBudget(1 << 20, 0);
    }

    @Override
    public void open(KvPools newPools, StepLimits limits) {
        pools = newPools;
        plans = new StepPlan[] {new StepPlan(limits, facts.vocabulary()), new StepPlan(limits, facts.vocabulary())};
        Arrays.setAll(results, i -> new StepResult(limits.maxRows()));
        int b = facts.layout().tokensPerBlock();
        int lifeCycles = facts.layout().lifeCycles().size();
        device = new int[lifeCycles][][];
        host = new int[lifeCycles][][];
        for (int lc = 0; lc < lifeCycles; lc++) {
            device[lc] = new int[newPools.deviceSlots().get(lc)][b];
            host[lc] = new int[newPools.hostSlots().get(lc)][b];
        }
        copies = new StubCopies(device, host);
        copies.delay(copyDelay);
        tables = new int[limits.maxSequences()][lifeCycles][facts.layout().blocks(limits.maxSeqLen())];
        slots = new StubSampling[limits.maxSequences()];
        Arrays.setAll(slots, i -> new StubSampling());
        last = new int[limits.maxSequences()];
        history = new int[limits.maxSeqLen()];
    }

    @Override
    public StepPlan plan() {
        if (submitted - computed >= 2) {
            throw new IllegalStateException("two steps are in flight");
        }
        StepPlan plan = plans[(int) (submitted & 1)];
        plan.clear();
        return plan;
    }

    @Override
    public long submit(StepPlan plan) {
        int index = (int) (submitted & 1);
        if (plan != plans[index] || submitted - computed >= 2) {
            throw new IllegalStateException("submit takes the newest plan");
        }
        overlapped += submitted > computed ? 1 : 0;
        copiesBefore[index] = copies.handed();
        sampled[index] = false;
        queue.add(plan);
        return ++submitted;
    }

    @Override
    public void sample(StepPlan plan) {
        int index = plan == plans[0] ? 0 : 1;
        if (!queue.contains(plan) || sampled[index]) {
            throw new IllegalStateException("sample is called once, between submit and await");
        }
        sampled[index] = true;
    }

    @Override
    public StepResult await(long step) throws StepFailure {
        if (step != computed + 1 || queue.isEmpty()) {
            throw new IllegalStateException("step " + step + " is awaited after " + computed);
        }
        int index = (int) ((step - 1) & 1);
        StepPlan plan = queue.remove();
        if (!sampled[index]) {
            throw new IllegalStateException("step " + step + " is awaited before it is sampled");
        }
        // Whoever still reads the result before last reads garbage.
        Arrays.fill(results[index].token, 0x3bad);
        result = results[index];
        boolean[] failed = hook.before(step, plan);
        if (plan.runs == 0 || plan.pages.waitsForCopies) {
            copies.landUpTo(copiesBefore[index]);
        }
        compute(plan);
        computed = step;
        copies.computed(computed);
        for (boolean f : failed) {
            if (f) {
                throw new StepFailure.RowsFailed("made to fail", result, failed);
            }
        }
        return result;
    }

    private void compute(StepPlan plan) {
        for (int i = 0; i < plan.pages.edits; i++) {
            tables[plan.pages.slot[i]][plan.pages.lifeCycle[i]][plan.pages.block[i]] = plan.pages.page[i];
        }
        copyPages(plan.pages.deviceCopies);
        for (int i = 0; i < plan.begins; i++) {
            slots[plan.beginSlot[i]].begin(plan.beginParams[i], plan.beginPrompt[i], plan.beginOutput[i]);
        }
        if (recording) {
            runLengths.add(new int[] {-1, (int) (computed + 1), 0, 0});
        }
        for (int run = 0; run < plan.runs; run++) {
            write(plan, run);
        }
        for (int run = 0; run < plan.runs; run++) {
            int rows = plan.rowCount[run];
            int end = plan.context[run] + plan.length[run];
            for (int r = 0; r < rows; r++) {
                row(plan.slot[run], end - rows + r + 1, plan.samples, plan.firstRow[run] + r);
            }
            if (recording) {
                runLengths.add(new int[] {plan.slot[run], plan.context[run], plan.length[run], rows});
            }
        }
    }

    private void write(StepPlan plan, int run) {
        int slot = plan.slot[run];
        int b = facts.layout().tokensPerBlock();
        for (int j = 0; j < plan.length[run]; j++) {
            int token = plan.tokenIds[plan.start[run] + j];
            if (token == StepPlan.LAST) {
                // The sample of a row that failed is no token; what its sequence computes now is dropped.
                token = Math.max(0, last[slot]);
            }
            int position = plan.context[run] + j;
            for (int lc = 0; lc < device.length; lc++) {
                int page = tables[slot][lc][position / b];
                if (page <= 0) {
                    throw new IllegalStateException("slot " + slot + " has no page for position " + position);
                }
                device[lc][page][position % b] = token + 1;
            }
        }
    }

    /** Samples what follows the first {@code count} tokens. */
    private void row(int slot, int count, SamplePlan samples, int row) {
        if (!samples.wanted[row]) {
            superfluous++;
            return;
        }
        int oldest = Math.max(0, count - newest);
        Arrays.fill(history, oldest, count, 0);
        int b = facts.layout().tokensPerBlock();
        for (int lc = 0; lc < device.length; lc++) {
            LifeCycle cycle = facts.layout().lifeCycles().get(lc);
            int from = Math.max(oldest, cycle.isFull() ? 0 : count - cycle.window());
            for (int p = from; p < count; p++) {
                int read = device[lc][tables[slot][lc][p / b]][p % b];
                // A disagreement between life cycles becomes part of the history, and so gives a wrong token.
                history[p] = history[p] == 0 || history[p] == read ? read : read ^ 0x5555;
            }
        }
        for (int p = oldest; p < count; p++) {
            history[p]--;
        }
        int token = model.next(history, count, samples.position[row], facts.vocabulary());
        token = slots[slot].choose(token, samples.position[row], facts.vocabulary());
        if (samples.forced[row] != SamplePlan.NONE) {
            token = samples.forced[row];
        } else if (samples.masked[row]) {
            token = StubSampling.nextAllowed(samples.mask(row), token, facts.vocabulary());
        }
        last[slot] = token;
        result.token[row] = token;
        if (token < 0) {
            return;
        }
        slots[slot].append(token);
        result.logprob[row] = StubSampling.logprob(token);
        for (int i = 0; i < samples.topLogprobs[row]; i++) {
            int at = row * StepResult.MAX_ALTERNATIVES + i;
            result.alternative[at] = (token + i) % facts.vocabulary();
            result.alternativeLogprob[at] = -0.5f - i;
        }
    }

    private void copyPages(PageCopies list) {
        for (int i = 0; i < list.count; i++) {
            int lc = list.lifeCycle[i];
            int[] from = (list.fromTier[i] == Tier.DEVICE ? device : host)[lc][list.fromPage[i]];
            int[] to = (list.toTier[i] == Tier.DEVICE ? device : host)[lc][list.toPage[i]];
            System.arraycopy(from, 0, to, 0, from.length);
        }
    }

    @Override
    public long copy(PageCopies list, long afterStep) {
        return copies.add(list, afterStep, computed);
    }

    @Override
    public long pollCopies() {
        copies.computed(computed);
        return copies.landed();
    }

    @Override
    public void close() {
        closed = true;
    }
}
