package rondo.server;

import rondo.base.Json;
import rondo.engine.GenerationRequest;
import rondo.engine.TokenConstraint;
import rondo.engine.sample.SamplingParams;
import rondo.kv.CacheScope;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A request as it reached the engine, in the names of the API. */
final class SeenByEngine {
    private SeenByEngine() {}

    static ObjectNode of(GenerationRequest request) {
        ObjectNode seen = Json.mapper().createObjectNode();
        SamplingParams sampling = request.sampling();
        seen.put("temperature", sampling.temperature());
        seen.put("top_k", sampling.topK());
        seen.put("top_p", sampling.topP());
        seen.put("min_p", sampling.minP());
        seen.put("repetition_penalty", sampling.repetitionPenalty());
        seen.put("presence_penalty", sampling.presencePenalty());
        seen.put("frequency_penalty", sampling.frequencyPenalty());
        seen.put("seed", sampling.seed());
        ObjectNode bias = seen.putObject("logit_bias");
        for (int i = 0; i < sampling.bias().size(); i++) {
            bias.put(String.valueOf(sampling.bias().id(i)), sampling.bias().amount(i));
        }
        seen.put("max_tokens", request.maxTokens());
        seen.put("min_tokens", request.stop().minTokens());
        seen.put("ignore_eos", request.stop().ignoreEnd());
        ints(seen.putArray("stop_token_ids"), request.stop().stopIds());
        seen.put("top_logprobs", request.topLogprobs());
        seen.put("priority", request.priority());
        seen.put("conversation", request.retention().conversation());
        seen.put("salted", !request.prompt().scope().equals(CacheScope.unsalted()));
        seen.put("bound", request.constraint() != TokenConstraint.NONE);
        int[] prompt = request.prompt().ids().toArray();
        seen.put("prompt_tokens", prompt.length);
        seen.put("prompt", new TestTokenizer().decode(prompt, false));
        return seen;
    }

    private static void ints(ArrayNode into, int[] values) {
        for (int value : values) {
            into.add(value);
        }
    }
}
