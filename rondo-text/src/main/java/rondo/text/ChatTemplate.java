package rondo.text;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import rondo.base.Json;
import rondo.base.UserError;
import rondo.text.jinja.Limits;
import rondo.text.jinja.Template;
import rondo.text.jinja.TemplateException;
import rondo.text.jinja.Text;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.NullNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The chat template of a checkpoint: messages and tools to prompt text, in which the template's own characters can be
 * told from those of messages, tools and variables ({@link Text#isForeign}). Immutable, thread-safe.
 */
public final class ChatTemplate {
    private static final String DEFAULT = "default";
    private static final String TOOL_USE = "tool_use";

    private record Named(String source, Template template, TemplateMessages messages) {}

    private final Map<String, Named> templates;
    private final Map<String, String> specialTokens;

    private ChatTemplate(Map<String, Named> templates, Map<String, String> specialTokens) {
        this.templates = templates;
        this.specialTokens = Map.copyOf(specialTokens);
    }

    /**
     * The template of a checkpoint directory: {@code chat_template.jinja}, else {@code chat_template} of {@code
     * tokenizer_config.json} (one, or several by name); {@code additional_chat_templates} add to them. Empty when the
     * checkpoint has none.
     */
    public static Optional<ChatTemplate> load(Path checkpoint) {
        JsonNode config = CheckpointText.json(checkpoint, "tokenizer_config.json");
        Map<String, Named> templates = new LinkedHashMap<>();
        Path own = checkpoint.resolve("chat_template.jinja");
        if (Files.exists(own)) {
            templates.put(DEFAULT, compile(own.toString(), CheckpointText.text(own)));
        } else {
            fromConfig(checkpoint.resolve("tokenizer_config.json"), config.path("chat_template"), templates);
        }
        additional(checkpoint.resolve("additional_chat_templates"), templates);
        if (templates.isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new ChatTemplate(templates, specialTokens(checkpoint, config)));
    }

    /** Another template than the checkpoint's own, with the checkpoint's special tokens. */
    public static ChatTemplate replacing(Path checkpoint, String source) {
        JsonNode config = CheckpointText.json(checkpoint, "tokenizer_config.json");
        return of(source, specialTokens(checkpoint, config));
    }

    private static Map<String, String> specialTokens(Path checkpoint, JsonNode config) {
        Map<String, String> special = new HashMap<>();
        specialTokens(CheckpointText.json(checkpoint, "special_tokens_map.json"), special);
        specialTokens(config, special);
        return special;
    }

    /** A template from its source, with the values of {@code bos_token} and the like. */
    public static ChatTemplate of(String source, Map<String, String> specialTokens) {
        return new ChatTemplate(Map.of(DEFAULT, named(source)), specialTokens);
    }

    /** Another template in its place, with the same special tokens; a {@link TemplateException} says what is wrong in it. */
    public ChatTemplate replacedBy(String source) {
        return of(source, specialTokens);
    }

    /** The source of the template that is used without tools, to look for the marks of a format. */
    public String source() {
        return templates.containsKey(DEFAULT)
                ? get(DEFAULT).source()
                : templates.values().iterator().next().source();
    }

    /** Renders; a {@link TemplateException} says what in the template or the input is wrong. */
    public Text render(ChatInput input) {
        return render(input, Limits.DEFAULT);
    }

    /** Renders within the given limits. */
    public Text render(ChatInput input, Limits limits) {
        Named named = choose(!input.tools().isEmpty());
        ArrayNode messages = named.messages().adapt(input.messages());
        String mark = "";
        if (input.continueFinalMessage()) {
            mark = unusedMark(messages);
            messages = marked(messages, mark);
        }
        Map<String, JsonNode> variables = new HashMap<>();
        variables.put("documents", NullNode.getInstance());
        variables.putAll(input.variables());
        variables.put("messages", messages);
        variables.put("tools", input.tools().isEmpty() ? NullNode.getInstance() : input.tools());
        variables.put("add_generation_prompt", BooleanNode.valueOf(input.addGenerationPrompt()));
        Text text = named.template().render(variables, specialTokens, input.now(), limits);
        if (mark.isEmpty()) {
            return text;
        }
        int end = text.toString().lastIndexOf(mark);
        if (end < 0) {
            throw new IllegalArgumentException("the chat template does not show the text of the last message");
        }
        return (Text) text.subSequence(0, end);
    }

    private Named choose(boolean withTools) {
        if (withTools && templates.containsKey(TOOL_USE)) {
            return get(TOOL_USE);
        }
        if (!templates.containsKey(DEFAULT)) {
            throw new UserError(
                    UserError.MODEL, "model: the checkpoint has no default chat template, only " + templates.keySet());
        }
        return get(DEFAULT);
    }

    private Named get(String name) {
        Named named = templates.get(name);
        if (named == null) {
            throw new IllegalStateException("no template " + name);
        }
        return named;
    }

    private static String unusedMark(ArrayNode messages) {
        String all = messages.toString();
        String mark = "\uFDD0end";
        while (all.contains(mark)) {
            mark += "\uFDD0";
        }
        return mark;
    }

    private static ArrayNode marked(ArrayNode messages, String mark) {
        if (messages.isEmpty()) {
            throw new IllegalArgumentException("there is no last message to continue");
        }
        ArrayNode out = messages.deepCopy();
        JsonNode last = out.get(out.size() - 1);
        JsonNode content = last.path("content");
        if (content.isString()) {
            ((ObjectNode) last).put("content", content.stringValue() + mark);
            return out;
        }
        for (int i = content.size() - 1; i >= 0; i--) {
            if (content.get(i).path("text").isString()) {
                ((ObjectNode) content.get(i))
                        .put("text", content.get(i).path("text").stringValue() + mark);
                return out;
            }
        }
        throw new IllegalArgumentException("the last message has no text to continue");
    }

    private static Named named(String source) {
        return new Named(source, Template.compile(source), TemplateMessages.of(source));
    }

    private static Named compile(String file, String source) {
        try {
            return named(source);
        } catch (TemplateException e) {
            throw new UserError(
                    UserError.MODEL, "model: " + file + ": chat template line " + e.line() + ": " + e.reason(), e);
        }
    }

    private static void fromConfig(Path file, JsonNode node, Map<String, Named> to) {
        if (node.isString()) {
            to.put(DEFAULT, compile(file.toString(), node.stringValue()));
        }
        for (JsonNode entry : node.isArray() ? node : Json.mapper().createArrayNode()) {
            if (!entry.path("name").isString() || !entry.path("template").isString()) {
                throw new UserError(
                        UserError.MODEL, "model: " + file + ": chat_template entries need a name and a template");
            }
            to.put(
                    entry.path("name").stringValue(),
                    compile(file.toString(), entry.path("template").stringValue()));
        }
    }

    private static void additional(Path directory, Map<String, Named> to) {
        if (!Files.isDirectory(directory)) {
            return;
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.jinja")) {
            for (Path file : files) {
                String name = String.valueOf(file.getFileName());
                to.put(
                        name.substring(0, name.length() - ".jinja".length()),
                        compile(file.toString(), CheckpointText.text(file)));
            }
        } catch (IOException e) {
            throw new UserError(UserError.MODEL, "model: cannot read " + directory + ": " + e.getMessage(), e);
        }
    }

    private static void specialTokens(JsonNode node, Map<String, String> to) {
        node.properties().forEach(e -> {
            JsonNode value = e.getValue();
            JsonNode content = value.isObject() ? value.path("content") : value;
            if (e.getKey().endsWith("_token") && content.isString()) {
                to.put(e.getKey(), content.stringValue());
            }
        });
    }
}
