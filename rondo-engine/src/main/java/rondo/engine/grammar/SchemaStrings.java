package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Strings with pattern, format and length. */
final class SchemaStrings {
    private final Budget budget;

    SchemaStrings(Budget budget) {
        this.budget = budget;
    }

    Expr value(ObjectNode schema, String at, JsonValues values) {
        int min = SchemaCheck.count(schema, "minLength", 0, at);
        int max = SchemaCheck.count(schema, "maxLength", Expr.Repeat.UNBOUNDED, at);
        if (min > max) {
            return Expr.NEVER;
        }
        boolean anyLength = min == 0 && max == Expr.Repeat.UNBOUNDED;
        List<Expr> languages = languages(schema, at);
        if (languages.isEmpty()) {
            return anyLength
                    ? values.string()
                    : values.rule("string", quoted(Expr.repeat(JsonText.STRING_CHAR, min, max)));
        }
        if (languages.size() == 1 && anyLength) {
            return values.rule("pattern", quoted(Expr.inJsonString(languages.getFirst())));
        }
        CodePointDfa both = CodePointDfa.of(languages.getFirst(), budget);
        for (Expr more : languages.subList(1, languages.size())) {
            both = both.and(CodePointDfa.of(more, budget), budget);
        }
        if (!anyLength) {
            both = both.withLength(min, max, budget);
        }
        return values.rule("pattern", quoted(new Expr.Machine(both, Expr.Encoding.JSON_STRING)));
    }

    /** What pattern and format ask for, as expressions over the string's characters. */
    List<Expr> languages(ObjectNode schema, String at) {
        List<Expr> found = new ArrayList<>();
        JsonNode pattern = schema.path("pattern");
        if (!pattern.isMissingNode()) {
            found.add(pattern(pattern, at + "/pattern"));
        }
        JsonNode format = schema.path("format");
        Optional<Expr> known = format.isString() ? SchemaFormats.of(format.stringValue()) : Optional.empty();
        known.ifPresent(found::add);
        return found;
    }

    static Expr pattern(JsonNode pattern, String at) {
        if (!pattern.isString()) {
            throw new UnsupportedGrammar(at, "a pattern must be a string");
        }
        return pattern(pattern.stringValue(), at);
    }

    static Expr pattern(String regex, String at) {
        try {
            return RegexParser.search(regex);
        } catch (UnsupportedGrammar e) {
            throw new UnsupportedGrammar(at, String.valueOf(e.getMessage()));
        }
    }

    boolean matches(ObjectNode schema, String at, String text) {
        return languages(schema, at).stream()
                .allMatch(language -> CodePointDfa.of(language, budget).accepts(text));
    }

    static Expr quoted(Expr inside) {
        return Expr.seq(Expr.text("\""), inside, Expr.text("\""));
    }
}
