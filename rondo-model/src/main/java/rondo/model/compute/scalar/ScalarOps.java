package rondo.model.compute.scalar;

import java.util.Arrays;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.KvMemory;
import rondo.model.compute.NormSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;
import rondo.model.compute.Weight;

/** The operations, one after the other as their formulas stand in models.md §0 and §1.2. */
final class ScalarOps implements Ops {
    private final ScalarAttention attention = new ScalarAttention();
    private final float[] sums = new float[ScalarWeight.PANEL];

    @Override
    public void embed(Tensor out, Weight table, int[] ids, int rows, NormSpec norm) {
        ScalarTensor to = (ScalarTensor) out;
        for (int i = 0; i < rows; i++) {
            norm(to.data, i * to.columns(), ((ScalarTable) table).table[ids[i]], 0, to.columns(), norm);
        }
    }

    @Override
    public void norm(Tensor out, Tensor in, int rows, NormSpec norm) {
        ScalarTensor to = (ScalarTensor) out;
        for (int i = 0; i < rows; i++) {
            norm(to.data, i * to.columns(), ((ScalarTensor) in).data, i * to.columns(), to.columns(), norm);
        }
    }

    @Override
    public void addNorm(Tensor residual, Tensor branch, int rows, NormSpec post, NormSpec next, Tensor out) {
        float[] x = ((ScalarTensor) residual).data;
        float[] b = ((ScalarTensor) branch).data;
        int columns = residual.columns();
        for (int i = 0; i < rows; i++) {
            int at = i * columns;
            norm(b, at, b, at, columns, post);
            for (int c = at; c < at + columns; c++) {
                x[c] += b[c];
            }
            norm(((ScalarTensor) out).data, at, x, at, columns, next);
        }
    }

    @Override
    public void linear(Tensor out, Tensor in, int rows, Weight weight) {
        ScalarTensor to = (ScalarTensor) out;
        ScalarTensor from = (ScalarTensor) in;
        ScalarWeight w = (ScalarWeight) weight;
        for (int p = 0; p < w.panels.length; p++) {
            for (int i = 0; i < rows; i++) {
                panel(to.data, i * to.columns(), from.data, i * from.columns(), w, p);
            }
        }
    }

    @Override
    public void qkNormRopeStore(Tensor fused, AttentionOp op, StepShape step, KvMemory kv) {
        attention.store((ScalarTensor) fused, op, step, (ScalarKv) kv);
    }

    @Override
    public void attention(Tensor out, Tensor fused, AttentionOp op, StepShape step, KvMemory kv) {
        attention.attend((ScalarTensor) out, (ScalarTensor) fused, op, step, (ScalarKv) kv);
    }

    @Override
    public void gatedActivation(Tensor out, Tensor gateUp, int rows) {
        ScalarTensor to = (ScalarTensor) out;
        float[] from = ((ScalarTensor) gateUp).data;
        int width = to.columns();
        for (int i = 0; i < rows; i++) {
            for (int c = 0; c < width; c++) {
                float gate = from[2 * i * width + c];
                to.data[i * width + c] = gate * sigmoid(gate) * from[(2 * i + 1) * width + c];
            }
        }
    }

    @Override
    public void gather(Tensor out, Tensor in, int[] rowIndex, int rows) {
        int columns = out.columns();
        for (int j = 0; j < rows; j++) {
            System.arraycopy(
                    ((ScalarTensor) in).data, rowIndex[j] * columns, ((ScalarTensor) out).data, j * columns, columns);
        }
    }

    @Override
    public void logits(Tensor out, Tensor in, int[] rowIndex, int rows, Weight head, float multiplier, float softCap) {
        ScalarTensor to = (ScalarTensor) out;
        ScalarTensor from = (ScalarTensor) in;
        ScalarWeight w = (ScalarWeight) head;
        for (int p = 0; p < w.panels.length; p++) {
            for (int j = 0; j < rows; j++) {
                panel(to.data, j * to.columns(), from.data, rowIndex[j] * from.columns(), w, p);
            }
        }
        for (int c = 0; c < rows * to.columns(); c++) {
            float z = to.data[c] * multiplier;
            to.data[c] = softCap == 0 ? z : softCap * (float) Math.tanh(z / softCap);
        }
    }

    /** One panel's outputs of one row: each is Σ x[k]·w[k], summed in the order of k with fused multiply-adds. */
    private void panel(float[] out, int to, float[] in, int from, ScalarWeight weight, int p) {
        Arrays.fill(sums, 0);
        for (int k = 0; k < weight.columns(); k++) {
            addScaled(sums, in[from + k], weight.panels[p], k * ScalarWeight.PANEL);
        }
        int first = p * ScalarWeight.PANEL;
        System.arraycopy(sums, 0, out, to + first, Math.min(ScalarWeight.PANEL, weight.rows() - first));
    }

    private static void addScaled(float[] sums, float x, float[] panel, int at) {
        for (int j = 0; j < ScalarWeight.PANEL; j++) {
            sums[j] = Math.fma(x, panel[at + j], sums[j]);
        }
    }

    /** out = norm(in); the two may be the same. */
    static void norm(float[] out, int to, float[] in, int from, int n, NormSpec norm) {
        if (norm.kind() == NormSpec.Kind.NONE) {
            System.arraycopy(in, from, out, to, n);
            return;
        }
        float squares = 0;
        for (int c = 0; c < n; c++) {
            squares = Math.fma(in[from + c], in[from + c], squares);
        }
        float inverse = (float) (1 / Math.sqrt(squares / n + norm.eps()));
        for (int c = 0; c < n; c++) {
            float y = in[from + c] * inverse;
            out[to + c] = switch (norm.kind()) {
                case NONE, WEIGHTLESS -> y;
                case PLAIN -> y * norm.weight().get(c);
                case CENTRED -> y * (1 + norm.weight().get(c));
            };
        }
    }

    static float sigmoid(float x) {
        return (float) (1 / (1 + Math.exp(-x)));
    }
}
