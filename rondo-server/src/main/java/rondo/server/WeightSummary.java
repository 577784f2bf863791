package rondo.server;

/**
 * How the checkpoint's tensors were used, as {@code /v1/models} tells it.
 *
 * @param rule by which tensors were skipped; empty = none were
 */
public record WeightSummary(int consumed, int skipped, String rule, int missing, int leftOver) {}
