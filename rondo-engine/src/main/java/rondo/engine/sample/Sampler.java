package rondo.engine.sample;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepResult;

/**
 * The definition of sampling: one row of float32 logits to one token, in the order of steps raw log-probabilities, bias,
 * penalties, masks, temperature, top-k, softmax, min-p, top-p, draw. Holds scratch for one row, so every thread that
 * samples has its own; allocates nothing per token.
 */
public final class Sampler {
    private final int vocabulary;
    private final float[] x;
    private final MemorySegment xSegment;
    private final float[] weight;
    private final double[] blocks;
    private final Cut cut;
    private final float[] groupMaxima;
    /** Those that may still be drawn, where not all may: ids ascending, logits, weights. */
    private final int[] ids;

    private final float[] idX;
    private final float[] idWeight;
    private int candidates;

    public Sampler(int vocabulary) {
        this.vocabulary = vocabulary;
        x = new float[vocabulary];
        xSegment = MemorySegment.ofArray(x);
        weight = new float[vocabulary];
        blocks = new double[vocabulary / RowKernels.BLOCK + 1];
        cut = new Cut(vocabulary);
        groupMaxima = new float[vocabulary / RowKernels.GROUP + 1];
        ids = new int[vocabulary];
        idX = new float[vocabulary];
        idWeight = new float[vocabulary];
    }

    /**
     * Samples one row if it is wanted, and counts the token for the slot's penalties.
     *
     * @param slot   the sequence's parameters and counts
     * @param logits at least {@code vocabulary} floats; only read
     * @param row    row of {@code samples} that says how, and of {@code out} that takes the answer
     */
    public void sample(SlotSampling slot, MemorySegment logits, SamplePlan samples, int row, StepResult out) {
        if (!samples.wanted[row]) {
            return;
        }
        int token = samples.forced[row] == SamplePlan.NONE ? choose(slot, logits, samples, row) : samples.forced[row];
        out.token[row] = token;
        if (token < 0) {
            return;
        }
        if (samples.topLogprobs[row] >= 0) {
            report(logits, token, samples.topLogprobs[row], row, out);
        }
        slot.append(token);
    }

    private int choose(SlotSampling slot, MemorySegment logits, SamplePlan samples, int row) {
        SamplingParams params = slot.params();
        boolean changed = params.bias().size() > 0 || params.penalizes() || samples.masked[row];
        if (params.isGreedy() && !changed) {
            return argmax(logits);
        }
        MemorySegment.copy(logits, ValueLayout.JAVA_FLOAT, 0, x, 0, vocabulary);
        bias(params.bias());
        if (params.penalizes()) {
            slot.penalize(x);
        }
        if (samples.masked[row]) {
            mask(samples.mask(row));
        }
        if (params.isGreedy()) {
            return argmax(xSegment);
        }
        RowKernels.divide(x, vocabulary, params.temperature());
        float max = RowKernels.max(xSegment, vocabulary);
        if (!Float.isFinite(max)) {
            return max == Float.NEGATIVE_INFINITY ? StepResult.EMPTY_MASK : StepResult.BAD_LOGITS;
        }
        return draw(params, max, Philox.uniform(params.seed(), params.choice(), samples.position[row]));
    }

    private int argmax(MemorySegment row) {
        float max = RowKernels.max(row, vocabulary);
        if (!Float.isFinite(max)) {
            return max == Float.NEGATIVE_INFINITY ? StepResult.EMPTY_MASK : StepResult.BAD_LOGITS;
        }
        return RowKernels.indexOf(row, vocabulary, max);
    }

    private void bias(LogitBias bias) {
        for (int i = 0; i < bias.size(); i++) {
            int id = bias.id(i);
            if (id >= 0 && id < vocabulary) {
                x[id] = bias.amount(i) <= LogitBias.NEVER ? Float.NEGATIVE_INFINITY : x[id] + bias.amount(i);
            }
        }
    }

    private void mask(MemorySegment bits) {
        for (int from = 0; from < vocabulary; from += Long.SIZE) {
            long forbidden = ~bits.getAtIndex(ValueLayout.JAVA_LONG, from / Long.SIZE);
            while (forbidden != 0) {
                int id = from + Long.numberOfTrailingZeros(forbidden);
                if (id >= vocabulary) {
                    break;
                }
                x[id] = Float.NEGATIVE_INFINITY;
                forbidden &= forbidden - 1;
            }
        }
    }

    /** Steps 7 to 11 on {@link #x}. */
    private int draw(SamplingParams params, float max, double u) {
        boolean topK = params.topK() > 0 && params.topK() < vocabulary;
        if (!topK && params.minP() <= 0 && params.topP() >= 1) {
            RowKernels.exponentials(x, vocabulary, max, weight);
            return pick(u * RowKernels.blockSums(weight, vocabulary, blocks));
        }
        double sum = topK ? keepTopK(params.topK(), max) : keepLikely(params, max);
        if (params.minP() > 0) {
            keepAtLeast(params.minP());
        }
        if (params.topP() < 1) {
            cut.afterMass(idX, idWeight, candidates, max, params.topP() * sum);
            keepAboveCut();
        }
        return pickCandidate(u);
    }

