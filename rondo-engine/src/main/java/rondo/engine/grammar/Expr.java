package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.List;

/** An expression of a grammar over code points; front ends make it, {@link Nfa} turns it into bytes. */
sealed interface Expr {
    Expr EMPTY = new Seq(List.of());
    /** Matches nothing at all. */
    Expr NEVER = new Alt(List.of());

    /** One code point of a set. */
    record Chars(CharSet set) implements Expr {}

    record Text(String text) implements Expr {}

    record Seq(List<Expr> parts) implements Expr {}

    record Alt(List<Expr> choices) implements Expr {}

    /** @param max {@link #UNBOUNDED} for no limit */
    record Repeat(Expr body, int min, int max) implements Expr {
        static final int UNBOUNDED = Integer.MAX_VALUE;
    }

    record Call(int rule) implements Expr {}

    /** The same continuation reached on several ways; compiled once per place where it leads. Compared by identity. */
    final class Shared implements Expr {
        final Expr body;

        Shared(Expr body) {
            this.body = body;
        }
    }

    /** An automaton over code points as a part of an expression. */
    record Machine(CodePointDfa dfa, Encoding encoding) implements Expr {}

    /** How code points are spelled in the output. */
    enum Encoding {
        PLAIN,
        /** Inside a JSON string: quotes, backslashes and control characters as escapes. */
        JSON_STRING
    }

    static Expr seq(Expr... parts) {
        return seq(List.of(parts));
    }

    static Expr seq(List<Expr> parts) {
        return parts.size() == 1 ? parts.getFirst() : new Seq(List.copyOf(parts));
    }

    static Expr alt(Expr... choices) {
        return alt(List.of(choices));
    }

    static Expr alt(List<Expr> choices) {
        return choices.size() == 1 ? choices.getFirst() : new Alt(List.copyOf(choices));
    }

    static Expr text(String text) {
        return new Text(text);
    }

    static Expr chars(String chars) {
        return new Chars(CharSet.of(chars));
    }

    static Expr range(int low, int high) {
        return new Chars(CharSet.range(low, high));
    }

    static Expr optional(Expr body) {
        return new Repeat(body, 0, 1);
    }

    static Expr star(Expr body) {
        return new Repeat(body, 0, Repeat.UNBOUNDED);
    }

    static Expr repeat(Expr body, int min, int max) {
        return new Repeat(body, min, max);
    }

    /** {@code item (separator item)*} with min to max items. */
    static Expr list(Expr item, Expr separator, int min, int max) {
        if (max == 0) {
            return EMPTY;
        }
        int rest = max == Repeat.UNBOUNDED ? max : max - 1;
        Expr some = seq(item, repeat(seq(separator, item), Math.max(0, min - 1), rest));
        return min == 0 ? optional(some) : some;
    }

    /** The expression with every code point spelled as inside a JSON string. */
    static Expr inJsonString(Expr e) {
        return switch (e) {
            case Chars c -> JsonText.spell(c.set());
            case Text t -> {
                List<Expr> parts = new ArrayList<>();
                t.text().codePoints().forEach(c -> parts.add(JsonText.spell(CharSet.of(c))));
                yield seq(parts);
            }
            case Seq s -> seq(s.parts().stream().map(Expr::inJsonString).toList());
            case Alt a -> alt(a.choices().stream().map(Expr::inJsonString).toList());
            case Repeat r -> new Repeat(inJsonString(r.body()), r.min(), r.max());
            case Machine m -> new Machine(m.dfa(), Encoding.JSON_STRING);
            case Call c -> throw new IllegalStateException("a call inside a string: rule " + c.rule());
            case Shared s -> throw new IllegalStateException("a shared part inside a string: " + s.body);
        };
    }
}
