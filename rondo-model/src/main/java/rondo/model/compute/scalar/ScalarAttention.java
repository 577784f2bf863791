package rondo.model.compute.scalar;

import java.util.Arrays;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.StepShape;

/** Attention over pages: norms, rotation and storing of q, k, v, then the merge of partials over ranges of positions. */
final class ScalarAttention {
    /** Positions of one partial; ranges are [0, 256), [256, 512), … whatever the query, the chunk or the window. */
    private static final int RANGE = 256;

    private static final int KEY = 0;
    private static final int VALUE = 1;

    private final float[] scores = new float[RANGE];
    // Sized by the head dimension of the first call that needs more.
    private float[] stored = new float[0];
    private float[] sum = new float[0];
    private float[] partial = new float[0];
    private float[] cos = new float[0];
    private float[] sin = new float[0];

    void store(ScalarTensor fused, AttentionOp op, StepShape step, ScalarKv kv) {
        reserve(op.headDim());
        for (int run = 0; run < step.runs; run++) {
            for (int i = 0; i < step.length[run]; i++) {
                int position = step.context[run] + i;
                storeRow(fused.data, (step.start[run] + i) * fused.columns(), op, step.slot[run], position, kv);
            }
        }
    }

    private void storeRow(float[] x, int row, AttentionOp op, int slot, int position, ScalarKv kv) {
        int d = op.headDim();
        angles(op, position);
        for (int h = 0; h < op.heads(); h++) {
            int q = row + h * d;
            ScalarOps.norm(x, q, x, q, d, op.qNorm());
            for (int c = q; c < q + d; c++) {
                x[c] *= op.qScale();
            }
            rotate(x, q, op);
        }
        for (int h = 0; h < op.kvHeads(); h++) {
            int k = row + op.keyOffset() + h * d;
            ScalarOps.norm(x, k, x, k, d, op.kNorm());
            rotate(x, k, op);
            kv.store(slot, op.group(), op.layer(), KEY, h, position, x, k);
            kv.store(slot, op.group(), op.layer(), VALUE, h, position, x, row + op.valueOffset() + h * d);
        }
    }

    /** The product position · φ is a float32, as the reference forms it (models.md §0). */
    private void angles(AttentionOp op, int position) {
        for (int j = 0; j < op.frequencies().length(); j++) {
            float angle = position * op.frequencies().get(j);
            cos[j] = (float) Math.cos(angle);
            sin[j] = (float) Math.sin(angle);
        }
    }

    private void rotate(float[] x, int at, AttentionOp op) {
        int half = op.frequencies().length();
        for (int j = 0; j < half; j++) {
            float a = x[at + j];
            float b = x[at + half + j];
            x[at + j] = a * cos[j] - b * sin[j];
            x[at + half + j] = b * cos[j] + a * sin[j];
        }
    }

    void attend(ScalarTensor out, ScalarTensor fused, AttentionOp op, StepShape step, ScalarKv kv) {
        reserve(op.headDim());
        int d = op.headDim();
        for (int run = 0; run < step.runs; run++) {
            for (int i = 0; i < step.length[run]; i++) {
                int row = step.start[run] + i;
                for (int h = 0; h < op.heads(); h++) {
                    int q = row * fused.columns() + h * d;
                    int to = row * out.columns() + h * d;
                    attendHead(out.data, to, fused.data, q, op, h, step.slot[run], step.context[run] + i, kv);
                    if (op.gated()) {
                        gate(out.data, to, fused.data, q + op.gateOffset(), d);
                    }
                }
            }
        }
    }

    /** The left-to-right merge of the ranges' partials (max, sum of weights, weighted values). */
    private void attendHead(
            float[] out, int to, float[] x, int q, AttentionOp op, int head, int slot, int position, ScalarKv kv) {
        int d = op.headDim();
        int kvHead = head / (op.heads() / op.kvHeads());
        int oldest = op.window() == 0 ? 0 : Math.max(0, position - op.window() + 1);
        float max = Float.NEGATIVE_INFINITY;
        float weight = 0;
        Arrays.fill(sum, 0, d, 0);
        for (int range = oldest / RANGE * RANGE; range <= position; range += RANGE) {
            int first = Math.max(oldest, range);
            int count = Math.min(position, range + RANGE - 1) - first + 1;
            float partialMax = scores(x, q, op, kvHead, slot, first, count, kv);
            float partialWeight = values(op, kvHead, slot, first, count, partialMax, kv);
            float newMax = Math.max(max, partialMax);
            float keep = exp(max - newMax);
            float add = exp(partialMax - newMax);
            weight = weight * keep + partialWeight * add;
            for (int c = 0; c < d; c++) {
                sum[c] = sum[c] * keep + partial[c] * add;
            }
            max = newMax;
        }
        for (int c = 0; c < d; c++) {
            out[to + c] = sum[c] / weight;
        }
    }

    /** Fills {@link #scores} of {@code count} positions and returns the largest. */
    private float scores(float[] x, int q, AttentionOp op, int kvHead, int slot, int first, int count, ScalarKv kv) {
        float max = Float.NEGATIVE_INFINITY;
        for (int j = 0; j < count; j++) {
            kv.load(slot, op.group(), op.layer(), KEY, kvHead, first + j, stored);
            float dot = 0;
            for (int c = 0; c < op.headDim(); c++) {
                dot = Math.fma(x[q + c], stored[c], dot);
            }
            scores[j] = dot * op.scale();
            max = Math.max(max, scores[j]);
        }
        return max;
    }

    /** Fills {@link #partial} with Σ exp(score − max)·v and returns Σ exp(score − max). */
    private float values(AttentionOp op, int kvHead, int slot, int first, int count, float max, ScalarKv kv) {
        float total = 0;
        Arrays.fill(partial, 0, op.headDim(), 0);
        for (int j = 0; j < count; j++) {
            kv.load(slot, op.group(), op.layer(), VALUE, kvHead, first + j, stored);
            float p = exp(scores[j] - max);
            total += p;
            for (int c = 0; c < op.headDim(); c++) {
                partial[c] = Math.fma(p, stored[c], partial[c]);
            }
        }
        return total;
    }

    private static void gate(float[] out, int to, float[] x, int gate, int d) {
        for (int c = 0; c < d; c++) {
            out[to + c] *= ScalarOps.sigmoid(x[gate + c]);
        }
    }

    private static float exp(float x) {
        return (float) Math.exp(x);
    }

    private void reserve(int headDim) {
        if (stored.length < headDim) {
            stored = new float[headDim];
            sum = new float[headDim];
            partial = new float[headDim];
            cos = new float[headDim / 2];
            sin = new float[headDim / 2];
        }
    }
}
