package rondo.model.decoder;

import rondo.engine.spi.StepLimits;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.FeedForwardSpec;
import rondo.model.compute.Device;
import rondo.model.compute.KvMemory;
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
    private final Tensor logits;

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
        logits = device.tensor(limits.maxRows(), spec.vocabulary());
    }

    /** Bytes of the buffers of the largest step, in float32. */
    static long bufferBytes(DecoderSpec spec, StepLimits limits) {
        long perToken = 3L * spec.hidden() + fusedColumns(spec) + attendedColumns(spec) + 3L * width(spec);
        return 4 * (limits.maxTokens() * perToken + (long) limits.maxRows() * spec.vocabulary());
    }

    /**
     * Runs a step: stores K and V of all its tokens, and computes the logits of {@code rows} of them, {@code rowIndex[j]}
     * being rows of the activations.
     */
    void forward(StepShape step, int[] ids, KvMemory kv, int[] rowIndex, int rows) {
        int tokens = step.tokens;
        ops.embed(residual, weights.embedding, ids, tokens, weights.embeddingNorm);
        ops.norm(normed, residual, tokens, weights.layers.getFirst().attentionNorm());
        int last = weights.layers.size() - 1;
        for (int i = 0; i <= last; i++) {
            DecoderWeights.Layer layer = weights.layers.get(i);
            ops.linear(fused, normed, tokens, layer.projection());
            ops.qkNormRopeStore(fused, layer.attention(), step, kv);
            if (i == last && rows == 0) {
                return; // K and V are all that a step without rows leaves behind
            }
            ops.attention(attended, fused, layer.attention(), step, kv);
            ops.linear(branch, attended, tokens, layer.attentionOutput());
            ops.addNorm(residual, branch, tokens, layer.attentionPostNorm(), layer.feedForwardNorm(), normed);
            ops.linear(gateUp, normed, tokens, layer.gateUp());
            ops.gatedActivation(activated, gateUp, tokens);
            ops.linear(branch, activated, tokens, layer.down());
            var next = i == last ? weights.finalNorm : weights.layers.get(i + 1).attentionNorm();
            ops.addNorm(residual, branch, tokens, layer.feedForwardPostNorm(), next, normed);
        }
        ops.logits(
                logits, normed, rowIndex, rows, weights.head, (float) spec.logitMultiplier(), (float) spec.logitCap());
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
