package rondo.engine;

import java.util.concurrent.atomic.AtomicLong;
import rondo.kv.CacheScope;
import rondo.kv.PromptKeys;

/**
 * The cold twin of a request: the same under a salt that nobody has used, so that nothing of it can come from the cache.
 * Greedy, both must give the same tokens.
 */
public final class ColdTwin {
    private final AtomicLong count = new AtomicLong();

    /** A salt that this object has not given before. */
    public String salt() {
        return "cold twin " + count.incrementAndGet();
    }

    public GenerationRequest of(GenerationRequest warm) {
        return with(
                warm,
                PromptKeys.of(
                        warm.prompt().ids(),
                        CacheScope.salted(salt()),
                        warm.prompt().tokensPerBlock()));
    }

    /** The same request for another prompt. */
    public static GenerationRequest with(GenerationRequest r, PromptKeys prompt) {
        return new GenerationRequest(
                r.id(),
                prompt,
                r.maxTokens(),
                r.sampling(),
                r.stop(),
                r.topLogprobs(),
                r.constraint(),
                r.retention(),
                r.priority());
    }

    /** The same request under a grammar. */
    public static GenerationRequest with(GenerationRequest r, TokenConstraint constraint) {
        return new GenerationRequest(
                r.id(),
                r.prompt(),
                r.maxTokens(),
                r.sampling(),
                r.stop(),
                r.topLogprobs(),
                constraint,
                r.retention(),
                r.priority());
    }
}
