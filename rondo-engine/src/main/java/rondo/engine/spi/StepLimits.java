package rondo.engine.spi;

/**
 * The largest step, fixed at {@link Executor#open}.
 *
 * @param maxSequences sequence slots, 0 to maxSequences - 1; slot maxSequences exists for padding
 * @param maxTokens    tokens of one step over all runs
 * @param maxRows      rows of one step whose logits are wanted
 * @param maxSeqLen    tokens of one sequence
 */
public record StepLimits(int maxSequences, int maxTokens, int maxRows, int maxSeqLen) {}
