package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;
import rondo.model.compute.NormSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;
import rondo.model.compute.Weight;

/** Once compiled, a step allocates nothing: vectors live in registers, and all else was made before. */
class AllocationTest {
    private static final int HIDDEN = 96;
    private static final int HEADS = 4;
    private static final int DIM = 32;
    private static final int WARM_UP = 40_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aStepAllocatesNothing() {
        try (CpuDevice device = new CpuDevice(1)) {
            Step decode = new Step(device, new int[] {1}, 300);
            Step batch = new Step(device, new int[] {1, 1, 5, 1}, 40);
            long wasted = Long.MAX_VALUE;
            // compilation runs beside this; the first rounds that are all compiled end the test
            for (int round = 0; round < WARM_UP && wasted > 0; round += 100) {
                long before = threads.getCurrentThreadAllocatedBytes();
                for (int i = 0; i < 100; i++) {
                    decode.run();
                    batch.run();
                }
                wasted = threads.getCurrentThreadAllocatedBytes() - before;
            }
            assertThat(wasted).as("bytes in 100 steps").isZero();
        }
    }

    /** Everything that a layer and the head ask of a device. */
    private static final class Step {
        private final Ops ops;
        private final StepShape shape = new StepShape();
        private final int tokens;
        private final Tensor residual;
        private final Tensor normed;
        private final Tensor branch;
        private final Tensor fused;
        private final Tensor attended;
        private final Tensor gateUp;
        private final Tensor activated;
        private final Tensor logits;
        private final Weight table;
        private final Weight projection;
        private final Weight output;
        private final Weight gateUpWeight;
        private final Weight down;
        private final Weight head;
        private final NormSpec norm;
        private final AttentionOp op;
        private final KvMemory kv;
        private final int[] ids;

        Step(CpuDevice device, int[] lengths, int context) {
            SplittableRandom random = new SplittableRandom(1);
            ops = device.ops();
            shape.runs = lengths.length;
            shape.slot = new int[lengths.length];
            shape.start = new int[lengths.length];
            shape.length = lengths;
            shape.context = new int[lengths.length];
            for (int r = 0; r < lengths.length; r++) {
                shape.slot[r] = r;
                shape.start[r] = shape.tokens;
                shape.context[r] = context;
                shape.tokens += lengths[r];
            }
            tokens = shape.tokens;
            ids = random.ints(tokens, 0, 50).toArray();
            norm = new NormSpec(NormSpec.Kind.CENTRED, device.vector(Numbers.random(random, HIDDEN)), 1e-5f);
            op = new AttentionOp(
                    0,
                    0,
                    HEADS,
                    1,
                    DIM,
                    0,
                    0.2f,
                    NormSpec.weightless(1e-5f),
                    NormSpec.weightless(1e-5f),
                    2f,
                    device.vector(Numbers.random(random, DIM / 2)),
                    true);
            residual = device.tensor(tokens, HIDDEN);
            normed = device.tensor(tokens, HIDDEN);
            branch = device.tensor(tokens, HIDDEN);
            fused = device.tensor(tokens, op.inputColumns());
            attended = device.tensor(tokens, HEADS * DIM);
            gateUp = device.tensor(tokens, 2 * HIDDEN);
            activated = device.tensor(tokens, HIDDEN);
            logits = device.tensor(tokens, 50);
            table = device.embedding(source(random, 50, HIDDEN));
            projection = weight(device, random, op.inputColumns(), HIDDEN);
            output = weight(device, random, HIDDEN, HEADS * DIM);
            gateUpWeight = weight(device, random, 2 * HIDDEN, HIDDEN);
            down = weight(device, random, HIDDEN, HIDDEN);
            head = weight(device, random, 50, HIDDEN);
            KvSpec spec = new KvSpec(ElementType.BF16, 32, List.of(new KvSpec.Group(1, 1, DIM, 0)));
            int blocks = 12;
            kv = device.kv(spec, new int[] {1 + lengths.length * blocks}, lengths.length, blocks * 32);
            for (int r = 0; r < lengths.length; r++) {
                for (int b = 0; b < blocks; b++) {
                    kv.table(r, 0, b, 1 + r * blocks + b);
                }
            }
        }

        void run() {
            ops.embed(residual, table, ids, tokens, NormSpec.NONE);
            ops.norm(normed, residual, tokens, norm);
            ops.linear(fused, normed, tokens, projection);
            ops.qkNormRopeStore(fused, op, shape, kv);
            ops.attention(attended, fused, op, shape, kv);
            ops.linear(branch, attended, tokens, output);
            ops.addNorm(residual, branch, tokens, norm, norm, normed);
            ops.linear(gateUp, normed, tokens, gateUpWeight);
            ops.gatedActivation(activated, gateUp, tokens);
            ops.linear(branch, activated, tokens, down);
            ops.addNorm(residual, branch, tokens, norm, norm, normed);
            ops.logits(logits, normed, ids.length > 1 ? ORDER : ZERO, 1, head, 0.5f, 20f);
        }

        private static final int[] ORDER = {1};
        private static final int[] ZERO = {0};

        private static rondo.model.compute.WeightSource source(SplittableRandom random, int rows, int columns) {
            return Numbers.source(ElementType.BF16, rows, columns, Numbers.random(random, rows * columns));
        }

        private static Weight weight(CpuDevice device, SplittableRandom random, int rows, int columns) {
            return device.weight(List.of(source(random, rows, columns)));
        }
    }
}
