package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import rondo.base.TokenIds;
import tools.jackson.databind.JsonNode;

/**
 * A text completion, checked (serve-config.md §4.2, end).
 *
 * @param prompts   1 to 128, each its own sequence
 * @param maxTokens 0 only with echo: nothing is generated
 * @param guided    what each answer is bound to
 */
record CompletionRequest(
        List<Prompt> prompts,
        boolean echo,
        boolean addSpecialTokens,
        int maxTokens,
        Optional<Guided> guided,
        GenerationFields generation) {
    private static final int MAX_PROMPTS = 128;
    private static final int DEFAULT_MAX_TOKENS = 16;
    private static final String FORMS = "a string, an array of strings, token ids or arrays of token ids";

    /** One prompt as it was sent. */
    sealed interface Prompt {
        record Text(String text) implements Prompt {}

        record Ids(TokenIds ids) implements Prompt {}
    }

    static CompletionRequest read(JsonNode root, GenerationFields.Context context) throws ApiError {
        Fields body = Fields.body(root);
        GenerationFields generation = GenerationFields.read(body, context, GenerationFields.completionLogprobs(body));
        generation.checkModel(context.model());
        List<Prompt> prompts = prompts(body, context.vocabulary());
        if (body.has("suffix")) {
            throw ApiError.unsupported("suffix", "there is no fill-in-the-middle");
        }
        boolean echo = body.flag("echo", false);
        if (echo && generation.topLogprobs() >= 0) {
            throw ApiError.unsupported("echo", "together with 'logprobs' it is not built yet");
        }
        int maxTokens = body.has("max_tokens") || body.has("max_completion_tokens")
                ? GenerationFields.maxTokens(body, echo ? 0 : 1)
                : DEFAULT_MAX_TOKENS;
        ChatRequest.checkMinimum(generation, maxTokens);
        boolean addSpecialTokens = body.flag("add_special_tokens", true);
        Optional<Guided> guided = Guided.read(body, context.options().openSchemas());
        GenerationFields.checkUnknown(body, context.options().strictBody());
        return new CompletionRequest(prompts, echo, addSpecialTokens, maxTokens, guided, generation);
    }

    private static List<Prompt> prompts(Fields body, int vocabulary) throws ApiError {
        JsonNode given = body.raw("prompt");
        if (given == null) {
            throw body.missing("prompt");
        }
        List<Prompt> prompts = new ArrayList<>();
        if (given.isString()) {
            prompts.add(new Prompt.Text(given.stringValue()));
        } else if (!given.isArray() || given.isEmpty()) {
            throw body.wrong("prompt", FORMS, given);
        } else if (given.get(0).isNumber()) {
            prompts.add(new Prompt.Ids(TokenIds.of(Fields.tokens("prompt", given, vocabulary))));
        } else if (given.size() > MAX_PROMPTS) {
            throw ApiError.invalid("prompt", "'prompt' must have at most 128 prompts, got " + given.size());
        } else {
            for (int i = 0; i < given.size(); i++) {
                prompts.add(prompt(body, "prompt[" + i + "]", given.get(i), vocabulary));
            }
        }
        return List.copyOf(prompts);
    }

    private static Prompt prompt(Fields body, String path, JsonNode one, int vocabulary) throws ApiError {
        if (one.isString()) {
            return new Prompt.Text(one.stringValue());
        }
        if (one.isArray() && !one.isEmpty()) {
            return new Prompt.Ids(TokenIds.of(Fields.tokens(path, one, vocabulary)));
        }
        throw body.wrong("prompt", FORMS, one);
    }
}
