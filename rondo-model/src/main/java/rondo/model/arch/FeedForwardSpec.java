package rondo.model.arch;

/** The feed-forward part of one layer. */
public sealed interface FeedForwardSpec {
    /** (silu(x·Wg) ⊙ (x·Wu))·Wd with {@code width} inner columns. */
    record SwiGlu(int width) implements FeedForwardSpec {}

    /**
     * A router's choice of experts, each {@code width} wide.
     *
     * @param softmaxFirst  softmax over all experts, then the top k; false: the top k, then softmax over those
     * @param normalize     the chosen experts' shares are divided by their sum
     * @param clamp         limit of the clamped SwiGLU (models.md §6.2); 0 = plain SwiGLU
     * @param biases        router and experts have biases
     */
    record Experts(
            int experts, int topK, int width, boolean softmaxFirst, boolean normalize, double clamp, boolean biases)
            implements FeedForwardSpec {}
}
