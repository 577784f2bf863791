package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import rondo.engine.grammar.CompilersBusy;
import rondo.engine.grammar.Grammar;
import rondo.engine.grammar.GrammarCompiler;
import rondo.engine.grammar.GrammarSpec;
import rondo.engine.grammar.UnsupportedGrammar;
import tools.jackson.databind.JsonNode;

/**
 * The form that a request asks its output to have: {@code response_format}, or the fields that vLLM's clients know.
 *
 * @param field named in errors
 */
record Guided(String field, GrammarSpec spec) {
    /** At most one of the fields may be there; empty if none asks for anything. */
    static Optional<Guided> read(Fields body, boolean openSchemas) throws ApiError {
        List<Guided> found = new ArrayList<>();
        format(body, openSchemas).ifPresent(found::add);
        one(body.object("structured_outputs"), "", openSchemas).forEach(found::add);
        one(body, "guided_", openSchemas).forEach(found::add);
        if (found.size() > 1) {
            throw ApiError.invalid(
                    found.get(1).field,
                    "'" + found.get(1).field + "' must not come together with '" + found.get(0).field + "'");
        }
        return found.stream().findFirst();
    }

    private static Optional<Guided> format(Fields body, boolean open) throws ApiError {
        JsonNode value = body.raw("response_format");
        if (value == null) {
            return Optional.empty();
        }
        Fields format = body.object("response_format");
        String type = format.text("type", "");
        return switch (type) {
            case "text" -> Optional.empty();
            case "json_object" -> Optional.of(new Guided("response_format", new GrammarSpec.JsonObject()));
            case "json_schema" -> Optional.of(wrapped(format, open));
            case "json" -> Optional.of(schema(format, "schema", open));
            case "regex" -> Optional.of(regex(format, "regex"));
            case "ebnf" -> Optional.of(ebnf(format, "ebnf"));
            default -> throw format.wrong("type", "text, json_object, json_schema, regex or ebnf", type(value));
        };
    }

    private static JsonNode type(JsonNode format) {
        return format.has("type") ? format.get("type") : format;
    }

    /** OpenAI's form with name, strict and schema, or the schema itself in its place. */
    private static Guided wrapped(Fields format, boolean open) throws ApiError {
        if (!format.has("json_schema")) {
            throw format.missing("json_schema");
        }
        Fields inner = format.object("json_schema");
        inner.text("name", "");
        inner.flag("strict", false);
        return inner.has("schema") ? schema(inner, "schema", open) : schema(format, "json_schema", open);
    }

    private static List<Guided> one(Fields fields, String prefix, boolean open) throws ApiError {
        List<Guided> found = new ArrayList<>();
        if (fields.has(prefix + "json")) {
            found.add(schema(fields, prefix + "json", open));
        }
        if (fields.has(prefix + "regex")) {
            found.add(regex(fields, prefix + "regex"));
        }
        if (fields.has(prefix + "grammar")) {
            found.add(ebnf(fields, prefix + "grammar"));
        }
        if (fields.has(prefix + "choice")) {
            found.add(choice(fields, prefix + "choice"));
        }
        if (fields.flag(prefix + "json_object", false)) {
            found.add(new Guided(fields.path(prefix + "json_object"), new GrammarSpec.JsonObject()));
        }
        return found;
    }

    /** A schema as JSON, or as a string that holds it. */
    private static Guided schema(Fields fields, String name, boolean open) throws ApiError {
        JsonNode value = fields.raw(name);
        if (value == null) {
            throw fields.missing(name);
        }
        if (!value.isObject() && !value.isBoolean() && !value.isString()) {
            throw fields.wrong(name, "a JSON schema", value);
        }
        String text = value.isString() ? value.stringValue() : value.toString();
        return new Guided(fields.path(name), new GrammarSpec.Schema(text, open, false));
    }

    private static Guided regex(Fields fields, String name) throws ApiError {
        return new Guided(fields.path(name), new GrammarSpec.Regex(needed(fields, name)));
    }

    private static Guided ebnf(Fields fields, String name) throws ApiError {
        return new Guided(fields.path(name), new GrammarSpec.Ebnf(needed(fields, name)));
    }

    private static String needed(Fields fields, String name) throws ApiError {
        if (!fields.has(name)) {
            throw fields.missing(name);
        }
        return fields.notBlank(name);
    }

    private static Guided choice(Fields fields, String name) throws ApiError {
        List<String> texts = new ArrayList<>();
        for (JsonNode text : fields.array(name)) {
            if (!text.isString()) {
                throw fields.wrong(name, "an array of strings", text);
            }
            texts.add(text.stringValue());
        }
        if (texts.isEmpty()) {
            throw ApiError.invalid(fields.path(name), "'" + fields.path(name) + "' must have at least one string");
        }
        return new Guided(fields.path(name), new GrammarSpec.Choice(texts));
    }

    /** On the request's thread; with two seconds of work at most, whatever the grammar is. */
    Grammar compile(GrammarCompiler compiler) throws ApiError {
        try {
            return compiler.compile(spec);
        } catch (UnsupportedGrammar e) {
            throw ApiError.unsupportedGrammar(field, e.where(), String.valueOf(e.getMessage()));
        } catch (CompilersBusy e) {
            throw ApiError.queueFull(e.getMessage());
        }
    }
}
