package rondo.server;

import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** {@code tools} and {@code tool_choice} of a chat, checked. */
final class ToolFields {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final int MAX_ENUM_VALUES = 1000;

    private ToolFields() {}

    /** The tools that the template is given: none of them where the choice is none. */
    static ArrayNode read(Fields body) throws ApiError {
        ArrayNode tools = body.array("tools");
        for (int i = 0; i < tools.size(); i++) {
            check("tools[" + i + "]", tools.get(i));
        }
        return offered(body, tools) ? tools : JsonTree.emptyArray();
    }

    private static void check(String path, JsonNode tool) throws ApiError {
        if (!tool.isObject()) {
            throw ApiError.invalid(path, "'" + path + "' must be an object, got " + Values.shown(tool));
        }
        Fields fields = new Fields(tool, path + ".");
        if (!fields.text("type", "function").equals("function")) {
            throw fields.wrong("type", "function", tool.get("type"));
        }
        if (!fields.has("function")) {
            throw fields.missing("function");
        }
        Fields function = fields.object("function");
        JsonNode name = function.raw("name");
        if (name == null) {
            throw function.missing("name");
        }
        if (!name.isString() || !NAME.matcher(name.stringValue()).matches()) {
            throw function.wrong("name", "1 to 64 letters, digits, '_', '.' or '-'", name);
        }
        function.object("parameters");
        JsonNode parameters = function.raw("parameters");
        if (parameters != null && enumValues(parameters) > MAX_ENUM_VALUES) {
            throw ApiError.invalid(
                    function.path("parameters"),
                    "'" + function.path("parameters") + "' must have at most 1000 enum values in all");
        }
    }

    private static int enumValues(JsonNode schema) {
        int count = 0;
        JsonNode values = schema.get("enum");
        if (values != null && values.isArray()) {
            count += values.size();
        }
        for (JsonNode child : schema) {
            if (child.isContainer()) {
                count += enumValues(child);
            }
        }
        return count;
    }

    private static boolean offered(Fields body, ArrayNode tools) throws ApiError {
        JsonNode choice = body.raw("tool_choice");
        if (choice == null || JsonTree.isOneOf(choice, "auto")) {
            return true;
        }
        if (JsonTree.isOneOf(choice, "none")) {
            return false;
        }
        boolean named =
                choice.isObject() && choice.path("function").path("name").isString();
        if (!named && !JsonTree.isOneOf(choice, "required")) {
            throw body.wrong("tool_choice", "none, auto, required or a named function", choice);
        }
        if (tools.isEmpty()) {
            throw ApiError.invalid("tool_choice", "'tool_choice' needs 'tools'");
        }
        throw ApiError.unsupported("tool_choice", "required and named functions need guided decoding");
    }
}
