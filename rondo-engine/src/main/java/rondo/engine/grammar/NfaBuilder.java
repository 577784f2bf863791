package rondo.engine.grammar;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Lays expressions out as an {@link Nfa}, over UTF-8 bytes or over code points. */
final class NfaBuilder {
    /** How a set of code points becomes edges, and what is done with long counted repetitions. */
    interface Alphabet {
        void edges(Nfa nfa, CharSet set, int from, int to);

        /** A rule that counts instead of unrolling, or -1. */
        default int counted(Expr.Repeat repeat) {
            return -1;
        }
    }

    static final Alphabet CODE_POINTS = (nfa, set, from, to) -> {
        for (int i = 0; i < set.size(); i++) {
            nfa.range(from, set.low(i), set.high(i), to);
        }
    };

    static final Alphabet BYTES = (nfa, set, from, to) -> {
        for (int i = 0; i < set.size(); i++) {
            Utf8.edges(nfa, set.low(i), set.high(i), from, to);
        }
    };

    private final Nfa nfa;
    private final Alphabet alphabet;
    /** Entry state of a shared part by where it leads. */
    private final Map<Expr.Shared, Map<Integer, Integer>> shared = new IdentityHashMap<>();

    NfaBuilder(Nfa nfa, Alphabet alphabet) {
        this.nfa = nfa;
        this.alphabet = alphabet;
    }

    void build(Expr e, int from, int to) {
        switch (e) {
            case Expr.Chars c -> alphabet.edges(nfa, c.set(), from, to);
            case Expr.Text t -> text(t.text(), from, to);
            case Expr.Seq s -> sequence(s.parts(), from, to);
            case Expr.Alt a -> {
                for (Expr choice : a.choices()) {
                    build(choice, from, to);
                }
            }
            case Expr.Repeat r -> repeat(r, from, to);
            case Expr.Call c -> nfa.call(from, c.rule(), to);
            case Expr.Shared s -> share(s, from, to);
            case Expr.Machine m -> machine(m, from, to);
        }
    }

    private void text(String text, int from, int to) {
        int[] points = text.codePoints().toArray();
        int at = from;
        for (int i = 0; i < points.length; i++) {
            int next = i == points.length - 1 ? to : nfa.state();
            alphabet.edges(nfa, CharSet.of(points[i]), at, next);
            at = next;
        }
        if (points.length == 0) {
            nfa.empty(from, to);
        }
    }

    private void sequence(List<Expr> parts, int from, int to) {
        int at = from;
        for (int i = 0; i < parts.size(); i++) {
            int next = i == parts.size() - 1 ? to : nfa.state();
            build(parts.get(i), at, next);
            at = next;
        }
        if (parts.isEmpty()) {
            nfa.empty(from, to);
        }
    }

    private void repeat(Expr.Repeat r, int from, int to) {
        int rule = alphabet.counted(r);
        if (rule >= 0) {
            nfa.call(from, rule, to);
            return;
        }
        int at = from;
        for (int i = 0; i < r.min(); i++) {
            at = once(r.body(), at);
        }
        if (r.max() == Expr.Repeat.UNBOUNDED) {
            int loop = nfa.state();
            nfa.empty(at, loop);
            nfa.empty(once(r.body(), loop), loop);
            at = loop;
        } else {
            for (int i = r.min(); i < r.max(); i++) {
                nfa.empty(at, to);
                at = once(r.body(), at);
            }
        }
        nfa.empty(at, to);
    }

    private int once(Expr body, int from) {
        int end = nfa.state();
        build(body, from, end);
        return end;
    }

    private void share(Expr.Shared s, int from, int to) {
        Map<Integer, Integer> entries = shared.computeIfAbsent(s, k -> new HashMap<>());
        Integer known = entries.get(to);
        int entry = known == null ? nfa.state() : known;
        if (known == null) {
            entries.put(to, entry);
            build(s.body, entry, to);
        }
        nfa.empty(from, entry);
    }

    private void machine(Expr.Machine m, int from, int to) {
        Dfa dfa = m.dfa().dfa;
        int[] states = new int[dfa.states()];
        for (int i = 0; i < states.length; i++) {
            states[i] = nfa.state();
        }
        nfa.empty(from, states[0]);
        for (int i = 0; i < states.length; i++) {
            if (dfa.accepting()[i]) {
                nfa.empty(states[i], to);
            }
            for (int e = 0; e < dfa.low()[i].length; e++) {
                CharSet set = CharSet.range(dfa.low()[i][e], dfa.high()[i][e]);
                Expr chars = m.encoding() == Expr.Encoding.JSON_STRING ? JsonText.spell(set) : new Expr.Chars(set);
                build(chars, states[i], states[dfa.target()[i][e]]);
            }
        }
    }
}
