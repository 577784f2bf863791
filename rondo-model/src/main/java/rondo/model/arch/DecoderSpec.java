package rondo.model.arch;

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
}
