package rondo.model.decoder;

import org.jspecify.annotations.Nullable;
import rondo.base.TimeSource;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.PageCopies;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.compute.Device;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;

/**
 * Computes steps with a decoder on a {@link Device}, and samples on the host. A step is computed in its {@link #await},
 * on the calling thread; its page work is done then too, so that a step in flight never sees the edits of a later one.
 * The host tier is real memory, and its copies run beside the steps.
 */
public final class DecoderExecutor implements Executor {
    private final DecoderSpec spec;
    private final DecoderWeights weights;
    private final KvPlan kvPlan;
    private final ModelFacts facts;
    private final Device device;
    private final TimeSource time;
    private RowObserver observer = RowObserver.NONE;
    private @Nullable Opened opened;
    private StepFailure.@Nullable DeviceLost lost;

    /** What {@link #open} allocates, and how far the steps have come. */
    private static final class Opened {
        final KvMemory kv;
        final StepRunner runner;
        final TierCopies copies;
        final StepPlan[] plans;
        final StepResult[] results;
        /** Whether the plan's samples are final. */
        final boolean[] sampled = new boolean[2];

        long submitted;
        long computed;

        Opened(KvMemory kv, StepRunner runner, TierCopies copies, StepLimits limits, int vocabulary) {
            this.kv = kv;
            this.runner = runner;
            this.copies = copies;
            plans = new StepPlan[] {new StepPlan(limits, vocabulary), new StepPlan(limits, vocabulary)};
            results = new StepResult[] {new StepResult(limits.maxRows()), new StepResult(limits.maxRows())};
        }
    }

    /**
     * Takes the weights of an open checkpoint in; none may be missing. A tensor of a wrong type or shape is one clear line.
     */
    public static DecoderExecutor load(
            DecoderSpec spec,
            TensorTable table,
            Checkpoint checkpoint,
            ElementType kvType,
            int tokensPerBlock,
            Device device,
            TimeSource time) {
        requireReadable(spec, table, checkpoint);
        return new DecoderExecutor(spec, table, checkpoint, kvType, tokensPerBlock, device, time);
    }

    /** Fails with one line on the first tensor whose type or shape the decoder cannot take; none may be missing. */
    public static void requireReadable(DecoderSpec spec, TensorTable table, Checkpoint checkpoint) {
        DecoderWeights.requireReadable(checkpoint, table.wanted(spec));
    }

    /** How the KV cache of a decoder is cut when K and V have a type. */
    public static KvLayout layout(DecoderSpec spec, ElementType kvType, int tokensPerBlock) {
        return KvPlan.of(spec, kvType, tokensPerBlock).layout();
    }

    private DecoderExecutor(
            DecoderSpec spec,
            TensorTable table,
            Checkpoint checkpoint,
            ElementType kvType,
            int tokensPerBlock,
            Device device,
            TimeSource time) {
        this.spec = spec;
        this.device = device;
        this.time = time;
        kvPlan = KvPlan.of(spec, kvType, tokensPerBlock);
        weights = new DecoderWeights(spec, table, kvPlan, checkpoint, device);
        facts = new ModelFacts(spec.vocabulary(), spec.maxLength(), kvPlan.layout(), 0);
    }

    /** Bytes beside weights and KV pages: buffers of the largest step, masks of the plans, block tables. */
    public static long stepBytes(DecoderSpec spec, KvLayout layout, StepLimits limits) {
        long plans = 2L * limits.maxRows() * (spec.vocabulary() + 7L) / 8;
        long tables = 4L
                * (limits.maxSequences() + 1L)
                * layout.blocks(limits.maxSeqLen())
                * layout.lifeCycles().size();
        return Decoder.bufferBytes(spec, limits) + plans + tables;
    }

    @Override
    public ModelFacts model() {
        return facts;
    }

    /** One memory holds both tiers here. */
    @Override
    public MemoryBudget budget(StepLimits limits) {
        long left = device.freeBytes() - stepBytes(spec, kvPlan.layout(), limits);
        return MemoryBudget.ofOneMemory(left);
    }

