package rondo.engine.grammar;

import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Two schemas that must both hold, as one. */
final class SchemaMerge {
    private static final Set<String> ANNOTATIONS = Set.of(
            "title",
            "description",
            "default",
            "examples",
            "$schema",
            "$id",
            "$comment",
            "$defs",
            "definitions",
            "deprecated",
            "readOnly",
            "writeOnly");
    private static final int MAX_DEPTH = 64;

    /** Finds what a reference points at. */
    private final BiFunction<JsonNode, String, JsonNode> resolver;

    private int depth;

    SchemaMerge(BiFunction<JsonNode, String, JsonNode> resolver) {
        this.resolver = resolver;
    }

    static boolean annotationsOnly(ObjectNode schema) {
        return schema.properties().stream().allMatch(p -> ANNOTATIONS.contains(p.getKey()));
    }

    JsonNode both(JsonNode a, JsonNode b, String at) {
        if (a.isBoolean()) {
            return a.booleanValue() ? b : a;
        }
        if (b.isBoolean()) {
            return b.booleanValue() ? a : b;
        }
        if (!a.isObject() || !b.isObject()) {
            throw new UnsupportedGrammar(at, "a schema must be an object or a boolean");
        }
        if (++depth > MAX_DEPTH) {
            throw new UnsupportedGrammar(at, "schemas that must hold together refer to each other without end");
        }
        ObjectNode merged = ((ObjectNode) a).deepCopy();
        for (Map.Entry<String, JsonNode> p : b.properties()) {
            String name = p.getKey();
            JsonNode mine = merged.get(name);
            if (mine == null) {
                merged.set(name, p.getValue());
            } else if (!ANNOTATIONS.contains(name) && !mine.equals(p.getValue())) {
                combine(merged, name, mine, p.getValue(), at);
            }
        }
        // One reference is resolved here; what it points at may have others.
        JsonNode ref = merged.get("$ref");
        if (ref != null && !annotationsOnly(without(merged, "$ref"))) {
            return done(both(resolver.apply(ref, at), without(merged, "$ref"), at));
        }
        return done(merged);
    }

    private JsonNode done(JsonNode merged) {
        depth--;
        return merged;
    }

    private void combine(ObjectNode merged, String name, JsonNode a, JsonNode b, String at) {
        switch (name) {
            case "properties" -> merged.set(name, properties(a, b, at));
            case "required" -> merged.set(name, union(a, b));
            case "type" -> merged.set(name, types(a, b));
            case "enum" -> merged.set(name, common(a, b));
            case "additionalProperties", "items" -> merged.set(name, both(a, b, at + "/" + name));
            case "minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties" ->
                merged.set(name, a.decimalValue().compareTo(b.decimalValue()) >= 0 ? a : b);
            case "maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties" ->
                merged.set(name, a.decimalValue().compareTo(b.decimalValue()) <= 0 ? a : b);
            case "allOf" -> merged.set(name, ((ArrayNode) a.deepCopy()).addAll((ArrayNode) b));
            case "anyOf", "oneOf", "$ref" -> {
                ArrayNode all = merged.has("allOf")
                        ? (ArrayNode) merged.get("allOf").deepCopy()
                        : Json.mapper().createArrayNode();
                merged.set("allOf", all.add(Json.mapper().createObjectNode().set(name, b)));
            }
            default ->
                throw new UnsupportedGrammar(
                        at + "/" + name,
                        "two different values of '" + name + "' that must both hold are not supported");
        }
    }

    private JsonNode properties(JsonNode a, JsonNode b, String at) {
        ObjectNode merged = ((ObjectNode) a).deepCopy();
        for (Map.Entry<String, JsonNode> p : b.properties()) {
            JsonNode mine = merged.get(p.getKey());
            merged.set(
                    p.getKey(),
                    mine == null ? p.getValue() : both(mine, p.getValue(), at + "/properties/" + p.getKey()));
        }
        return merged;
    }

    private static ArrayNode union(JsonNode a, JsonNode b) {
        Set<JsonNode> all = new LinkedHashSet<>();
        a.forEach(all::add);
        b.forEach(all::add);
        return Json.mapper().createArrayNode().addAll(all);
    }

    private static ArrayNode common(JsonNode a, JsonNode b) {
        Set<JsonNode> second = new LinkedHashSet<>();
        b.forEach(second::add);
        ArrayNode found = Json.mapper().createArrayNode();
        a.forEach(v -> {
            if (second.contains(v)) {
                found.add(v);
            }
        });
        return found;
    }

    /** Types in both; an integer is a number. */
    private static ArrayNode types(JsonNode a, JsonNode b) {
        ArrayNode found = Json.mapper().createArrayNode();
        for (JsonNode x : a.isArray() ? a : Json.mapper().createArrayNode().add(a)) {
            for (JsonNode y : b.isArray() ? b : Json.mapper().createArrayNode().add(b)) {
                boolean narrower =
                        x.asString().equals("integer") && y.asString().equals("number");
                boolean wider = x.asString().equals("number") && y.asString().equals("integer");
                if (x.equals(y) || narrower) {
                    found.add(x);
                } else if (wider) {
                    found.add(y);
                }
            }
        }
        return found;
    }

    private static ObjectNode without(ObjectNode schema, String name) {
        ObjectNode rest = schema.deepCopy();
        rest.remove(name);
        return rest;
    }
}
