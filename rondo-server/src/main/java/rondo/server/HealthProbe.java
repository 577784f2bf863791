package rondo.server;

import rondo.base.TokenIds;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.GenerationRequest;
import rondo.engine.NotServing;
import rondo.engine.QueueFull;
import rondo.engine.StopRules;
import rondo.engine.TokenBatch;
import rondo.engine.TokenConstraint;
import rondo.engine.sample.SamplingParams;
import rondo.kv.CacheScope;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;

/** {@code /health_generate}: one token through the whole engine, or a 500 within ten seconds. */
final class HealthProbe {
    private static final long LIMIT_MILLIS = 10_000;

    private final Front front;

    HealthProbe(Front front) {
        this.front = front;
    }

    void run(Exchange exchange) throws ApiError {
        // Ordinary pages, a scope of its own: a probe neither reads nor disturbs what clients have cached.
        PromptKeys keys = PromptKeys.of(
                TokenIds.of(0),
                CacheScope.salted("health"),
                front.service().info().tokensPerBlock());
        GenerationRequest request = new GenerationRequest(
                "health-" + exchange.id,
                keys,
                1,
                SamplingParams.greedy(),
                StopRules.endingWith(),
                -1,
                TokenConstraint.NONE,
                new Retention(1, "", true),
                0.5);
        try {
            // The listener answers: the probe holds no thread while it waits.
            Generation generation = front.service().submit(request, g -> answer(exchange, g));
            exchange.onClose(generation::cancel);
            exchange.after(LIMIT_MILLIS, () -> {
                generation.cancel();
                exchange.fail(ApiError.internal(null, "no token within 10 seconds", exchange.id));
            });
        } catch (QueueFull e) {
            throw ApiError.queueFull(e.getMessage());
        } catch (NotServing e) {
            throw ApiError.notServing(e.state());
        }
    }

    private static void answer(Exchange exchange, Generation generation) {
        TokenBatch batch = new TokenBatch();
        while (generation.take(batch, 0)) {
            if (batch.finished) {
                if (batch.reason == FinishReason.LENGTH || batch.reason == FinishReason.STOP) {
                    exchange.reply(200, "", new byte[0]);
                } else {
                    exchange.fail(ApiError.internal(null, "the engine gave no token", exchange.id));
                }
                return;
            }
        }
    }
}