    @Override
    public void open(KvPools pools, StepLimits limits) {
        if (opened != null) {
            throw new IllegalStateException("already open");
        }
        if (!pools.layout().equals(kvPlan.layout())) {
            throw new IllegalArgumentException("pools of another layout: " + pools.layout());
        }
        int[] pages = new int[pools.deviceSlots().size()];
        int[] firstHostPage = new int[pages.length];
        for (int g = 0; g < pages.length; g++) {
            firstHostPage[g] = pools.deviceSlots().get(g);
            pages[g] = firstHostPage[g] + pools.hostSlots().get(g);
        }
        // The host tier is more pages of the same memory: a page moves by a copy within the device.
        KvMemory kv = device.kv(kvPlan.spec(), pages, limits.maxSequences() + 1, limits.maxSeqLen());
        StepRunner runner = new StepRunner(new Decoder(spec, weights, device, limits), kv, limits, spec.vocabulary());
        TierCopies copies = new TierCopies(kv, kvPlan.layout(), firstHostPage);
        opened = new Opened(kv, runner, copies, limits, spec.vocabulary());
    }

    @Override
    public StepPlan plan() {
        Opened o = opened();
        if (o.submitted - o.computed >= 2) {
            throw new IllegalStateException("both plans are in flight");
        }
        StepPlan plan = o.plans[(int) (o.submitted & 1)];
        plan.clear();
        return plan;
    }

    @Override
    public long submit(StepPlan plan) {
        Opened o = opened();
        int index = (int) (o.submitted & 1);
        if (plan != o.plans[index] || o.submitted - o.computed >= 2) {
            throw new IllegalStateException("submit takes the newest plan()");
        }
        o.sampled[index] = false;
        return ++o.submitted;
    }

    @Override
    public void sample(StepPlan plan) {
        Opened o = opened();
        o.sampled[plan == o.plans[0] ? 0 : 1] = true;
    }

    @Override
    public StepResult await(long step) throws StepFailure {
        Opened o = opened();
        if (lost != null) {
            throw lost;
        }
        int index = (int) ((step - 1) & 1);
        if (step != o.computed + 1 || step > o.submitted || !o.sampled[index]) {
            throw new IllegalStateException("step " + step + " is not the oldest submitted and sampled one");
        }
        StepResult result = o.results[index];
        boolean whole;
        try {
            result.copyWaitNanos = 0;
            if (o.plans[index].pages.waitsForCopies) {
                // A run of it writes where a copy still reads. All of them are due: their step has been computed.
                long from = time.nanoTime();
                o.copies.await();
                result.copyWaitNanos = time.nanoTime() - from;
            }
            long begin = time.nanoTime();
            whole = o.runner.run(step, o.plans[index], result, observer);
            result.deviceNanos = time.nanoTime() - begin;
            o.computed = step;
            o.copies.computed(step);
            if (o.plans[index].runs == 0) {
                // A step of copies alone: the engine has nothing else to do before they have landed.
                o.copies.await();
            }
        } catch (RuntimeException | Error e) {
            lost = new StepFailure.DeviceLost("step " + step + " failed: " + e, e);
            throw lost;
        }
        if (!whole) {
            throw new StepFailure.RowsFailed(o.runner.failure(), result, o.runner.failed());
        }
        return result;
    }

    @Override
    public long copy(PageCopies copies, long afterStep) {
        Opened o = opened();
        return o.copies.add(copies, afterStep, o.computed);
    }

    @Override
    public long pollCopies() {
        return opened().copies.landed();
    }

    @Override
    public void close() {
        if (opened != null) {
            opened.copies.close();
            opened.kv.close();
            opened = null;
        }
        device.close();
    }

    /** Lets a test see whole logits. */
    void observe(RowObserver observer) {
        this.observer = observer;
    }

    private Opened opened() {
        if (opened == null) {
            throw new IllegalStateException("not open");
        }
        return opened;
    }
}