    /** Leaves the k largest as candidates; returns the sum of their weights. */
    private double keepTopK(int k, float max) {
        int groups = RowKernels.groupMaxima(x, vocabulary, groupMaxima);
        float bound = Float.NEGATIVE_INFINITY;
        if (k <= groups) {
            // k groups have a largest value that is at least this, so the k largest of all are at least this too.
            cut.afterCount(groupMaxima, groups, max, k);
            bound = cut.value();
        }
        candidates = RowKernels.atLeast(x, vocabulary, bound, ids);
        for (int i = 0; i < candidates; i++) {
            idX[i] = x[ids[i]];
        }
        if (candidates > k) {
            cut.afterCount(idX, candidates, max, k);
            keepAboveCut();
        }
        return RowKernels.exponentials(idX, candidates, max, idWeight);
    }

    /** Leaves those that min-p and top-p cannot but leave as candidates; returns the sum of all weights. */
    private double keepLikely(SamplingParams params, float max) {
        double sum = RowKernels.exponentials(x, vocabulary, max, weight);
        // All that weigh less than this weigh together less than what top-p drops; a little less still, for rounding.
        double least = 0.99 * (1 - params.topP()) * sum / vocabulary;
        candidates = RowKernels.atLeast(weight, vocabulary, (float) Math.max(least, Float.MIN_NORMAL), ids);
        for (int i = 0; i < candidates; i++) {
            idX[i] = x[ids[i]];
            idWeight[i] = weight[ids[i]];
        }
        return sum;
    }

    /** Min-p: the most likely weighs exp(0) = 1. */
    private void keepAtLeast(float least) {
        int kept = 0;
        for (int i = 0; i < candidates; i++) {
            if (idWeight[i] >= least) {
                move(i, kept++);
            }
        }
        candidates = kept;
    }

    private void keepAboveCut() {
        int kept = 0;
        for (int i = 0; i < candidates; i++) {
            if (cut.keeps(idX[i], i)) {
                move(i, kept++);
            }
        }
        candidates = kept;
    }

    private void move(int from, int to) {
        ids[to] = ids[from];
        idX[to] = idX[from];
        idWeight[to] = idWeight[from];
    }

    private int pickCandidate(double u) {
        double total = 0;
        for (int i = 0; i < candidates; i++) {
            total += idWeight[i];
        }
        double below = 0;
        int last = 0;
        for (int i = 0; i < candidates; i++) {
            if (idWeight[i] > 0) {
                last = i;
                below += idWeight[i];
                if (below > u * total) {
                    break;
                }
            }
        }
        return ids[last];
    }

    /** The first id whose cumulative weight is above the target. */
    private int pick(double target) {
        double below = 0;
        int block = 0;
        int lastBlock = (vocabulary - 1) / RowKernels.BLOCK;
        while (block < lastBlock && below + blocks[block] <= target) {
            below += blocks[block++];
        }
        int last = -1;
        for (int i = block * RowKernels.BLOCK; i < vocabulary; i++) {
            if (weight[i] > 0) {
                last = i;
                below += weight[i];
                if (below > target) {
                    return i;
                }
            }
        }
        // Rounding has kept the sum a hair below the target: the last one that weighs anything.
        for (int i = block * RowKernels.BLOCK - 1; last < 0; i--) {
            last = weight[i] > 0 ? i : -1;
        }
        return last;
    }

    private void report(MemorySegment logits, int token, int alternatives, int row, StepResult out) {
        MemorySegment.copy(logits, ValueLayout.JAVA_FLOAT, 0, x, 0, vocabulary);
        float max = RowKernels.max(xSegment, vocabulary);
        double logSum = max + Math.log(RowKernels.exponentials(x, vocabulary, max, weight));
        out.logprob[row] = (float) (x[token] - logSum);
        int most = Math.min(Math.min(alternatives, StepResult.MAX_ALTERNATIVES), vocabulary);
        if (most == 0) {
            return;
        }
        keepTopK(most, max);
        int from = row * StepResult.MAX_ALTERNATIVES;
        for (int i = 0; i < most; i++) {
            int best = 0;
            for (int c = 1; c < candidates; c++) {
                best = idX[c] > idX[best] ? c : best;
            }
            out.alternative[from + i] = ids[best];
            out.alternativeLogprob[from + i] = (float) (x[ids[best]] - logSum);
            idX[best] = Float.NEGATIVE_INFINITY;
        }
    }
}
