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
        NormRule feedForwardPostNorm) {
    LayerSpec withWindow(int window) {
        AttentionSpec a = attention;
        AttentionSpec changed = new AttentionSpec(
                a.heads(),
                a.kvHeads(),
                a.headDim(),
                window,
                a.scale(),
                a.queryNorm(),
                a.keyNorm(),
                a.queryScale(),
                a.rope(),
                a.gated(),
                a.sinkLogits(),
                a.biases());
        return new LayerSpec(
                attentionNorm, changed, attentionPostNorm, feedForwardNorm, feedForward, feedForwardPostNorm);
    }
}
