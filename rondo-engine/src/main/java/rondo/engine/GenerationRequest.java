package rondo.engine;

import rondo.engine.sample.SamplingParams;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;

/**
 * One generation to run, validated and hashed on the request's own thread.
 *
 * @param id          for logs
 * @param prompt      at least one token; made with the engine's tokens per block
 * @param maxTokens   at least 1; prompt and output together fit the engine's longest sequence
 * @param topLogprobs alternatives wanted per token, 0 to 20; -1 = no logprobs
 * @param priority    0 to 1, higher first, where the waiting queue goes by priority
 */
public record GenerationRequest(
        String id,
        PromptKeys prompt,
        int maxTokens,
        SamplingParams sampling,
        StopRules stop,
        int topLogprobs,
        TokenConstraint constraint,
        Retention retention,
        double priority) {
    public static GenerationRequest of(
            String id, PromptKeys prompt, int maxTokens, SamplingParams sampling, StopRules stop) {
        return new GenerationRequest(
                id, prompt, maxTokens, sampling, stop, -1, TokenConstraint.NONE, Retention.of(prompt.tokens()), 0.5);
    }
}
