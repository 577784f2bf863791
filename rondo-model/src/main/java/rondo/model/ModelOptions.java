package rondo.model;

import java.util.List;

/**
 * How a checkpoint is loaded.
 *
 * @param dtype            {@code dtype}: what weights count as; AUTO = what the checkpoint says
 * @param kvDtype          {@code kv_cache_config.dtype}: the type of K and V; AUTO = the resolved dtype
 * @param tokensPerBlock   tokens of a KV cache block, a power of two from 2 to 1024
 * @param disableMmEncoder {@code disable_mm_encoder}: names the rule by which image and video tensors are skipped
 * @param windows          {@code max_attention_window}: tokens that each layer sees, repeated; empty = the model's own
 * @param longest          {@code max_seq_len} where it is given, else 0: a window of as many tokens is full attention
 */
public record ModelOptions(
        DType dtype, DType kvDtype, int tokensPerBlock, boolean disableMmEncoder, List<Integer> windows, int longest) {
    public ModelOptions {
        windows = List.copyOf(windows);
    }

    /** Everything by the checkpoint, blocks of 32 tokens. */
    public static ModelOptions defaults() {
        return new ModelOptions(DType.AUTO, DType.AUTO, 32, false, List.of(), 0);
    }

    public ModelOptions withKvDtype(DType type) {
        return new ModelOptions(dtype, type, tokensPerBlock, disableMmEncoder, windows, longest);
    }

    public ModelOptions withTokensPerBlock(int tokens) {
        return new ModelOptions(dtype, kvDtype, tokens, disableMmEncoder, windows, longest);
    }

    public ModelOptions withDisableMmEncoder(boolean on) {
        return new ModelOptions(dtype, kvDtype, tokensPerBlock, on, windows, longest);
    }

    public ModelOptions withWindows(List<Integer> tokens, int longestSequence) {
        return new ModelOptions(dtype, kvDtype, tokensPerBlock, disableMmEncoder, tokens, longestSequence);
    }
}
