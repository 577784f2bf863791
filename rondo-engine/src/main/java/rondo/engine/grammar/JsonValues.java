package rondo.engine.grammar;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import tools.jackson.databind.JsonNode;

/** JSON's values as rules that are made when first used, and the white space between their parts. */
final class JsonValues {
    /** Most characters of indentation after a line break. */
    private static final int MAX_INDENT = 63;

    private final GrammarRules rules;
    private final Map<String, Integer> known = new HashMap<>();
    private final Expr space;
    private final Expr afterColon;

    JsonValues(GrammarRules rules, boolean strictWhitespace) {
        this.rules = rules;
        Expr lines = Expr.seq(Expr.text("\n"), Expr.repeat(Expr.chars(" \t"), 0, MAX_INDENT));
        space = strictWhitespace ? Expr.EMPTY : Expr.optional(Expr.alt(Expr.text(" "), lines));
        afterColon = strictWhitespace ? Expr.EMPTY : Expr.optional(Expr.text(" "));
    }

    Expr any() {
        return rule(
                "any",
                () -> Expr.alt(
                        object(),
                        anyArray(),
                        string(),
                        number(),
                        Expr.text("true"),
                        Expr.text("false"),
                        Expr.text("null")));
    }

    Expr object() {
        return rule(
                "any object",
                () -> braces(
                        Expr.optional(closing(Expr.list(pair(string(), any()), comma(), 1, Expr.Repeat.UNBOUNDED)))));
    }

    private Expr anyArray() {
        return rule("any array", () -> array(List.of(), any(), 0, Expr.Repeat.UNBOUNDED));
    }

    Expr string() {
        return rule("string", () -> JsonText.STRING);
    }

    Expr number() {
        return rule("number", () -> JsonText.NUMBER);
    }

    Expr integer() {
        return rule("integer", () -> JsonText.INTEGER);
    }

    Expr comma() {
        return Expr.seq(Expr.text(","), space);
    }

    Expr pair(Expr key, Expr value) {
        return Expr.seq(key, Expr.text(":"), afterColon, value);
    }

    /** The members, each way through them {@link #closing} unless it is empty, with their braces. */
    Expr braces(Expr members) {
        return Expr.seq(Expr.text("{"), space, members, Expr.text("}"));
    }

    /** Something, and the white space between it and what closes it. */
    Expr closing(Expr inside) {
        return Expr.seq(inside, space);
    }

    /** {@code min} to {@code max} items: first those, then any number of {@code rest}. */
    Expr array(List<Expr> first, Expr rest, int min, int max) {
        Expr tail = first.isEmpty() ? Expr.EMPTY : space;
        if (max > first.size()) {
            int most = max == Expr.Repeat.UNBOUNDED ? max : max - first.size();
            int least = Math.max(0, min - first.size());
            tail = first.isEmpty()
                    ? some(rest, least, most)
                    : closing(Expr.repeat(Expr.seq(comma(), rest), least, most));
        }
        for (int i = Math.min(first.size(), max) - 1; i >= 0; i--) {
            Expr here = i == 0 ? Expr.seq(first.get(0), tail) : Expr.seq(comma(), first.get(i), tail);
            Expr nothing = i == 0 ? Expr.EMPTY : space;
            tail = i >= min ? Expr.alt(here, nothing) : here;
        }
        return Expr.seq(Expr.text("["), space, tail, Expr.text("]"));
    }

    private Expr some(Expr item, int least, int most) {
        Expr items = closing(Expr.list(item, comma(), Math.max(1, least), most));
        return least == 0 ? Expr.optional(items) : items;
    }

    /** A rule of its own, so that automata stay small and share what they find out. */
    Expr rule(String name, Expr body) {
        return new Expr.Call(rules.define(name, body));
    }

    private Expr rule(String name, Supplier<Expr> body) {
        Integer rule = known.get(name);
        if (rule == null) {
            rule = rules.define(name);
            known.put(name, rule);
            rules.body(rule, body.get());
        }
        return new Expr.Call(rule);
    }

    /** A value's one text: separators with one space, strings in their shortest form. */
    static String text(JsonNode value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(JsonNode value, StringBuilder out) {
        if (value.isObject()) {
            String separator = "{";
            for (Map.Entry<String, JsonNode> member : value.properties()) {
                out.append(separator).append(JsonText.quote(member.getKey())).append(": ");
                write(member.getValue(), out);
                separator = ", ";
            }
            out.append(value.isEmpty() ? "{}" : "}");
        } else if (value.isArray()) {
            String separator = "[";
            for (JsonNode item : value) {
                out.append(separator);
                write(item, out);
                separator = ", ";
            }
            out.append(value.isEmpty() ? "[]" : "]");
        } else if (value.isString()) {
            out.append(JsonText.quote(value.stringValue()));
        } else {
            out.append(value);
        }
    }
}
