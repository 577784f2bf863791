package rondo.model.arch;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import rondo.model.checkpoint.SkipRule;

/**
 * The names that an architecture's checkpoints give to the decoder's tensors.
 *
 * @param layerPrefix   what stands before a layer's own names, {@code {i}} = its number
 * @param layer         names within a layer
 * @param mediaPrefixes what the names of image, video and audio towers start with
 */
public record TensorTable(
        String embedding,
        String finalNorm,
        String head,
        String layerPrefix,
        Map<TensorRole, String> layer,
        List<String> mediaPrefixes) {
    /** A tensor that the decoder wants, and its shape: [out, in], or [n] where {@code columns} is 0. */
    public record Wanted(String name, int rows, int columns) {
        public long elements() {
            return (long) rows * Math.max(1, columns);
        }
    }

    public TensorTable {
        layer = Map.copyOf(layer);
        mediaPrefixes = List.copyOf(mediaPrefixes);
    }

    /** The name of a layer's tensor. */
    public String name(int index, TensorRole role) {
        String name = layer.get(role);
        if (name == null) {
            throw new IllegalArgumentException("the table has no name for " + role);
        }
        return layerPrefix.replace("{i}", Integer.toString(index)) + name;
    }

    /** The name of the head, which is the embedding where they are tied. */
    public String headName(DecoderSpec spec) {
        return spec.tiedHead() ? embedding : head;
    }

    /** Every tensor that a decoder of this spec is made of, once each. */
    public List<Wanted> wanted(DecoderSpec spec) {
        List<Wanted> out = new ArrayList<>();
        out.add(new Wanted(embedding, spec.vocabulary(), spec.hidden()));
        for (int i = 0; i < spec.layers().size(); i++) {
            addLayer(out, i, spec.layers().get(i), spec.hidden());
        }
        if (spec.finalNorm().hasWeight()) {
            out.add(new Wanted(finalNorm, spec.hidden(), 0));
        }
        if (!spec.tiedHead()) {
            out.add(new Wanted(head, spec.vocabulary(), spec.hidden()));
        }
        return out;
    }

    /** What may be in a checkpoint and is not read, with the reasons' names. */
    public List<SkipRule> skips(DecoderSpec spec, boolean mediaDisabled) {
        List<SkipRule> rules = new ArrayList<>();
        rules.add(
                new SkipRule(mediaDisabled ? "disable_mm_encoder" : "no_encoder", mediaPrefixes, List.of(), List.of()));
        rules.add(new SkipRule("rotary_inv_freq", List.of(), List.of(".rotary_emb.inv_freq"), List.of()));
        if (spec.tiedHead()) {
            rules.add(new SkipRule("tied_head", List.of(), List.of(), List.of(head)));
        }
        return rules;
    }

    private void addLayer(List<Wanted> out, int i, LayerSpec layer, int hidden) {
        AttentionSpec attention = layer.attention();
        int q = attention.queryColumns();
        int kv = attention.keyColumns();
        addNorm(out, i, TensorRole.ATTENTION_NORM, layer.attentionNorm(), hidden);
        out.add(new Wanted(name(i, TensorRole.QUERY), q, hidden));
        out.add(new Wanted(name(i, TensorRole.KEY), kv, hidden));
        out.add(new Wanted(name(i, TensorRole.VALUE), kv, hidden));
        if (attention.gated()) {
            out.add(new Wanted(name(i, TensorRole.ATTENTION_GATE), q, hidden));
        }
        out.add(new Wanted(name(i, TensorRole.ATTENTION_OUTPUT), hidden, q));
        addNorm(out, i, TensorRole.QUERY_NORM, attention.queryNorm(), attention.headDim());
        addNorm(out, i, TensorRole.KEY_NORM, attention.keyNorm(), attention.headDim());
        addNorm(out, i, TensorRole.ATTENTION_POST_NORM, layer.attentionPostNorm(), hidden);
        addNorm(out, i, TensorRole.FFN_NORM, layer.feedForwardNorm(), hidden);
        switch (layer.feedForward()) {
            case FeedForwardSpec.SwiGlu(int width) -> {
                out.add(new Wanted(name(i, TensorRole.FFN_GATE), width, hidden));
                out.add(new Wanted(name(i, TensorRole.FFN_UP), width, hidden));
                out.add(new Wanted(name(i, TensorRole.FFN_DOWN), hidden, width));
            }
            case FeedForwardSpec.Experts experts ->
                // No table names experts yet: the architectures that have them are not built.
                throw new IllegalArgumentException("no names for a mixture of " + experts.experts() + " experts");
        }
        addNorm(out, i, TensorRole.FFN_POST_NORM, layer.feedForwardPostNorm(), hidden);
    }

    private void addNorm(List<Wanted> out, int i, TensorRole role, NormRule norm, int length) {
        if (norm.hasWeight()) {
            out.add(new Wanted(name(i, role), length, 0));
        }
    }
}
