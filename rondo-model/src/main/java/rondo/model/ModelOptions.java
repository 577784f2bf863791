package rondo.model;

/**
 * How a checkpoint is loaded.
 *
 * @param dtype            {@code dtype}: what weights count as; AUTO = what the checkpoint says
 * @param kvDtype          {@code kv_cache_config.dtype}: the type of K and V; AUTO = the resolved dtype
 * @param tokensPerBlock   tokens of a KV cache block, a power of two from 2 to 1024
 * @param disableMmEncoder {@code disable_mm_encoder}: names the rule by which image and video tensors are skipped
 */
public record ModelOptions(DType dtype, DType kvDtype, int tokensPerBlock, boolean disableMmEncoder) {
    /** Everything by the checkpoint, blocks of 32 tokens. */
    public static ModelOptions defaults() {
        return new ModelOptions(DType.AUTO, DType.AUTO, 32, false);
    }

    public ModelOptions withKvDtype(DType type) {
        return new ModelOptions(dtype, type, tokensPerBlock, disableMmEncoder);
    }

    public ModelOptions withTokensPerBlock(int tokens) {
        return new ModelOptions(dtype, kvDtype, tokens, disableMmEncoder);
    }
}
