package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;
import rondo.model.compute.NormSpec;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;
import rondo.model.compute.Vector;

/**
 * Heads normed, rotated and stored, then attended to: against float64, and to the bit against itself with other chunks,
 * companions, threads and page sizes. All pages begin as NaNs, and pages that leave the window become NaNs again.
 */
class AttentionTest {
    private static final int POISON = 0x7fc07fc0; // NaN as float32 and as two bf16
    private static final int LAYERS = 2;

    /** What is computed: one layer's attention over a prompt. */
    private record Problem(
            int kvHeads,
            int share,
            int headDim,
            int window,
            ElementType type,
            NormSpec.Kind kind,
            float qScale,
            boolean rotated,
            boolean gated,
            float[] qWeight,
            float[] kWeight,
            float[][] fused) {
        int heads() {
            return kvHeads * share;
        }

        float scale() {
            return (float) (1 / Math.sqrt(headDim));
        }

        float[] frequencies() {
            float[] out = new float[rotated ? headDim / 2 : 0];
            for (int j = 0; j < out.length; j++) {
                out[j] = (float) Math.pow(10_000, -2.0 * j / headDim);
            }
            return out;
        }
    }

    /** How it is computed. */
    private record Way(int threads, int tokensPerBlock, int[] chunks, boolean companion) {}

    @Test
    void anyShapeAgreesWithFloat64() {
        checkSome(25);
    }

    static void checkSome(int count) {
        Seeds.forEach(count, random -> {
            int[] dims = {16, 24, 32, 64, 80, 128};
            Problem p = problem(random, dims[random.nextInt(dims.length)], 1 + random.nextInt(16), 330);
            Way way = way(random, p.fused.length);
            compare(p, way, run(p, way));
        });
    }

    @Test
    void noChunkCompanionThreadOrPageChangesABit() {
        Seeds.forEach(10, random -> {
            Problem p = problem(random, 64, new int[] {1, 2, 4, 5, 8, 16}[random.nextInt(6)], 700);
            float[][] first = run(p, new Way(1, 32, new int[] {p.fused.length}, false));
            for (int i = 0; i < 3; i++) {
                Way way = way(random, p.fused.length);
                float[][] other = run(p, way);
                for (int t = 0; t < first.length; t++) {
                    assertThat(other[t]).as("%s token %d", way, t).isEqualTo(first[t]);
                }
            }
        });
    }

    @Test
    void aLoneDecodeOverManyRangesGivesTheSameBits() {
        Problem p = problem(new SplittableRandom(11), 64, 4, 3000, 3000);
        int n = p.fused.length;
        float[][] whole = run(p, new Way(1, 64, new int[] {n}, false));
        // the last tokens alone: few items with many ranges, which two threads cut by ranges
        float[][] alone = run(p, new Way(2, 64, new int[] {n - 3, 1, 1, 1}, false));
        float[][] three = run(p, new Way(3, 1024, new int[] {n - 3, 2, 1}, false));
        for (int t = n - 3; t < n; t++) {
            assertThat(alone[t]).isEqualTo(whole[t]);
            assertThat(three[t]).isEqualTo(whole[t]);
        }
    }

    private static Way way(SplittableRandom random, int tokens) {
        List<Integer> chunks = new ArrayList<>();
        int most = random.nextBoolean() ? tokens : 1 + random.nextInt(64);
        for (int done = 0; done < tokens; ) {
            int chunk = Math.min(tokens - done, 1 + random.nextInt(most));
            chunks.add(chunk);
            done += chunk;
        }
        int tokensPerBlock = 1 << 1 + random.nextInt(10);
        int[] sizes = chunks.stream().mapToInt(i -> i).toArray();
        return new Way(1 + random.nextInt(3), tokensPerBlock, sizes, random.nextBoolean());
    }

    private static Problem problem(SplittableRandom random, int headDim, int share, int most) {
        return problem(random, headDim, share, 1 + random.nextInt(most), most);
    }

