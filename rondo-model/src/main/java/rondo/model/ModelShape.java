package rondo.model;

import java.nio.file.Files;
import java.nio.file.Path;
import rondo.engine.spi.ModelFacts;
import rondo.model.arch.Architecture;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.checkpoint.ConfigNode;
import rondo.model.decoder.DecoderExecutor;

/**
 * The sizes of a model, read from its {@code config.json} alone.
 *
 * @param spec        the decoder
 * @param facts       what an engine asks, its KV layout among it
 * @param parameters  numbers in all tensors that the decoder takes
 * @param weightBytes what they take in the compute type
 * @param dtype       the compute type
 * @param kvDtype     type of K and V
 */
public record ModelShape(
        DecoderSpec spec, ModelFacts facts, long parameters, long weightBytes, DType dtype, DType kvDtype) {
    /**
     * Reads a {@code config.json}, or the one in a directory.
     *
     * @param options as for loading; what concerns tensors has no effect
     */
    public static ModelShape read(Path fileOrDirectory, ModelOptions options) {
        Path file = Files.isDirectory(fileOrDirectory) ? fileOrDirectory.resolve("config.json") : fileOrDirectory;
        ConfigNode config = ConfigNode.read(file);
        Architecture architecture = Architecture.of(config);
        DecoderSpec spec = architecture.spec(config);
        DType dtype = dtype(config, options);
        DType kv = options.kvDtype() == DType.AUTO ? dtype : options.kvDtype();
        long parameters = architecture.tensors().wanted(spec).stream()
                .mapToLong(TensorTable.Wanted::elements)
                .sum();
        ModelFacts facts = new ModelFacts(
                spec.vocabulary(),
                spec.maxLength(),
                DecoderExecutor.layout(spec, kv.element(), options.tokensPerBlock()),
                0);
        return new ModelShape(
                spec, facts, parameters, Math.multiplyExact(parameters, dtype.element().bytes()), dtype, kv);
    }

    /** The compute type: what is asked for, or what the checkpoint says, or bfloat16. */
    static DType dtype(ConfigNode config, ModelOptions options) {
        if (options.dtype() != DType.AUTO) {
            return options.dtype();
        }
        String stored = Checkpoint.dtype(config).orElse(DType.BFLOAT16.key());
        return DType.of(stored)
                .filter(type -> type != DType.AUTO)
                .orElseThrow(() ->
                        config.fault("dtype", "must be float16, bfloat16 or float32, got \"" + stored + "\""));
    }
}
