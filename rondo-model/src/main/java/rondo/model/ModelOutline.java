package rondo.model;

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
 * What a model will take of memory, by its {@code config.json} alone: no weight need be there.
 *
 * @param facts       what the engine must know, the KV layout among it
 * @param kvDtype     the resolved type of K and V
 * @param stored      the type of the weights in the checkpoint
 * @param parameters  numbers in the tensors of the decoder
 */
public record ModelOutline(DecoderSpec spec, ModelFacts facts, DType kvDtype, DType stored, long parameters) {
    /** Reads {@code config.json} of a directory; whatever is wrong with it is one clear line. */
    public static ModelOutline of(Path directory, ModelOptions options) {
        Checkpoint.requireDirectory(directory);
        ConfigNode config = ConfigNode.read(directory.resolve("config.json"));
        Architecture architecture = Architecture.of(config);
        DecoderSpec spec = architecture.spec(config).withWindows(options.windows(), options.longest());
        DType dtype = ModelLoader.dtype(config, options);
        DType stored = ModelLoader.dtype(config, ModelOptions.defaults());
        DType kv = options.kvDtype() == DType.AUTO ? dtype : options.kvDtype();
        long parameters = architecture.tensors().wanted(spec).stream()
                .mapToLong(TensorTable.Wanted::elements)
                .sum();
        return new ModelOutline(
                spec, DecoderExecutor.facts(spec, kv.element(), options.tokensPerBlock()), kv, stored, parameters);
    }

    /** Bytes of the weights as they are stored. */
    public long storedBytes() {
        return parameters * stored.element().bytes();
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
}
