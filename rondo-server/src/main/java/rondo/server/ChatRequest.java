package rondo.server;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import rondo.base.TokenIds;
import rondo.text.ChatInput;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * A chat completion, checked (serve-config.md §4.2).
 *
 * @param conversation      what the template is given
 * @param template          in place of the server's own; empty = none
 * @param promptTokens      the prompt itself, instead of the conversation; empty = none
 * @param parallelToolCalls false: generation ends after the first call
 * @param maxTokens         asked for; 0 = as many as the context leaves
 * @param guided            what the answer is bound to
 */
record ChatRequest(
        ChatInput conversation,
        String template,
        TokenIds promptTokens,
        boolean parallelToolCalls,
        int maxTokens,
        Optional<Guided> guided,
        GenerationFields generation) {
    private static final String[] EFFORTS = {"none", "low", "medium", "high", "xhigh", "max", "minimal"};

    static ChatRequest read(JsonNode root, GenerationFields.Context context) throws ApiError {
        Fields body = Fields.body(root);
        GenerationFields generation = GenerationFields.read(body, context, GenerationFields.chatLogprobs(body));
        generation.checkModel(context.model());
        TokenIds promptTokens = TokenIds.of(body.tokens("prompt_token_ids", context.vocabulary()));
        String template = RequestTemplate.read(body, context.options());
        boolean readsParts = template.isEmpty() ? context.model().templateReadsParts() : ContentParts.readBy(template);
        ArrayNode messages = promptTokens.length() > 0 && !body.has("messages")
                ? JsonTree.emptyArray()
                : ChatMessages.read(body, readsParts);
        refused(body);
        ArrayNode tools = ToolFields.read(body);
        ChatInput conversation = new ChatInput(
                messages,
                tools,
                body.flag("add_generation_prompt", true),
                false,
                variables(body),
                context.model().templateTime().get());
        if (body.flag("add_special_tokens", false)) {
            throw ApiError.unsupported("add_special_tokens", "a chat template writes its own");
        }
        boolean parallel = body.flag("parallel_tool_calls", true);
        boolean open = context.options().openSchemas();
        Optional<Guided> guided = ToolFields.bound(
                body, tools, Guided.read(body, open), context.model().parsers(), parallel, open);
        int maxTokens = GenerationFields.maxTokens(body, 1);
        checkMinimum(generation, maxTokens);
        GenerationFields.checkUnknown(body, context.options().strictBody());
        return new ChatRequest(conversation, template, promptTokens, parallel, maxTokens, guided, generation);
    }

    static void checkMinimum(GenerationFields generation, int maxTokens) throws ApiError {
        int minTokens = generation.stopRules().minTokens();
        if (maxTokens > 0 && minTokens > maxTokens) {
            throw ApiError.invalid(
                    "min_tokens", "'min_tokens' must be <= max_tokens (" + maxTokens + "), got " + minTokens);
        }
    }

    private static void refused(Fields body) throws ApiError {
        if (body.flag("continue_final_message", false)) {
            throw ApiError.unsupported("continue_final_message", "it is not built yet");
        }
        if (body.flag("echo", false)) {
            throw ApiError.unsupported("echo", "a chat is not echoed");
        }
        if (body.has("functions") || body.has("function_call")) {
            throw ApiError.unsupported(body.has("functions") ? "functions" : "function_call", "use 'tools'");
        }
    }

    private static Map<String, JsonNode> variables(Fields body) throws ApiError {
        Map<String, JsonNode> variables = new HashMap<>();
        body.object("chat_template_kwargs");
        JsonNode given = body.raw("chat_template_kwargs");
        if (given != null) {
            given.properties().forEach(e -> variables.put(e.getKey(), e.getValue()));
        }
        JsonNode effort = body.raw("reasoning_effort");
        if (effort != null) {
            if (!JsonTree.isOneOf(effort, EFFORTS)) {
                throw body.wrong("reasoning_effort", "one of none, low, medium, high, xhigh, max", effort);
            }
            variables.put("reasoning_effort", effort);
        }
        if (body.has("documents")) {
            variables.put("documents", body.array("documents"));
        }
        return variables;
    }
}
