package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import rondo.engine.grammar.GrammarSpec;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/** {@code tools} and {@code tool_choice} of a chat, checked. */
final class ToolFields {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_.-]{1,64}");
    private static final int MAX_ENUM_VALUES = 1000;
    private static final String NO_PARAMETERS = "{\"type\":\"object\",\"properties\":{}}";

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
        return true;
    }

    /**
     * What the answer is bound to: to calls where they are required, to the form asked for or calls where they may come.
     *
     * @param form     what the request asks of its text
     * @param parallel whether one answer may have several calls
     */
    static Optional<Guided> bound(
            Fields body, ArrayNode tools, Optional<Guided> form, OutputParsers parsers, boolean parallel, boolean open)
            throws ApiError {
        JsonNode choice = body.raw("tool_choice");
        boolean free = choice == null || JsonTree.isOneOf(choice, "auto", "none");
        if (tools.isEmpty() || free && form.isEmpty()) {
            return form;
        }
        if (!parsers.readsCalls()) {
            if (free) {
                return form;
            }
            throw ApiError.unsupported("tool_choice", "how this model writes calls is not known");
        }
        int most = parallel ? Integer.MAX_VALUE : 1;
        if (choice == null || free) {
            GrammarSpec calls = calls(tools, "", true, parsers, most, open);
            return form.map(f -> orCalls(f, calls));
        }
        String named = choice.path("function").path("name").asString("");
        return Optional.of(new Guided("tools", calls(tools, named, false, parsers, named.isEmpty() ? most : 1, open)));
    }

    /** EBNF has rule names of its own and stands alone: it binds the answer to text. */
    private static Guided orCalls(Guided form, GrammarSpec calls) {
        return form.spec() instanceof GrammarSpec.Ebnf
                ? form
                : new Guided(form.field(), new GrammarSpec.Either(form.spec(), calls));
    }

    /** @param any whether the arguments may be any object, whatever their schema */
    private static GrammarSpec calls(
            ArrayNode tools, String named, boolean any, OutputParsers parsers, int most, boolean open) throws ApiError {
        List<GrammarSpec.Call> calls = new ArrayList<>();
        for (JsonNode tool : tools) {
            JsonNode function = tool.get("function");
            String name = function.get("name").stringValue();
            if (named.isEmpty() || named.equals(name)) {
                JsonNode schema = function.get("parameters");
                boolean described = schema != null && schema.isObject() && !schema.isEmpty() && !any;
                String text = described ? schema.toString() : any ? "{\"type\":\"object\"}" : NO_PARAMETERS;
                calls.add(new GrammarSpec.Call(
                        parsers.calls().begin(name),
                        new GrammarSpec.Schema(text, open, false),
                        parsers.calls().end()));
            }
        }
        if (calls.isEmpty()) {
            throw ApiError.invalid(
                    "tool_choice", "'tool_choice' names '" + Values.cut(named) + "', which is not in 'tools'");
        }
        return new GrammarSpec.Calls(calls, parsers.calls().separator(), most);
    }
}
