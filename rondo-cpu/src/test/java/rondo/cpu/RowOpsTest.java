package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.model.compute.ElementType;
import rondo.model.compute.NormSpec;
import rondo.model.compute.NormSpec.Kind;
import rondo.model.compute.Tensor;
import rondo.model.compute.WeightSource;

class RowOpsTest {
    @Test
    void expSigmoidAndTanhAreExactToAboutAnUlp() {
        float[] x = new float[16];
        float[] out = new float[16];
        for (float at = -90; at < 88; at += 0.0317f) {
            java.util.Arrays.fill(x, at);
            VectorMath.exp(load(x)).intoArray(out, 0);
            double exp = at < VectorMath.EXP_LOW ? 0 : Math.exp(at);
            assertThat((double) out[0]).as("exp %f", at).isCloseTo(exp, within(exp * 1.2e-7 + 1e-44));
            VectorMath.sigmoid(load(x)).intoArray(out, 0);
            assertThat((double) out[0]).as("σ %f", at).isCloseTo(1 / (1 + Math.exp(-at)), within(1.5e-7));
            VectorMath.tanh(load(x)).intoArray(out, 0);
            assertThat((double) out[0]).as("tanh %f", at).isCloseTo(Math.tanh(at), within(1.5e-7));
            VectorMath.tanh(load(x).mul(0.01f)).intoArray(out, 0);
            double tanh = Math.tanh(at * 0.01f);
            assertThat((double) out[0]).as("tanh %f", at * 0.01).isCloseTo(tanh, within(Math.abs(tanh) * 3e-7 + 1e-9));
        }
        java.util.Arrays.fill(x, Float.NEGATIVE_INFINITY);
        VectorMath.exp(load(x)).intoArray(out, 0);
        assertThat(out[0]).isZero();
    }

    private static jdk.incubator.vector.FloatVector load(float[] x) {
        return jdk.incubator.vector.FloatVector.fromArray(Lanes.F, x, 0);
    }

    @Test
    void normsAdditionsAndActivationsFollowTheirFormulas() {
        Seeds.forEach(40, random -> {
            try (CpuDevice device = new CpuDevice(2)) {
                int rows = 1 + random.nextInt(20);
                int columns = 1 + random.nextInt(300);
                Tensor residual = device.tensor(rows, columns);
                Tensor branch = device.tensor(rows, columns);
                Tensor out = device.tensor(rows, columns);
                float[][] r = new float[rows][];
                float[][] b = new float[rows][];
                for (int i = 0; i < rows; i++) {
                    Numbers.write(residual, i, r[i] = Numbers.random(random, columns));
                    Numbers.write(branch, i, b[i] = Numbers.random(random, columns));
                }
                Kind[] kinds = Kind.values();
                float[] w1 = Numbers.random(random, columns);
                float[] w2 = Numbers.random(random, columns);
                NormSpec post = new NormSpec(kinds[random.nextInt(4)], device.vector(w1), 1e-5f);
                NormSpec next = new NormSpec(kinds[random.nextInt(4)], device.vector(w2), 1e-8f);
                device.ops().addNorm(residual, branch, rows, post, next, out);
                for (int i = 0; i < rows; i++) {
                    double[] sum = norm(post.kind(), w1, widen(b[i]), 1e-5);
                    for (int k = 0; k < columns; k++) {
                        sum[k] += r[i][k];
                    }
                    assertClose(Numbers.read(residual, i), sum);
                    assertClose(Numbers.read(out, i), norm(next.kind(), w2, sum, 1e-8));
                }
            }
        });
    }

    @Test
    void gatedActivationIsSiluTimesUp() {
        Seeds.forEach(30, random -> {
            try (CpuDevice device = new CpuDevice(2)) {
                int rows = 1 + random.nextInt(40);
                int columns = 1 + random.nextInt(200);
                Tensor in = device.tensor(rows, 2 * columns);
                Tensor out = device.tensor(rows, columns);
                for (int i = 0; i < rows; i++) {
                    Numbers.write(in, i, Numbers.random(random, 2 * columns));
                }
                device.ops().gatedActivation(out, in, rows);
                for (int i = 0; i < rows; i++) {
                    float[] x = Numbers.read(in, i);
                    double[] wanted = new double[columns];
                    for (int k = 0; k < columns; k++) {
                        wanted[k] = x[k] / (1 + Math.exp(-x[k])) * x[columns + k];
                    }
                    assertClose(Numbers.read(out, i), wanted);
                }
            }
        });
    }

    @Test
    void embeddingRowsAreTheTablesRows() {
        Seeds.forEach(10, random -> {
            try (CpuDevice device = new CpuDevice(2)) {
                int columns = 1 + random.nextInt(100);
                float[] values = Numbers.random(random, 77 * columns);
                ElementType type = ElementType.values()[random.nextInt(3)];
                WeightSource source = Numbers.source(type, 77, columns, values);
                int[] ids = random.ints(19, 0, 77).toArray();
                Tensor out = device.tensor(19, columns);
                device.ops().embed(out, device.embedding(source), ids, 19, NormSpec.NONE);
                for (int i = 0; i < 19; i++) {
                    for (int k = 0; k < columns; k++) {
                        assertThat(Numbers.read(out, i)[k])
                                .isEqualTo(Numbers.rounded(type, values[ids[i] * columns + k]));
                    }
                }
            }
        });
    }

    @Test
    void bf16IsRoundedToNearestEven() {
        assertThat(HeadStore.bf16(1f)).isEqualTo(0x3f80);
        assertThat(HeadStore.bf16(Float.intBitsToFloat(0x3f808000))).isEqualTo(0x3f80); // a tie, to even
        assertThat(HeadStore.bf16(Float.intBitsToFloat(0x3f818000))).isEqualTo(0x3f82); // a tie, to even
        assertThat(HeadStore.bf16(Float.intBitsToFloat(0x3f808001))).isEqualTo(0x3f81);
        assertThat(HeadStore.bf16(Float.MAX_VALUE)).isEqualTo(0x7f80); // infinity
        assertThat(HeadStore.bf16(-0f) & 0xffff).isEqualTo(0x8000);
        assertThat(Float.intBitsToFloat(HeadStore.bf16(Float.NaN) << 16)).isNaN();
        assertThat(Float.intBitsToFloat(HeadStore.bf16(Float.intBitsToFloat(0x7f800001)) << 16))
                .isNaN();
        assertThat(Float.intBitsToFloat(HeadStore.bf16(Float.intBitsToFloat(0xffffffff)) << 16))
                .isNaN();
    }

    private static double[] widen(float[] x) {
        double[] out = new double[x.length];
        for (int i = 0; i < x.length; i++) {
            out[i] = x[i];
        }
        return out;
    }

    private static double[] norm(Kind kind, float[] weight, double[] x, double eps) {
        double sum = 0;
        for (double v : x) {
            sum += v * v;
        }
        double scale = 1 / Math.sqrt(sum / x.length + eps);
        double[] out = x.clone();
        for (int i = 0; i < x.length && kind != Kind.NONE; i++) {
            out[i] *= scale * (kind == Kind.PLAIN ? weight[i] : kind == Kind.CENTRED ? 1 + (double) weight[i] : 1);
        }
        return out;
    }

    private static void assertClose(float[] got, double[] wanted) {
        for (int i = 0; i < wanted.length; i++) {
            assertThat((double) got[i]).isCloseTo(wanted[i], within(2e-6 * Math.max(1, Math.abs(wanted[i]))));
        }
        assertThat(List.of(got.length)).containsExactly(wanted.length);
    }
}
