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

    public Sampler(int vocabulary) {
        this.vocabulary = vocabulary;
        x = new float[vocabulary];
        xSegment = MemorySegment.ofArray(x);
        weight = new float[vocabulary];
        blocks = new double[vocabulary / RowKernels.BLOCK + 1];
        cut = new Cut(vocabulary);
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
        if (params.topK() > 0 && params.topK() < vocabulary) {
            cut.afterCount(x, vocabulary, max, params.topK());
            for (int i = 0; i < vocabulary; i++) {
                x[i] = cut.keeps(x[i], i) ? x[i] : Float.NEGATIVE_INFINITY;
            }
        }
        double sum = RowKernels.exponentials(x, vocabulary, max, weight);
        if (params.minP() > 0) {
            // The most likely weighs exp(0) = 1.
            float least = params.minP();
            for (int i = 0; i < vocabulary; i++) {
                weight[i] = weight[i] < least ? 0 : weight[i];
            }
        }
        if (params.topP() < 1) {
            cut.afterMass(x, weight, vocabulary, max, params.topP() * sum);
            for (int i = 0; i < vocabulary; i++) {
                weight[i] = cut.keeps(x[i], i) ? weight[i] : 0;
            }
        }
        double total = RowKernels.blockSums(weight, vocabulary, blocks);
        return pick(u * total);
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
        int from = row * StepResult.MAX_ALTERNATIVES;
        int most = Math.min(Math.min(alternatives, StepResult.MAX_ALTERNATIVES), vocabulary);
        int have = 0;
        float least = Float.NEGATIVE_INFINITY;
        for (int i = 0; i < vocabulary && most > 0; i++) {
            if (have < most || x[i] > least) {
                int at = have < most ? have++ : most - 1;
                while (at > 0 && x[i] > x[out.alternative[from + at - 1]]) {
                    out.alternative[from + at] = out.alternative[from + at - 1];
                    at--;
                }
                out.alternative[from + at] = i;
                least = x[out.alternative[from + have - 1]];
            }
        }
        for (int i = 0; i < most; i++) {
            out.alternativeLogprob[from + i] = (float) (x[out.alternative[from + i]] - logSum);
        }
    }
}