    private static Problem problem(SplittableRandom random, int headDim, int share, int tokens, int most) {
        int kvHeads = 1 + random.nextInt(3);
        boolean gated = random.nextBoolean();
        int columns = (kvHeads * share * (gated ? 2 : 1) + 2 * kvHeads) * headDim;
        float[][] fused = new float[tokens][];
        for (int t = 0; t < tokens; t++) {
            fused[t] = Numbers.random(random, columns);
        }
        int window = random.nextBoolean() ? 0 : 1 + random.nextInt(most);
        NormSpec.Kind[] kinds = NormSpec.Kind.values();
        return new Problem(
                kvHeads,
                share,
                headDim,
                window,
                ElementType.values()[random.nextInt(3)],
                kinds[random.nextInt(kinds.length)],
                random.nextBoolean() ? 1 : 3.87f,
                random.nextBoolean(),
                gated,
                Numbers.random(random, headDim),
                Numbers.random(random, headDim),
                fused);
    }

    private static float[][] run(Problem p, Way way) {
        int tokens = p.fused.length;
        int tpb = way.tokensPerBlock;
        int blocks = (tokens + tpb - 1) / tpb;
        float[][] out = new float[tokens][];
        try (CpuDevice device = new CpuDevice(way.threads)) {
            KvSpec.Group other = new KvSpec.Group(1, 1, 16, 0);
            KvSpec.Group group = new KvSpec.Group(LAYERS, p.kvHeads, p.headDim, p.window);
            KvSpec spec = new KvSpec(p.type, tpb, List.of(other, group));
            KvMemory kv = device.kv(spec, new int[] {1, 2 * blocks + 1}, 2, Math.max(tokens, tpb));
            poison((CpuKv) kv);
            for (int b = 0; b < blocks; b++) {
                kv.table(1, 1, b, 2 * blocks - 2 * b); // scattered, in another order
                kv.table(0, 1, b, 2 * blocks - 2 * b - 1);
            }
            Vector frequencies = p.rotated ? device.vector(p.frequencies()) : Vector.EMPTY;
            AttentionOp op = new AttentionOp(
                    1,
                    1,
                    p.heads(),
                    p.kvHeads,
                    p.headDim,
                    p.window,
                    p.scale(),
                    new NormSpec(p.kind, device.vector(p.qWeight), 1e-5f),
                    new NormSpec(p.kind, device.vector(p.kWeight), 1e-5f),
                    p.qScale,
                    frequencies,
                    p.gated);
            int done = 0;
            for (int chunk : way.chunks) {
                forget(p, (CpuKv) kv, tpb, done);
                step(p, device, kv, op, way, done, chunk, out);
                done += chunk;
            }
        }
        return out;
    }

    /** One step: our chunk, and beside it, if there is a companion, the beginning of the same prompt in another slot. */
    private static void step(
            Problem p, CpuDevice device, KvMemory kv, AttentionOp op, Way way, int done, int chunk, float[][] out) {
        int extra = way.companion ? Math.min(7, p.fused.length) : 0;
        Tensor fused = device.tensor(chunk + extra, op.inputColumns());
        Tensor attended = device.tensor(chunk + extra, p.heads() * p.headDim);
        for (int t = 0; t < extra; t++) {
            Numbers.write(fused, t, p.fused[t]);
        }
        for (int t = 0; t < chunk; t++) {
            Numbers.write(fused, extra + t, p.fused[done + t]);
        }
        StepShape shape = new StepShape();
        shape.runs = extra > 0 ? 2 : 1;
        shape.tokens = chunk + extra;
        shape.slot = extra > 0 ? new int[] {0, 1} : new int[] {1};
        shape.start = extra > 0 ? new int[] {0, extra} : new int[] {0};
        shape.length = extra > 0 ? new int[] {extra, chunk} : new int[] {chunk};
        shape.context = extra > 0 ? new int[] {0, done} : new int[] {done};
        device.ops().qkNormRopeStore(fused, op, shape, kv);
        device.ops().attention(attended, fused, op, shape, kv);
        for (int t = 0; t < chunk; t++) {
            out[done + t] = Numbers.read(attended, extra + t);
        }
    }

    /** Blocks that no later query sees become page 0, which holds NaNs. */
    private static void forget(Problem p, CpuKv kv, int tpb, int done) {
        for (int b = 0; p.window > 0 && (b + 1) * tpb <= done - p.window + 1; b++) {
            kv.table(1, 1, b, 0);
        }
    }

