package rondo.model.decoder;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import rondo.model.arch.AttentionSpec;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.FeedForwardSpec;
import rondo.model.arch.LayerSpec;
import rondo.model.arch.NormRule;
import rondo.model.arch.RopeSpec;
import rondo.model.arch.TensorRole;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.checkpoint.Faults;
import rondo.model.checkpoint.StoredTensor;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.Device;
import rondo.model.compute.ElementType;
import rondo.model.compute.NormSpec;
import rondo.model.compute.Vector;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/** A decoder's weights on a device, fused as the forward pass wants them: q|k|v|gate and gate|up in one matrix each. */
final class DecoderWeights {
    /** One layer, ready for the operations. */
    record Layer(
            NormSpec attentionNorm,
            Weight projection,
            AttentionOp attention,
            Weight attentionOutput,
            NormSpec attentionPostNorm,
            NormSpec feedForwardNorm,
            Weight gateUp,
            Weight down,
            NormSpec feedForwardPostNorm) {}

    final Weight embedding;
    final NormSpec embeddingNorm;
    final List<Layer> layers = new ArrayList<>();
    final NormSpec finalNorm;
    final Weight head;

    private final TensorTable table;
    private final Checkpoint checkpoint;
    private final Device device;
    private final Map<RopeSpec, Vector> frequencies = new HashMap<>();

    /** Takes every tensor in; the checkpoint's shapes and types must have been checked ({@link #requireReadable}). */
    DecoderWeights(DecoderSpec spec, TensorTable table, KvPlan kv, Checkpoint checkpoint, Device device) {
        this.table = table;
        this.checkpoint = checkpoint;
        this.device = device;
        embedding = device.embedding(matrix(table.embedding()));
        embeddingNorm = norm(spec.embeddingNorm(), table.embedding());
        for (int i = 0; i < spec.layers().size(); i++) {
            layers.add(layer(i, spec.layers().get(i), kv));
        }
        finalNorm = norm(spec.finalNorm(), table.finalNorm());
        head = device.weight(List.of(matrix(table.headName(spec))));
    }

    /** Fails with one line on the first tensor whose type or shape is not what the decoder wants. */
    static void requireReadable(Checkpoint checkpoint, List<TensorTable.Wanted> wanted) {
        for (TensorTable.Wanted want : wanted) {
            StoredTensor tensor = checkpoint.tensor(want.name()).orElseThrow();
            if (tensor.element().isEmpty()) {
                throw Faults.in(
                        tensor.file(),
                        "tensor " + want.name() + ": dtype must be F32, BF16 or F16, got " + tensor.type());
            }
            List<Long> shape = want.columns() == 0
                    ? List.of((long) want.rows())
                    : List.of((long) want.rows(), (long) want.columns());
            if (!tensor.shape().equals(shape)) {
                throw Faults.in(
                        tensor.file(),
                        "tensor " + want.name() + ": shape must be " + shape + " by config.json, got "
                                + tensor.shape());
            }
        }
    }

    private Layer layer(int i, LayerSpec spec, KvPlan kv) {
        AttentionSpec attention = spec.attention();
        List<WeightSource> projection = new ArrayList<>(
                List.of(matrix(i, TensorRole.QUERY), matrix(i, TensorRole.KEY), matrix(i, TensorRole.VALUE)));
        if (attention.gated()) {
            projection.add(matrix(i, TensorRole.ATTENTION_GATE));
        }
        if (!(spec.feedForward() instanceof FeedForwardSpec.SwiGlu)) {
            throw new IllegalArgumentException("the forward pass has no operation for " + spec.feedForward());
        }
        return new Layer(
                norm(spec.attentionNorm(), i, TensorRole.ATTENTION_NORM),
                device.weight(projection),
                attention(i, attention, kv),
                device.weight(List.of(matrix(i, TensorRole.ATTENTION_OUTPUT))),
                norm(spec.attentionPostNorm(), i, TensorRole.ATTENTION_POST_NORM),
                norm(spec.feedForwardNorm(), i, TensorRole.FFN_NORM),
                device.weight(List.of(matrix(i, TensorRole.FFN_GATE), matrix(i, TensorRole.FFN_UP))),
                device.weight(List.of(matrix(i, TensorRole.FFN_DOWN))),
                norm(spec.feedForwardPostNorm(), i, TensorRole.FFN_POST_NORM));
    }

    private AttentionOp attention(int i, AttentionSpec spec, KvPlan kv) {
        if (spec.biases() || spec.sinkLogits() || spec.rope().amplitude() != 1) {
            throw new IllegalArgumentException("the forward pass has no operation for " + spec);
        }
        Vector phi = frequencies.computeIfAbsent(spec.rope(), rope -> {
            float[] values = rope.frequencies(spec.headDim());
            return values.length == 0 ? Vector.EMPTY : device.vector(values);
        });
        return new AttentionOp(
                kv.group().get(i),
                kv.place().get(i),
                spec.heads(),
                spec.kvHeads(),
                spec.headDim(),
                spec.window(),
                (float) spec.scale(),
                norm(spec.queryNorm(), i, TensorRole.QUERY_NORM),
                norm(spec.keyNorm(), i, TensorRole.KEY_NORM),
                (float) spec.queryScale(),
                phi,
                spec.gated());
    }

    private NormSpec norm(NormRule rule, int layer, TensorRole role) {
        return norm(rule, rule.hasWeight() ? table.name(layer, role) : "");
    }

    private NormSpec norm(NormRule rule, String name) {
        float eps = (float) rule.eps();
        return switch (rule.kind()) {
            case NONE -> NormSpec.NONE;
            case WEIGHTLESS -> NormSpec.weightless(eps);
            case PLAIN_EARLY, PLAIN_LATE -> new NormSpec(NormSpec.Kind.PLAIN, vector(name), eps);
            case CENTRED -> new NormSpec(NormSpec.Kind.CENTRED, vector(name), eps);
        };
    }

    private WeightSource matrix(int layer, TensorRole role) {
        return matrix(table.name(layer, role));
    }

    private WeightSource matrix(String name) {
        StoredTensor tensor = checkpoint.tensor(name).orElseThrow();
        return new WeightSource(
                name,
                tensor.element().orElseThrow(),
                Math.toIntExact(tensor.shape().get(0)),
                Math.toIntExact(tensor.shape().get(1)),
                tensor.bytes());
    }

    private Vector vector(String name) {
        StoredTensor tensor = checkpoint.tensor(name).orElseThrow();
        float[] values = new float[Math.toIntExact(tensor.shape().getFirst())];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(tensor.bytes(), tensor.element().orElseThrow(), i);
        }
        return device.vector(values);
    }

    private static float value(MemorySegment bytes, ElementType type, int i) {
        var shorts = ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        return switch (type) {
            case F32 -> bytes.get(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 4L * i);
            case BF16 -> Float.intBitsToFloat(bytes.get(shorts, 2L * i) << 16);
            case F16 -> Float.float16ToFloat(bytes.get(shorts, 2L * i));
        };
    }
}
