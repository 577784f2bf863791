package rondo.model.arch;

import java.util.ArrayList;
import java.util.List;

/**
 * A decoder as data: everything that the one forward pass must know of an architecture and its sizes.
 *
 * @param architecture    the {@code model_type}
 * @param vocabulary      rows of the embedding, and logits per row
 * @param hidden          columns of the residual stream
 * @param maxLength       longest sequence the model is made for, in tokens
 * @param embeddingNorm   norm of the embedding's row
 * @param tiedHead        the head is the embedding
 * @param logitMultiplier factor of the logits, before the cap
 * @param logitCap        z = cap · tanh(z / cap); 0 = no cap
 */
public record DecoderSpec(
        String architecture,
        int vocabulary,
        int hidden,
        int maxLength,
        NormRule embeddingNorm,
        List<LayerSpec> layers,
        NormRule finalNorm,
        boolean tiedHead,
        double logitMultiplier,
        double logitCap) {
    public DecoderSpec {
        layers = List.copyOf(layers);
    }

    /**
     * The same with other attention windows, repeated over the layers; one that no sequence outgrows is full attention.
     * Nothing changes where none are given.
     *
     * @param longest tokens of the longest sequence that will be served; 0 = as long as the model is made for
     */
    public DecoderSpec withWindows(List<Integer> windows, int longest) {
        if (windows.isEmpty()) {
            return this;
        }
        List<LayerSpec> changed = new ArrayList<>();
        for (int i = 0; i < layers.size(); i++) {
            int window = windows.get(i % windows.size());
            changed.add(layers.get(i).withWindow(window < (longest > 0 ? longest : maxLength) ? window : 0));
        }
        return new DecoderSpec(
                architecture,
                vocabulary,
                hidden,
                maxLength,
                embeddingNorm,
                changed,
                finalNorm,
                tiedHead,
                logitMultiplier,
                logitCap);
    }
}
