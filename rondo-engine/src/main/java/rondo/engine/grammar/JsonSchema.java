package rondo.engine.grammar;

import java.math.BigDecimal;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * JSON Schema (draft 2020-12, the keywords that guided output knows) as rules. The language is a part of what the schema
 * allows: properties come in the declared order, and what the schema leaves open without saying so is closed.
 */
final class JsonSchema {
    private static final Set<String> REFUSED = Set.of(
            "not",
            "if",
            "then",
            "else",
            "dependentSchemas",
            "dependentRequired",
            "dependencies",
            "unevaluatedProperties",
            "unevaluatedItems",
            "contains",
            "propertyNames",
            "additionalItems",
            "$dynamicRef",
            "$recursiveRef");
    private static final int MAX_DEPTH = 128;
    private static final List<String> ALL_TYPES = List.of("object", "array", "string", "number", "boolean", "null");
    private static final Map<String, List<String>> TYPE_OF_KEYWORD = Map.of(
            "object",
                    List.of(
                            "properties",
                            "required",
                            "additionalProperties",
                            "patternProperties",
                            "minProperties",
                            "maxProperties"),
            "array", List.of("items", "prefixItems", "minItems", "maxItems"),
            "string", List.of("pattern", "minLength", "maxLength", "format"),
            "number", List.of("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"));

    private final JsonNode root;
    final GrammarRules rules;
    final JsonValues values;
    final Budget budget;
    private final SchemaMerge merge;
    private final Map<String, Integer> references = new HashMap<>();
    private final SchemaObjects objects;
    private final SchemaStrings strings;
    private int depth;

    private JsonSchema(JsonNode root, GrammarRules rules, boolean open, boolean strictWhitespace, Budget budget) {
        this.root = root;
        this.rules = rules;
        this.budget = budget;
        values = new JsonValues(rules, strictWhitespace);
        merge = new SchemaMerge(this::resolve);
        objects = new SchemaObjects(this, open);
        strings = new SchemaStrings(budget);
    }

    /**
     * Adds the schema's rules.
     *
     * @param open             whether absent {@code additionalProperties} means true
     * @param strictWhitespace whether no white space is allowed at all
     */
    static Expr compile(JsonNode schema, GrammarRules rules, boolean open, boolean strictWhitespace, Budget budget) {
        JsonSchema compiler = new JsonSchema(schema, rules, open, strictWhitespace, budget);
        int whole = rules.define("schema");
        compiler.references.put("", whole);
        rules.body(whole, compiler.value(schema, ""));
        return new Expr.Call(whole);
    }

    Expr value(JsonNode schema, String at) {
        budget.work();
        if (schema.isBoolean()) {
            return schema.booleanValue() ? values.any() : Expr.NEVER;
        }
        if (!schema.isObject()) {
            throw new UnsupportedGrammar(at, "a schema must be an object or a boolean");
        }
        if (++depth > MAX_DEPTH) {
            throw new UnsupportedGrammar(at, "schemas are nested more than " + MAX_DEPTH + " deep");
        }
        Expr found = object((ObjectNode) schema, at);
        depth--;
        return found;
    }

    private Expr object(ObjectNode schema, String at) {
        for (String name : REFUSED) {
            if (schema.has(name)) {
                throw new UnsupportedGrammar(at + "/" + name, "the keyword '" + name + "' is not supported");
            }
        }
        if (schema.has("$ref")) {
            ObjectNode siblings = without(schema, "$ref");
            return SchemaMerge.annotationsOnly(siblings)
                    ? reference(schema.get("$ref"), at + "/$ref")
                    : value(merge.both(resolve(schema.get("$ref"), at + "/$ref"), siblings, at), at);
        }
        if (schema.has("allOf")) {
            JsonNode merged = without(schema, "allOf");
            for (JsonNode part : list(schema, "allOf", at)) {
                merged = merge.both(merged, part, at + "/allOf");
            }
            return value(merged, at);
        }
        for (String name : List.of("anyOf", "oneOf")) {
            if (schema.has(name)) {
                return choices(schema, name, at);
            }
        }
        if (schema.has("const") || schema.has("enum")) {
            return literals(schema, at);
        }
        List<Expr> choices = new ArrayList<>();
        for (String type : types(schema, at)) {
            choices.add(typed(schema, type, at));
        }
        return Expr.alt(choices);
    }

    private Expr choices(ObjectNode schema, String name, String at) {
        ObjectNode base = without(schema, name);
        boolean alone = SchemaMerge.annotationsOnly(base);
        List<Expr> choices = new ArrayList<>();
        int i = 0;
        for (JsonNode choice : list(schema, name, at)) {
            String where = at + "/" + name + "/" + i++;
            choices.add(value(alone ? choice : merge.both(base, choice, where), where));
        }
        return Expr.alt(choices);
    }

