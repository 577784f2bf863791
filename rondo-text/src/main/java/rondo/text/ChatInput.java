package rondo.text;

import java.time.LocalDateTime;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * What a chat template is applied to.
 *
 * @param messages             the request's messages, as they came
 * @param tools                tool definitions; empty = none
 * @param addGenerationPrompt  whether the prompt ends with the head of the assistant's turn
 * @param continueFinalMessage whether the prompt ends inside the last message, right after its text
 * @param variables            further template variables (chat_template_kwargs, reasoning_effort, documents)
 * @param now                  what {@code strftime_now} prints
 */
public record ChatInput(
        ArrayNode messages,
        ArrayNode tools,
        boolean addGenerationPrompt,
        boolean continueFinalMessage,
        Map<String, JsonNode> variables,
        LocalDateTime now) {
    public ChatInput {
        variables = Map.copyOf(variables);
    }

    /** A chat without extras: generation prompt on, no further variables. */
    public static ChatInput of(ArrayNode messages, ArrayNode tools, LocalDateTime now) {
        return new ChatInput(messages, tools, true, false, Map.of(), now);
    }
}
