package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Compiles rules into an {@link Automaton}. */
final class AutomatonCompiler implements NfaBuilder.Alphabet {
    /** Longer bounded repetitions count instead of being unrolled, where their body allows it. */
    private static final int UNROLLED = 16;

    private record Counted(Expr body, int min, int max) {}

    private final GrammarRules rules;
    private final Budget budget;
    private final List<Dfa> dfas = new ArrayList<>();
    private final List<Counted> counted = new ArrayList<>();
    private final Map<Expr.Repeat, Integer> ruleOfRepeat = new HashMap<>();
    private final Map<Expr, Dfa> bodies = new HashMap<>();

    private AutomatonCompiler(GrammarRules rules, Budget budget) {
        this.rules = rules;
        this.budget = budget;
    }

    static Automaton compile(GrammarRules rules, Budget budget) {
        return new AutomatonCompiler(rules, budget).run();
    }

    private Automaton run() {
        for (int r = 0; r < rules.size(); r++) {
            Nfa nfa = new Nfa(budget);
            new NfaBuilder(nfa, this).build(rules.body(r), Nfa.START, Nfa.FINAL);
            dfas.add(Determinizer.run(nfa, budget));
        }
        int plain = dfas.size();
        int total = plain + counted.size();
        int[] min = new int[total];
        int[] max = new int[total];
        int[] bodyOf = new int[total];
        Map<Expr, Integer> firstWithBody = new HashMap<>();
        for (int r = 0; r < total; r++) {
            bodyOf[r] = r;
            max[r] = -1;
            if (r >= plain) {
                Counted c = counted.get(r - plain);
                min[r] = c.min();
                max[r] = c.max();
                bodyOf[r] = firstWithBody.computeIfAbsent(c.body(), b -> dfas.size());
                dfas.add(bodies.get(c.body()));
            }
        }
        Automaton automaton = new Automaton(dfas.toArray(new Dfa[0]), min, max, bodyOf);
        LeftRecursion.refuse(automaton, rules.names);
        return automaton;
    }

    @Override
    public void edges(Nfa nfa, CharSet set, int from, int to) {
        NfaBuilder.BYTES.edges(nfa, set, from, to);
    }

    @Override
    public int counted(Expr.Repeat repeat) {
        boolean unrolled =
                repeat.min() <= UNROLLED && (repeat.max() == Expr.Repeat.UNBOUNDED || repeat.max() <= UNROLLED);
        if (unrolled) {
            return -1;
        }
        Integer known = ruleOfRepeat.get(repeat);
        if (known == null) {
            known = countable(repeat.body()) ? rules.size() + counted.size() : -1;
            ruleOfRepeat.put(repeat, known);
            if (known >= 0) {
                counted.add(new Counted(repeat.body(), repeat.min(), repeat.max()));
            }
        }
        return known;
    }

    /** A body whose ends are certain: it reads something, calls nothing, and no item is the beginning of another. */
    private boolean countable(Expr body) {
        if (!regular(body)) {
            return false;
        }
        Dfa dfa = bodies.computeIfAbsent(body, b -> {
            Nfa nfa = new Nfa(budget);
            new NfaBuilder(nfa, NfaBuilder.BYTES).build(b, Nfa.START, Nfa.FINAL);
            return Determinizer.run(nfa, budget);
        });
        if (dfa.accepting()[0]) {
            return false;
        }
        for (int s = 0; s < dfa.states(); s++) {
            if (dfa.accepting()[s] && dfa.low()[s].length > 0) {
                return false;
            }
        }
        return true;
    }

    private static boolean regular(Expr e) {
        return switch (e) {
            case Expr.Chars c -> true;
            case Expr.Text t -> true;
            case Expr.Seq s -> s.parts().stream().allMatch(AutomatonCompiler::regular);
            case Expr.Alt a -> a.choices().stream().allMatch(AutomatonCompiler::regular);
            // A long repetition inside would be unrolled.
            case Expr.Repeat r -> (r.max() == Expr.Repeat.UNBOUNDED || r.max() <= UNROLLED) && regular(r.body());
            case Expr.Machine m -> true;
            case Expr.Call c -> false;
            case Expr.Shared s -> false;
        };
    }
}
