package rondo.model;

import java.nio.file.Files;
import java.nio.file.Path;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.StepLimits;
import rondo.model.arch.Architecture;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.checkpoint.ConfigNode;
import rondo.model.compute.ElementType;
import rondo.model.decoder.DecoderExecutor;

/**
 * The sizes of a model, read from its {@code config.json} alone.
 *
 * @param spec        the decoder
 * @param facts       what an engine asks, its KV layout among it
 * @param parameters  numbers in all tensors that the decoder takes
 * @param weightBytes what they take as they are stored
 * @param dtype       the compute type
 * @param stored      the type that the checkpoint names
 * @param kvDtype     type of K and V
 */
public record ModelShape(
        DecoderSpec spec,
        ModelFacts facts,
        long parameters,
        long weightBytes,
        DType dtype,
        DType stored,
        DType kvDtype) {
    /**
     * Reads a {@code config.json}, or the one in a directory.
     *
     * @param options as for loading; what concerns tensors has no effect
     */
    public static ModelShape read(Path fileOrDirectory, ModelOptions options) {
        Path file = Files.isDirectory(fileOrDirectory) ? fileOrDirectory.resolve("config.json") : fileOrDirectory;
        ConfigNode config = ConfigNode.read(file);
        Architecture architecture = Architecture.of(config);
        DecoderSpec spec = architecture.spec(config).withWindows(options.windows(), options.longest());
        DType dtype = dtype(config, options);
        DType kv = options.kvDtype() == DType.AUTO ? dtype : options.kvDtype();
        long parameters = architecture.tensors().wanted(spec).stream()
                .mapToLong(TensorTable.Wanted::elements)
                .sum();
        DType stored = dtype(config, ModelOptions.defaults());
        ModelFacts facts = new ModelFacts(
                spec.vocabulary(),
                spec.maxLength(),
                DecoderExecutor.layout(spec, kv.element(), options.tokensPerBlock()),
                0);
        return new ModelShape(
                spec,
                facts,
                parameters,
                Math.multiplyExact(parameters, stored.element().bytes()),
                dtype,
                stored,
                kv);
    }

    /**
     * Bytes of the weights once the CPU back end has taken them in: float16 is widened, and a head that is the embedding
     * is kept a second time in the kernels' layout.
     */
    public long cpuBytes() {
        long head = spec.tiedHead() ? (long) spec.vocabulary() * spec.hidden() : 0;
        return (parameters + head) * (stored.element() == ElementType.BF16 ? 2 : 4);
    }

    /** Bytes of the largest step's buffers, masks and block tables. */
    public long stepBytes(StepLimits limits) {
        return DecoderExecutor.stepBytes(spec, facts.layout(), limits);
    }

    /** The compute type: what is asked for, or what the checkpoint says, or bfloat16. */
    static DType dtype(ConfigNode config, ModelOptions options) {
        if (options.dtype() != DType.AUTO) {
            return options.dtype();
        }
        String stored = Checkpoint.dtype(config).orElse(DType.BFLOAT16.key());
        return DType.of(stored)
                .filter(type -> type != DType.AUTO)
                .orElseThrow(
                        () -> config.fault("dtype", "must be float16, bfloat16 or float32, got \"" + stored + "\""));
    }
}
