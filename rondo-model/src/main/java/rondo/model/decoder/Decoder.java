package rondo.model.decoder;

import java.util.Arrays;
import rondo.engine.spi.StepLimits;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.FeedForwardSpec;
import rondo.model.compute.Device;
import rondo.model.compute.KvMemory;
import rondo.model.compute.NormSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;

/** The one forward pass: interprets a {@link DecoderSpec} over {@link Ops}, in buffers made once and reused. */
final class Decoder {
    private final DecoderSpec spec;
    private final DecoderWeights weights;
    private final Ops ops;

    private final Tensor residual;
    private final Tensor normed;
    private final Tensor branch;
    private final Tensor fused;
    private final Tensor attended;
    private final Tensor gateUp;
    private final Tensor activated;
    /** The attention's output of the rows alone. */
    private final Tensor rowAttended;

    private final Tensor logits;
    private final StepShape rowStep = new StepShape();
    /** 0, 1, 2, … */
    private final int[] firstRows;

    Decoder(DecoderSpec spec, DecoderWeights weights, Device device, StepLimits limits) {
        this.spec = spec;
        this.weights = weights;
        ops = device.ops();
        int tokens = limits.maxTokens();
        residual = device.tensor(tokens, spec.hidden());
        normed = device.tensor(tokens, spec.hidden());
        branch = device.tensor(tokens, spec.hidden());
        fused = device.tensor(tokens, fusedColumns(spec));
        attended = device.tensor(tokens, attendedColumns(spec));
        gateUp = device.tensor(tokens, 2 * width(spec));
        activated = device.tensor(tokens, width(spec));
        rowAttended = device.tensor(limits.maxRows(), attendedColumns(spec));
        logits = device.tensor(limits.maxRows(), spec.vocabulary());
        firstRows = new int[limits.maxRows()];
        Arrays.setAll(firstRows, i -> i);
        rowStep.slot = new int[limits.maxRows()];
        rowStep.start = new int[limits.maxRows()];
        rowStep.length = new int[limits.maxRows()];
        rowStep.context = new int[limits.maxRows()];
    }

    /** Bytes of the buffers of the largest step, in float32. */
    static long bufferBytes(DecoderSpec spec, StepLimits limits) {
        long perToken = 3L * spec.hidden() + fusedColumns(spec) + attendedColumns(spec) + 3L * width(spec);
        return 4
                * (limits.maxTokens() * perToken
                        + (long) limits.maxRows() * (spec.vocabulary() + attendedColumns(spec)));
    }

    /**
     * Runs a step: stores K and V of all its tokens, and computes the logits of {@code rows} of them, {@code rowIndex[j]}
     * being rows of the activations, ascending.
     */
    void forward(StepShape step, int[] ids, KvMemory kv, int[] rowIndex, int rows) {
        int tokens = step.tokens;
        ops.embed(residual, weights.embedding, ids, tokens, weights.embeddingNorm);
        ops.norm(normed, residual, tokens, weights.layers.getFirst().attentionNorm());
        int last = weights.layers.size() - 1;
        for (int i = 0; i < last; i++) {
            DecoderWeights.Layer layer = weights.layers.get(i);
            store(layer, step, kv);
            ops.attention(attended, fused, layer.attention(), step, kv);
            mix(
                    layer,
                    attended,
                    residual,
                    normed,
                    tokens,
                    weights.layers.get(i + 1).attentionNorm());
        }
        DecoderWeights.Layer layer = weights.layers.get(last);
        store(layer, step, kv);
        if (rows == tokens) {
            ops.attention(attended, fused, layer.attention(), step, kv);
            mix(layer, attended, residual, normed, rows, weights.finalNorm);
            logits(normed, rows);
        } else if (rows > 0) {
            // Beyond K and V nothing of the other tokens is wanted: the last layer goes on with the rows alone.
            chooseRuns(step, rowIndex, rows);
            ops.attention(attended, fused, layer.attention(), rowStep, kv);
            ops.gather(rowAttended, attended, rowIndex, rows);
            ops.gather(normed, residual, rowIndex, rows);
            mix(layer, rowAttended, normed, residual, rows, weights.finalNorm);
            logits(residual, rows);
        }
    }

    private void store(DecoderWeights.Layer layer, StepShape step, KvMemory kv) {
        ops.linear(fused, normed, step.tokens, layer.projection());
        ops.qkNormRopeStore(fused, layer.attention(), step, kv);
    }

    /** All of a layer that follows its attention: x becomes the new residual, n its next norm. */
    private void mix(DecoderWeights.Layer layer, Tensor from, Tensor x, Tensor n, int rows, NormSpec next) {
        ops.linear(branch, from, rows, layer.attentionOutput());
        ops.addNorm(x, branch, rows, layer.attentionPostNorm(), layer.feedForwardNorm(), n);
        ops.linear(gateUp, n, rows, layer.gateUp());
        ops.gatedActivation(activated, gateUp, rows);
        ops.linear(branch, activated, rows, layer.down());
        ops.addNorm(x, branch, rows, layer.feedForwardPostNorm(), next, n);
    }

    private void logits(Tensor from, int rows) {
        float multiplier = (float) spec.logitMultiplier();
        ops.logits(logits, from, firstRows, rows, weights.head, multiplier, (float) spec.logitCap());
    }

    /** The step's runs cut down to the chosen rows, neighbours in one run. */
    private void chooseRuns(StepShape step, int[] rowIndex, int rows) {
        rowStep.runs = 0;
        rowStep.tokens = rows;
        int run = 0;
        for (int j = 0; j < rows; j++) {
            int before = rowStep.runs - 1;
            boolean sameRun = rowIndex[j] < step.start[run] + step.length[run];
            if (j > 0 && sameRun && rowIndex[j] == rowIndex[j - 1] + 1) {
                rowStep.length[before]++;
                continue;
            }
            while (rowIndex[j] >= step.start[run] + step.length[run]) {
                run++;
            }
            int next = rowStep.runs++;
            rowStep.slot[next] = step.slot[run];
            rowStep.start[next] = rowIndex[j];
            rowStep.length[next] = 1;
            rowStep.context[next] = step.context[run] + rowIndex[j] - step.start[run];
        }
    }

    /** Copies the residual stream of row {@code i} after a step all of whose tokens were rows. */
    void residual(int i, float[] into) {
        residual.read(i, into);
    }

    /** Copies the logits of row {@code j} of the newest step. */
    void logits(int j, float[] into) {
        logits.read(j, into);
    }

    private static int fusedColumns(DecoderSpec spec) {
        return spec.layers().stream()
                .map(l -> l.attention())
                .mapToInt(a -> a.queryColumns() * (a.gated() ? 2 : 1) + 2 * a.keyColumns())
                .max()
                .orElseThrow();
    }

    private static int attendedColumns(DecoderSpec spec) {
        return spec.layers().stream()
                .mapToInt(l -> l.attention().queryColumns())
                .max()
                .orElseThrow();
    }

    private static int width(DecoderSpec spec) {
        return spec.layers().stream()
                .mapToInt(l -> switch (l.feedForward()) {
                    case FeedForwardSpec.SwiGlu(int width) -> width;
                    case FeedForwardSpec.Experts experts -> experts.width();
                })
                .max()
                .orElseThrow();
    }
}
