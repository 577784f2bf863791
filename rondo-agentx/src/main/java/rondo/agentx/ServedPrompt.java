package rondo.agentx;

import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.List;
import java.util.function.Function;
import rondo.agentx.plan.PromptText.Message;
import rondo.base.Json;
import rondo.base.TokenIds;
import rondo.base.UserError;
import rondo.text.ChatEncoder;
import rondo.text.ChatInput;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.Tokenizer;
import tools.jackson.databind.node.ArrayNode;

/** Messages to tokens as a server of a checkpoint sees them: its chat template, generation prompt included. */
public final class ServedPrompt implements Function<List<Message>, TokenIds> {
    private final ChatEncoder encoder;

    public ServedPrompt(ChatEncoder encoder) {
        this.encoder = encoder;
    }

    /** With the chat template of a checkpoint directory. */
    public static ServedPrompt of(Path checkpoint, Tokenizer tokenizer) {
        ChatTemplate template = ChatTemplate.load(checkpoint)
                .orElseThrow(() -> new UserError(UserError.MODEL, "bench: " + checkpoint + " has no chat template"));
        return new ServedPrompt(new ChatEncoder(tokenizer, template, true, PrefixTokenizationCache.off()));
    }

    @Override
    public TokenIds apply(List<Message> messages) {
        ArrayNode array = Json.mapper().createArrayNode();
        for (Message m : messages) {
            array.addObject().put("role", m.role().wire()).put("content", m.content());
        }
        ArrayNode noTools = Json.mapper().createArrayNode();
        return encoder.encode(ChatInput.of(array, noTools, LocalDateTime.now())).ids();
    }
}
