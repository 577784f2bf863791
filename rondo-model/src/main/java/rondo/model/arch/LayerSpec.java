package rondo.model.arch;

/**
 * One layer: x += post(attention(pre(x))), then x += post(feedForward(pre(x))). A model without sandwich norms has
 * {@link NormRule#NONE} in the two post places.
 */
public record LayerSpec(
        NormRule attentionNorm,
        AttentionSpec attention,
        NormRule attentionPostNorm,
        NormRule feedForwardNorm,
        FeedForwardSpec feedForward,
        NormRule feedForwardPostNorm) {}
