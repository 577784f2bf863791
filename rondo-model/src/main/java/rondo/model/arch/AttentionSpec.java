package rondo.model.arch;

/**
 * The attention of one layer.
 *
 * @param window     tokens that a query sees, itself included; 0 = all before it
 * @param scale      factor of q·k
 * @param queryNorm  norm per query head, before {@code queryScale} and rotation
 * @param keyNorm    norm per key head, before rotation
 * @param queryScale factor of q after its norm
 * @param gated      output ⊙ σ(gate projection of the layer's normed input)
 * @param sinkLogits one learned logit per head joins the softmax
 * @param biases     q, k, v and o have biases
 */
public record AttentionSpec(
        int heads,
        int kvHeads,
        int headDim,
        int window,
        double scale,
        NormRule queryNorm,
        NormRule keyNorm,
        double queryScale,
        RopeSpec rope,
        boolean gated,
        boolean sinkLogits,
        boolean biases) {
    /** Columns of q, of the gate and of the attention's output. */
    public int queryColumns() {
        return heads * headDim;
    }

    /** Columns of k and of v. */
    public int keyColumns() {
        return kvHeads * headDim;
    }
}
