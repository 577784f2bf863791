package rondo.engine;

/**
 * Facts that are fixed once the engine is open.
 *
 * @param vocabulary     number of logits
 * @param maxSeqLen      effective limit of prompt and output together, in tokens
 * @param tokensPerBlock page size, with which prompts are hashed
 * @param maxBatchSize   sequences active at once
 * @param maxNumTokens   tokens of one step
 */
public record EngineInfo(int vocabulary, int maxSeqLen, int tokensPerBlock, int maxBatchSize, int maxNumTokens) {}
