package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Objects: named properties in declared order, then properties by pattern or of any name. */
final class SchemaObjects {
    private static final int MAX_PROPERTIES = 2000;

    private final JsonSchema schemas;
    private final JsonValues values;
    private final boolean open;

    SchemaObjects(JsonSchema schemas, boolean open) {
        this.schemas = schemas;
        this.values = schemas.values;
        this.open = open;
    }

    Expr object(ObjectNode schema, String at) {
        Map<String, Expr> named = named(schema, at);
        Set<String> required = required(schema, at);
        JsonNode others = schema.path("additionalProperties");
        for (String name : required) {
            if (!named.containsKey(name)) {
                boolean closed = others.isBoolean() && !others.booleanValue();
                named.put(
                        name,
                        closed
                                ? Expr.NEVER
                                : others.isObject()
                                        ? schemas.value(others, at + "/additionalProperties")
                                        : values.any());
            }
        }
        Optional<Expr> extra = extra(schema, named, others, at);
        int min = SchemaCheck.count(schema, "minProperties", 0, at);
        int max = SchemaCheck.count(schema, "maxProperties", Expr.Repeat.UNBOUNDED, at);
        Expr members;
        if (named.isEmpty()) {
            members = extra.map(pair -> unnamed(pair, min, max)).orElse(min > 0 ? Expr.NEVER : Expr.EMPTY);
        } else {
            refuseCounts(named, required, extra.isPresent(), min, max, at);
            members = members(named, required, extra);
        }
        return values.rule("object", values.braces(members));
    }

    private Map<String, Expr> named(ObjectNode schema, String at) {
        Map<String, Expr> found = new LinkedHashMap<>();
        JsonNode properties = schema.path("properties");
        if (!properties.isMissingNode() && !properties.isObject()) {
            throw new UnsupportedGrammar(at + "/properties", "'properties' must be an object");
        }
        if (properties.size() > MAX_PROPERTIES) {
            throw new UnsupportedGrammar(at + "/properties", "more than " + MAX_PROPERTIES + " properties");
        }
        for (Map.Entry<String, JsonNode> p : properties.properties()) {
            found.put(p.getKey(), schemas.value(p.getValue(), at + "/properties/" + escaped(p.getKey())));
        }
        return found;
    }

    private static Set<String> required(ObjectNode schema, String at) {
        Set<String> found = new LinkedHashSet<>();
        JsonNode required = schema.path("required");
        if (!required.isMissingNode() && !required.isArray()) {
            throw new UnsupportedGrammar(at + "/required", "'required' must be a list");
        }
        for (JsonNode name : required) {
            if (!name.isString()) {
                throw new UnsupportedGrammar(at + "/required", "'required' must be a list of names");
            }
            found.add(name.stringValue());
        }
        return found;
    }

    private void refuseCounts(
            Map<String, Expr> named, Set<String> required, boolean extra, int min, int max, String at) {
        if (min > required.size()) {
            throw new UnsupportedGrammar(
                    at + "/minProperties", "minProperties is not supported beside named properties");
        }
        if (max < named.size() || extra && max != Expr.Repeat.UNBOUNDED) {
            throw new UnsupportedGrammar(
                    at + "/maxProperties", "maxProperties is not supported beside named properties");
        }
    }

    /** Members that have no name in the schema. */
    private Optional<Expr> extra(ObjectNode schema, Map<String, Expr> named, JsonNode others, String at) {
        JsonNode patterns = schema.path("patternProperties");
        if (!patterns.isMissingNode()) {
            return Optional.of(byPattern(patterns, named, at + "/patternProperties"));
        }
        boolean silent = others.isMissingNode();
        boolean nothingSaid = silent && !schema.has("properties") && !schema.has("required");
        boolean closed = silent ? !open && !nothingSaid : others.isBoolean() && !others.booleanValue();
        if (closed) {
            return Optional.empty();
        }
        Expr value = silent || others.isBoolean() ? values.any() : schemas.value(others, at + "/additionalProperties");
        Expr key = named.isEmpty() ? values.string() : key(Expr.star(new Expr.Chars(CharSet.ALL)), named);
        return Optional.of(values.pair(key, value));
    }

    private Expr byPattern(JsonNode patterns, Map<String, Expr> named, String at) {
        if (!patterns.isObject() || patterns.size() != 1) {
            throw new UnsupportedGrammar(at, "exactly one pattern is supported in 'patternProperties'");
        }
        Map.Entry<String, JsonNode> only = patterns.properties().iterator().next();
        String where = at + "/" + escaped(only.getKey());
        Expr key = key(SchemaStrings.pattern(only.getKey(), where), named);
        return values.pair(key, schemas.value(only.getValue(), where));
    }

    /** A key of a language but none of the named ones, in its one spelling, so that no escape hides a name. */
    private Expr key(Expr language, Map<String, Expr> named) {
        List<Expr> names = named.keySet().stream().map(Expr::text).toList();
        CodePointDfa keys = CodePointDfa.of(language, schemas.budget)
                .minus(CodePointDfa.of(Expr.alt(names), schemas.budget), schemas.budget);
        return values.rule("key", SchemaStrings.quoted(new Expr.Machine(keys, Expr.Encoding.JSON_STRING)));
    }

    private Expr unnamed(Expr pair, int min, int max) {
        if (min > max) {
            return Expr.NEVER;
        }
        if (max == 0) {
            return Expr.EMPTY;
        }
        Expr some = values.closing(Expr.list(pair, values.comma(), Math.max(1, min), max));
        return min == 0 ? Expr.optional(some) : some;
    }

    /** From the last property to the first: what may follow, with and without a member before it. */
    private Expr members(Map<String, Expr> named, Set<String> required, Optional<Expr> extra) {
        List<String> names = new ArrayList<>(named.keySet());
        Expr following = values.closing(
                extra.map(e -> Expr.star(Expr.seq(values.comma(), e))).orElse(Expr.EMPTY));
        Expr leading = extra.map(e -> unnamed(e, 0, Expr.Repeat.UNBOUNDED)).orElse(Expr.EMPTY);
        for (String name : names.reversed()) {
            Expr key = Expr.text(JsonText.quote(name));
            Expr pair = values.pair(key, named.getOrDefault(name, Expr.NEVER));
            Expr after = new Expr.Shared(following);
            Expr skipped = new Expr.Shared(leading);
            Expr later = Expr.seq(values.comma(), pair, after);
            Expr first = Expr.seq(pair, after);
            boolean needed = required.contains(name);
            following = needed ? later : Expr.alt(later, after);
            leading = needed ? first : Expr.alt(first, skipped);
        }
        return leading;
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
