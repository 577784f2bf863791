package rondo.model;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import rondo.base.Json;
import rondo.base.UserError;
import rondo.model.arch.MuseGlimmer;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.ConfigNode;
import rondo.model.compute.ElementType;
import tools.jackson.databind.node.ObjectNode;

/**
 * Writes a {@code muse_glimmer} checkpoint of any size whose weights come from a formula (models.md §8): for benchmarks,
 * and for tests that know the right logits. It has no tokenizer. Nothing is held in memory but one buffer.
 */
public final class SyntheticCheckpoint {
    private static final int BUFFER_BYTES = 1 << 22;

    /**
     * Sizes of a model; everything else is as in the released 30B model.
     *
     * @param window tokens that a sliding layer sees
     */
    public record Shape(
            int hidden,
            int layers,
            int heads,
            int kvHeads,
            int headDim,
            int feedForward,
            int vocabulary,
            boolean tiedHead,
            int window,
            int maxLength) {
        /** As large as Llama-3.2-1B: 1.24 billion parameters, and 67 million more for the attention's gates. */
        public static Shape oneBillion(boolean tiedHead) {
            return new Shape(2048, 16, 32, 8, 64, 8192, 128_256, tiedHead, 2048, 131_072);
        }
    }

    private SyntheticCheckpoint() {}

    /** Writes {@code config.json}, {@code generation_config.json} and {@code model.safetensors} into a directory. */
    public static void write(Path directory, Shape shape, ElementType type) {
        try {
            Files.createDirectories(directory);
            Path config = directory.resolve("config.json");
            Files.writeString(config, config(shape, type).toPrettyString());
            ObjectNode generation = Json.mapper().createObjectNode();
            generation.put("do_sample", false).put("eos_token_id", shape.vocabulary() - 1);
            Files.writeString(directory.resolve("generation_config.json"), generation.toPrettyString());
            MuseGlimmer architecture = new MuseGlimmer();
            List<TensorTable.Wanted> tensors =
                    architecture.tensors().wanted(architecture.spec(ConfigNode.read(config))).stream()
                            .sorted(Comparator.comparing(TensorTable.Wanted::name))
                            .toList();
            writeTensors(directory.resolve("model.safetensors"), tensors, type);
        } catch (IOException e) {
            throw new UserError(
                    UserError.USAGE, "cannot write a checkpoint to '" + directory + "': " + e.getMessage(), e);
        }
    }

    private static ObjectNode config(Shape shape, ElementType type) {
        ObjectNode root = Json.mapper().createObjectNode();
        root.putArray("architectures").add("MuseGlimmerForConditionalGeneration");
        root.put("model_type", "muse_glimmer").put("dtype", dtype(type).key());
        root.put("tie_word_embeddings", shape.tiedHead());
        ObjectNode text = root.putObject("text_config");
        text.put("model_type", "muse_glimmer_text")
                .put("hidden_size", shape.hidden())
                .put("num_hidden_layers", shape.layers())
                .put("num_attention_heads", shape.heads())
                .put("num_key_value_heads", shape.kvHeads())
                .put("head_dim", shape.headDim())
                .put("intermediate_size", shape.feedForward())
                .put("vocab_size", shape.vocabulary())
                .put("tie_word_embeddings", shape.tiedHead())
                .put("sliding_window", shape.window())
                .put("max_position_embeddings", shape.maxLength());
        return root;
    }

    private static DType dtype(ElementType type) {
        return switch (type) {
            case F32 -> DType.FLOAT32;
            case BF16 -> DType.BFLOAT16;
            case F16 -> DType.FLOAT16;
        };
    }

    private static void writeTensors(Path file, List<TensorTable.Wanted> tensors, ElementType type) throws IOException {
        byte[] header = header(tensors, type);
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
            drain(buffer.putLong(header.length), channel);
            drain(ByteBuffer.wrap(header).position(header.length), channel);
            for (int k = 0; k < tensors.size(); k++) {
                writeTensor(channel, buffer, tensors.get(k), k, type);
            }
            drain(buffer, channel);
        }
    }

    private static byte[] header(List<TensorTable.Wanted> tensors, ElementType type) {
        ObjectNode header = Json.mapper().createObjectNode();
        long at = 0;
        for (TensorTable.Wanted tensor : tensors) {
            ObjectNode entry = header.putObject(tensor.name());
            entry.put("dtype", type.name());
            var shape = entry.putArray("shape").add(tensor.rows());
            if (tensor.columns() > 0) {
                shape.add(tensor.columns());
            }
            long end = at + tensor.elements() * type.bytes();
            entry.putArray("data_offsets").add(at).add(end);
            at = end;
        }
        return header.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void writeTensor(
            FileChannel channel, ByteBuffer buffer, TensorTable.Wanted tensor, int k, ElementType type)
            throws IOException {
        double factor = tensor.columns() > 0 ? Math.sqrt(12.0 / tensor.columns()) : 0.2;
        // The layers' norms scale by 1 + w, the final one by w.
        boolean centred = tensor.name().endsWith("layernorm.weight");
        double offset = tensor.columns() > 0 || centred ? 0 : 1;
        int base = 1_000_003 * k;
        for (long i = 0; i < tensor.elements(); i++) {
            if (buffer.remaining() < 4) {
                drain(buffer, channel);
            }
            float value = (float) (offset + factor * uniform((int) i + base));
            switch (type) {
                case F32 -> buffer.putFloat(value);
                case BF16 -> buffer.putShort(bf16(value));
                case F16 -> buffer.putShort(Float.floatToFloat16(value));
            }
        }
    }

    /** A number in [−0.5, 0.5) from 32 bits, by a multiplicative hash. */
    static double uniform(int n) {
        return Integer.toUnsignedLong(mix(n)) / 4294967296.0 - 0.5;
    }

    static int mix(int n) {
        int x = n;
        x ^= x >>> 16;
        x *= 0x7feb352d;
        x ^= x >>> 15;
        x *= 0x846ca68b;
        return x ^ x >>> 16;
    }

    /** Nearest bfloat16, ties to even; the formula makes no NaN. */
    private static short bf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }

    private static void drain(ByteBuffer buffer, FileChannel channel) throws IOException {
        buffer.flip();
        while (buffer.hasRemaining()) {
            channel.write(buffer);
        }
        buffer.clear();
    }
}