    private Expr literals(ObjectNode schema, String at) {
        List<JsonNode> wanted = new ArrayList<>();
        if (schema.has("enum")) {
            wanted.addAll(list(schema, "enum", at));
        } else {
            wanted.add(schema.get("const"));
        }
        SchemaCheck check = new SchemaCheck(schema, strings, at);
        List<Expr> choices = new ArrayList<>();
        for (JsonNode literal : wanted) {
            if (check.admits(literal)) {
                choices.add(Expr.text(JsonValues.text(literal)));
            }
        }
        return Expr.alt(choices);
    }

    private Expr typed(ObjectNode schema, String type, String at) {
        return switch (type) {
            case "object" -> objects.object(schema, at);
            case "array" -> array(schema, at);
            case "string" -> strings.value(schema, at, values);
            case "number" -> number(schema, at, false);
            case "integer" -> number(schema, at, true);
            case "boolean" -> Expr.alt(Expr.text("true"), Expr.text("false"));
            case "null" -> Expr.text("null");
            default -> throw new UnsupportedGrammar(at + "/type", "unknown type '" + type + "'");
        };
    }

    private Expr number(ObjectNode schema, String at, boolean integer) {
        boolean whole = integer;
        if (schema.has("multipleOf")) {
            JsonNode step = schema.get("multipleOf");
            if (!step.isNumber() || step.decimalValue().compareTo(BigDecimal.ONE) != 0) {
                throw new UnsupportedGrammar(at + "/multipleOf", "only multipleOf 1 is supported");
            }
            whole = true;
        }
        List<SchemaNumbers.Bound> low = SchemaCheck.low(schema, at);
        List<SchemaNumbers.Bound> high = SchemaCheck.high(schema, at);
        if (low.isEmpty() && high.isEmpty()) {
            return whole ? values.integer() : values.number();
        }
        return whole ? SchemaNumbers.integers(low, high) : SchemaNumbers.numbers(low, high);
    }

    private Expr array(ObjectNode schema, String at) {
        if (schema.path("uniqueItems").asBoolean(false)) {
            throw new UnsupportedGrammar(at + "/uniqueItems", "uniqueItems true is not supported");
        }
        List<Expr> first = new ArrayList<>();
        JsonNode items = schema.path("items");
        String prefix = items.isArray() ? "items" : "prefixItems";
        if (schema.has(prefix)) {
            int i = 0;
            for (JsonNode item : list(schema, prefix, at)) {
                first.add(value(item, at + "/" + prefix + "/" + i++));
            }
        }
        boolean plain = items.isMissingNode() || items.isArray();
        Expr item = plain ? values.any() : value(items, at + "/items");
        int min = SchemaCheck.count(schema, "minItems", 0, at);
        int max = SchemaCheck.count(schema, "maxItems", Expr.Repeat.UNBOUNDED, at);
        return min > max ? Expr.NEVER : values.rule("array", values.array(first, item, min, max));
    }

    private List<String> types(ObjectNode schema, String at) {
        JsonNode type = schema.path("type");
        if (type.isString()) {
            return List.of(type.stringValue());
        }
        List<String> found = new ArrayList<>();
        if (type.isArray()) {
            for (JsonNode t : type) {
                found.add(t.isString() ? t.stringValue() : t.toString());
            }
            return found;
        }
        if (!type.isMissingNode()) {
            throw new UnsupportedGrammar(at + "/type", "a type must be a string or a list of strings");
        }
        for (String t : ALL_TYPES) {
            if (TYPE_OF_KEYWORD.getOrDefault(t, List.of()).stream().anyMatch(schema::has)) {
                found.add(t);
            }
        }
        return found.isEmpty() ? ALL_TYPES : found;
    }

    // ---- references

    private Expr reference(JsonNode ref, String at) {
        String pointer = pointer(ref, at);
        Integer known = references.get(pointer);
        if (known == null) {
            known = rules.define(pointer);
            references.put(pointer, known);
            int outer = depth;
            depth = 0;
            rules.body(known, value(resolve(ref, at), pointer));
            depth = outer;
        }
        return new Expr.Call(known);
    }

    private JsonNode resolve(JsonNode ref, String at) {
        JsonNode target = root.at(pointer(ref, at));
        if (target.isMissingNode()) {
            throw new UnsupportedGrammar(at, "'" + ref.asString() + "' points at nothing");
        }
        return target;
    }

    private static String pointer(JsonNode ref, String at) {
        String text = ref.isString() ? ref.stringValue() : "";
        if (!text.equals("#") && !text.startsWith("#/")) {
            throw new UnsupportedGrammar(at, "only references inside the schema ('#/...') are supported, got " + ref);
        }
        try {
            return URLDecoder.decode(text.substring(1).replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw new UnsupportedGrammar(at, "'" + text + "' is not a JSON pointer");
        }
    }

    private static ObjectNode without(ObjectNode schema, String name) {
        ObjectNode rest = schema.deepCopy();
        rest.remove(name);
        return rest;
    }

    private static List<JsonNode> list(ObjectNode schema, String name, String at) {
        JsonNode list = schema.get(name);
        if (!list.isArray()) {
            throw new UnsupportedGrammar(at + "/" + name, "'" + name + "' must be a list");
        }
        List<JsonNode> found = new ArrayList<>();
        list.forEach(found::add);
        return found;
    }
}
