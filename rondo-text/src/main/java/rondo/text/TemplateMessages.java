package rondo.text;

import java.util.regex.Pattern;
import rondo.base.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Brings a request's messages into the form that a template can read, found out from its source: clients write the same
 * thing in several ways, and templates print what they do not expect as {@code None} or drop it silently.
 *
 * @param argumentText whether a call's arguments may be JSON text (kept then: it is what the model wrote, to the letter)
 * @param parts        whether contents may be lists of parts
 * @param developer    whether the role {@code developer} is known
 */
record TemplateMessages(boolean argumentText, boolean parts, boolean developer) {
    private static final Pattern ARGUMENT_TEXT = Pattern.compile("arguments\\s+is\\s+string");
    private static final Pattern PARTS = Pattern.compile("\\{%-?\\s*for\\s[^%]*\\sin\\s[^%]*\\bcontent\\b");

    static TemplateMessages of(String source) {
        return new TemplateMessages(
                ARGUMENT_TEXT.matcher(source).find(), PARTS.matcher(source).find(), source.contains("developer"));
    }

    /** The messages, changed where they have to be; those that fit are shared, not copied. */
    ArrayNode adapt(ArrayNode messages) {
        ArrayNode out = messages.arrayNode(messages.size());
        for (JsonNode message : messages) {
            out.add(message instanceof ObjectNode object ? adapt(object) : message);
        }
        return out;
    }

    private ObjectNode adapt(ObjectNode message) {
        JsonNode content = message.path("content");
        boolean join = content.isArray() && !parts && onlyText(content);
        boolean rename = !developer && message.path("role").asString("").equals("developer");
        boolean parse = false;
        for (JsonNode call : message.path("tool_calls")) {
            parse |= !argumentText && call.path("function").path("arguments").isString();
        }
        if (!content.isNull() && !join && !rename && !parse) {
            return message;
        }
        ObjectNode out =
                parse ? message.deepCopy() : Json.mapper().createObjectNode().setAll(message);
        if (content.isNull()) {
            out.put("content", "");
        } else if (join) {
            out.put("content", joined(content));
        }
        if (rename) {
            out.put("role", "system");
        }
        if (parse) {
            for (JsonNode call : out.path("tool_calls")) {
                JsonNode arguments = call.path("function").path("arguments");
                if (arguments.isString()) {
                    ((ObjectNode) call.path("function")).set("arguments", object(arguments.stringValue()));
                }
            }
        }
        return out;
    }

    private static boolean onlyText(JsonNode parts) {
        for (JsonNode part : parts) {
            if (!part.path("text").isString()) {
                return false;
            }
        }
        return true;
    }

    private static String joined(JsonNode parts) {
        StringBuilder out = new StringBuilder();
        for (JsonNode part : parts) {
            out.append(out.isEmpty() ? "" : "\n").append(part.path("text").stringValue());
        }
        return out.toString();
    }

    private static JsonNode object(String arguments) {
        try {
            JsonNode parsed = Json.mapper().readTree(arguments);
            if (parsed.isObject()) {
                return parsed;
            }
        } catch (JacksonException e) {
            // falls through: the template gets the text under one key
        }
        return Json.mapper().createObjectNode().put("_raw", arguments);
    }
}
