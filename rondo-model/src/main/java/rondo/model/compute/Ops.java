package rondo.model.compute;

/**
 * The fused operations of a forward pass. {@code rows} is how many leading rows of the tensors count. Every output's
 * reduction order depends on its own row alone, never on what is computed beside it; attention is the left-to-right merge
 * of independent partials over the absolute position ranges [0,256), [256,512), …; K and V are rounded to the cache's
 * type before any use, also inside their own step. So batched = alone, chunked = whole, cached = computed, to the bit.
 */
public interface Ops {
    /** out[i] = norm(table[ids[i]]). */
    void embed(Tensor out, Weight table, int[] ids, int rows, NormSpec norm);

    /** out = norm(in). */
    void norm(Tensor out, Tensor in, int rows, NormSpec norm);

    /** residual += post(branch); out = next(residual). */
    void addNorm(Tensor residual, Tensor branch, int rows, NormSpec post, NormSpec next, Tensor out);

    /** out = in · Wᵀ. */
    void linear(Tensor out, Tensor in, int rows, Weight weight);

    /** Norms and rotates q and k in place (rows of the fused projection) and stores k and v in the pages. */
    void qkNormRopeStore(Tensor fused, AttentionOp op, StepShape step, KvMemory kv);

    /**
     * Causal attention over the pages: out [tokens, heads·d]. Runs after {@link #qkNormRopeStore} of the same layer; the
     * runs may be fewer and shorter than there (the last layer attends only for rows whose logits are wanted), each still
     * at its rows and positions.
     */
    void attention(Tensor out, Tensor fused, AttentionOp op, StepShape step, KvMemory kv);

    /** out[i] = silu(gate) ⊙ up, the fused input's columns being [gate | up]. */
    void gatedActivation(Tensor out, Tensor gateUp, int rows);

    /** out[j] = in[rowIndex[j]]; the tensors are different ones with equal columns. */
    void gather(Tensor out, Tensor in, int[] rowIndex, int rows);

    /**
     * Logits of chosen rows: out[j] = cap · tanh(multiplier · (in[rowIndex[j]] · Wᵀ) / cap), or without the cap when
     * {@code softCap} is 0.
     */
    void logits(Tensor out, Tensor in, int[] rowIndex, int rows, Weight head, float multiplier, float softCap);
}
