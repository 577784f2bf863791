package rondo.model.compute;

/**
 * One layer's attention as the device runs it. Its input is the fused projection, columns
 * {@code [q: heads·d | k: kvHeads·d | v: kvHeads·d | gate: heads·d, if gated]}.
 *
 * @param group       life cycle of the layer, an index into {@link KvSpec#groups()}
 * @param layer       index of the layer within its group
 * @param window      tokens that a query sees, itself included; 0 = all
 * @param scale       factor of q·k
 * @param qNorm       norm of q per head, before qScale and rotation
 * @param kNorm       norm of k per head, before rotation
 * @param qScale      factor of q after its norm
 * @param frequencies d/2 rope frequencies (rotate-half pairing); empty = no rotation
 * @param gated       out = attention ⊙ σ(gate)
 */
public record AttentionOp(
        int group,
        int layer,
        int heads,
        int kvHeads,
        int headDim,
        int window,
        float scale,
        NormSpec qNorm,
        NormSpec kNorm,
        float qScale,
        Vector frequencies,
        boolean gated) {
    /** Columns of the fused projection. */
    public int inputColumns() {
        return (heads * (gated ? 2 : 1) + 2 * kvHeads) * headDim;
    }

    public int keyOffset() {
        return heads * headDim;
    }

    public int valueOffset() {
        return (heads + kvHeads) * headDim;
    }

    public int gateOffset() {
        return (heads + 2 * kvHeads) * headDim;
    }
}
