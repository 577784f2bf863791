package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The {@code messages} of a chat, checked and brought to one form: roles the template knows, content a string or
 * null. Histories that are merely odd (two assistants in a row, a tool result without its call) pass as they are.
 */
final class ChatMessages {
    private static final Set<String> ROLES = Set.of("system", "developer", "user", "assistant", "tool", "function");

    private ChatMessages() {}

    static ArrayNode read(Fields body, boolean keepParts) throws ApiError {
        JsonNode given = body.array("messages");
        if (!body.has("messages")) {
            throw body.missing("messages");
        }
        if (given.isEmpty()) {
            throw ApiError.invalid("messages", "'messages' must have at least one message");
        }
        ArrayNode messages = JsonTree.emptyArray();
        for (int i = 0; i < given.size(); i++) {
            String path = "messages[" + i + "]";
            JsonNode one = given.get(i);
            if (!one.isObject()) {
                throw ApiError.invalid(path, "'" + path + "' must be an object, got " + Values.shown(one));
            }
            messages.add(message(new Fields(one, path + "."), (ObjectNode) one, keepParts));
        }
        return messages;
    }

    private static ObjectNode message(Fields fields, ObjectNode given, boolean keepParts) throws ApiError {
        String role = role(fields);
        // Only what is changed is copied: contents are by far the largest part and stay shared.
        ObjectNode message = JsonTree.emptyObject();
        message.setAll(given);
        message.put("role", role.equals("function") ? "tool" : role);
        content(fields, role, message, keepParts);
        if (role.equals("assistant")) {
            reasoning(fields, message);
            toolCalls(fields, message);
        } else if (role.equals("tool") && fields.text("tool_call_id", "").isEmpty()) {
            throw fields.missing("tool_call_id");
        }
        return message;
    }

    private static String role(Fields fields) throws ApiError {
        JsonNode role = fields.raw("role");
        if (role == null) {
            throw fields.missing("role");
        }
        if (!role.isString() || !ROLES.contains(role.stringValue())) {
            throw fields.wrong("role", "one of system, developer, user, assistant, tool", role);
        }
        return role.stringValue();
    }

    private static void content(Fields fields, String role, ObjectNode message, boolean keepParts) throws ApiError {
        JsonNode content = fields.raw("content");
        if (content == null) {
            if (!role.equals("assistant")) {
                throw fields.missing("content");
            }
            message.putNull("content");
        } else if (content.isArray()) {
            List<String> parts = parts(fields.path("content"), content);
            if (keepParts && parts.size() > 1) {
                ArrayNode array = message.putArray("content");
                parts.forEach(text -> array.addObject().put("type", "text").put("text", text));
            } else {
                message.put("content", String.join("\n", parts));
            }
        } else if (!content.isString()) {
            throw fields.wrong("content", "a string or an array of parts", content);
        }
    }

    /**
     * The texts of the parts. A template that knows no parts gets them as one string, with a line break between two as
     * other servers have it.
     */
    private static List<String> parts(String path, JsonNode parts) throws ApiError {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            JsonNode part = parts.get(i);
            String at = path + "[" + i + "]";
            if (part.isString()) {
                texts.add(part.stringValue());
                continue;
            }
            if (!part.isObject()) {
                throw ApiError.invalid(at, "'" + at + "' must be an object, got " + Values.shown(part));
            }
            Fields fields = new Fields(part, at + ".");
            String type = fields.text("type", "text");
            switch (type) {
                case "text", "input_text", "output_text" -> {
                    if (!fields.has("text")) {
                        throw fields.missing("text");
                    }
                    texts.add(fields.text("text", ""));
                }
                case "refusal" -> texts.add(fields.text("refusal", ""));
                case "image_url", "image", "input_image", "input_audio", "audio_url", "video_url", "video", "file" ->
                    throw ApiError.invalid(
                            at, "'" + at + "' is a part of type " + type + ", but this model reads text only");
                default -> throw fields.wrong("type", "text", part.get("type"));
            }
        }
        return texts;
    }

    /** Both names that clients send are given to the template under both. */
    private static void reasoning(Fields fields, ObjectNode message) throws ApiError {
        String reasoning = fields.text("reasoning_content", "");
        if (reasoning.isEmpty()) {
            reasoning = fields.text("reasoning", "");
        }
        if (!reasoning.isEmpty()) {
            message.put("reasoning_content", reasoning);
            message.put("reasoning", reasoning);
        }
    }

    private static void toolCalls(Fields fields, ObjectNode message) throws ApiError {
        JsonNode calls = fields.array("tool_calls");
        if (calls.isEmpty()) {
            message.remove("tool_calls");
            return;
        }
        for (int i = 0; i < calls.size(); i++) {
            String path = fields.path("tool_calls") + "[" + i + "]";
            JsonNode call = calls.get(i);
            if (!call.isObject()) {
                throw ApiError.invalid(path, "'" + path + "' must be an object, got " + Values.shown(call));
            }
            Fields function = new Fields(call, path + ".").object("function");
            if (function.text("name", "").isEmpty()) {
                throw function.missing("name");
            }
            JsonNode arguments = function.raw("arguments");
            if (arguments != null && !arguments.isString() && !arguments.isObject()) {
                throw function.wrong("arguments", "a string or an object", arguments);
            }
        }
    }
}