    private static void poison(CpuKv kv) {
        MemorySegment pages = kv.segment(1);
        for (long at = 0; at < pages.byteSize(); at += 4) {
            pages.set(ValueLayout.JAVA_INT_UNALIGNED, at, POISON);
        }
    }

    private static void compare(Problem p, Way way, float[][] got) {
        int d = p.headDim;
        int tokens = p.fused.length;
        double[][][] keys = new double[tokens][p.kvHeads][];
        double[][][] values = new double[tokens][p.kvHeads][];
        for (int t = 0; t < tokens; t++) {
            for (int h = 0; h < p.kvHeads; h++) {
                keys[t][h] = rounded(p.type, head(p, t, (p.heads() + h) * d, p.kWeight, 1, t));
                values[t][h] = rounded(p.type, part(p.fused[t], (p.heads() + p.kvHeads + h) * d, d));
            }
        }
        for (int t = 0; t < tokens; t++) {
            for (int h = 0; h < p.heads(); h++) {
                double[] q = head(p, t, h * d, p.qWeight, p.qScale, t);
                double[] wanted = attend(p, q, keys, values, h / p.share, t);
                for (int i = 0; i < d; i++) {
                    if (p.gated) {
                        double gate = p.fused[t][(p.heads() + 2 * p.kvHeads + h) * d + i];
                        wanted[i] *= 1 / (1 + Math.exp(-gate));
                    }
                    // K may round to its other neighbour where float32 and float64 differ
                    double tolerance = p.type == ElementType.F32 ? 3e-5 : 4e-3;
                    if (!(Math.abs(got[t][h * d + i] - wanted[i]) <= tolerance)) {
                        fail("%s %s token %d head %d: %s, not %s", way, p.type, t, h, got[t][h * d + i], wanted[i]);
                    }
                }
            }
        }
    }

    private static double[] attend(Problem p, double[] q, double[][][] keys, double[][][] values, int kv, int t) {
        int first = p.window == 0 ? 0 : Math.max(0, t - p.window + 1);
        double[] scores = new double[t + 1];
        double max = Double.NEGATIVE_INFINITY;
        for (int j = first; j <= t; j++) {
            for (int i = 0; i < q.length; i++) {
                scores[j] += q[i] * keys[j][kv][i] * p.scale();
            }
            max = Math.max(max, scores[j]);
        }
        double sum = 0;
        double[] out = new double[q.length];
        for (int j = first; j <= t; j++) {
            double e = Math.exp(scores[j] - max);
            sum += e;
            for (int i = 0; i < q.length; i++) {
                out[i] += e * values[j][kv][i];
            }
        }
        for (int i = 0; i < q.length; i++) {
            out[i] /= sum;
        }
        return out;
    }

    private static double[] head(Problem p, int token, int at, float[] weight, float factor, int position) {
        double[] x = part(p.fused[token], at, p.headDim);
        double sum = 0;
        for (double v : x) {
            sum += v * v;
        }
        double scale = 1 / Math.sqrt(sum / x.length + 1e-5f);
        for (int i = 0; i < x.length; i++) {
            x[i] *= factor
                    * switch (p.kind) {
                        case NONE -> 1;
                        case WEIGHTLESS -> scale;
                        case PLAIN -> scale * weight[i];
                        case CENTRED -> scale * (1 + (double) weight[i]);
                    };
        }
        float[] frequencies = p.frequencies();
        int half = frequencies.length;
        for (int j = 0; j < half; j++) {
            float angle = position * frequencies[j];
            double a = x[j];
            double b = x[half + j];
            x[j] = a * Math.cos(angle) - b * Math.sin(angle);
            x[half + j] = b * Math.cos(angle) + a * Math.sin(angle);
        }
        return x;
    }

    private static double[] part(float[] x, int from, int count) {
        double[] out = new double[count];
        for (int i = 0; i < count; i++) {
            out[i] = x[from + i];
        }
        return out;
    }

    private static double[] rounded(ElementType type, double[] x) {
        for (int i = 0; i < x.length; i++) {
            x[i] = Numbers.rounded(type, (float) x[i]);
        }
        return x;
    }
}
