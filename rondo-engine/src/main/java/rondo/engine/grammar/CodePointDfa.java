package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A regular language over code points, for what bytes cannot express well: lengths and differences of languages. */
final class CodePointDfa {
    final Dfa dfa;

    private CodePointDfa(Dfa dfa) {
        this.dfa = dfa;
    }

    static CodePointDfa of(Expr regular, Budget budget) {
        Nfa nfa = new Nfa(budget);
        new NfaBuilder(nfa, NfaBuilder.CODE_POINTS).build(regular, Nfa.START, Nfa.FINAL);
        return new CodePointDfa(Determinizer.run(nfa, budget));
    }

    /** Words of this language with min to max code points. */
    CodePointDfa withLength(int min, int max, Budget budget) {
        return and(of(Expr.repeat(new Expr.Chars(CharSet.ALL), min, max), budget), budget);
    }

    CodePointDfa and(CodePointDfa other, Budget budget) {
        return product(other, true, budget);
    }

    CodePointDfa minus(CodePointDfa other, Budget budget) {
        return product(other, false, budget);
    }

    boolean accepts(String word) {
        int state = 0;
        for (int c : word.codePoints().toArray()) {
            state = next(state, c);
            if (state < 0) {
                return false;
            }
        }
        return dfa.accepting()[state];
    }

    private int next(int state, int c) {
        int[] low = dfa.low()[state];
        int[] high = dfa.high()[state];
        for (int i = 0; i < low.length; i++) {
            if (c >= low[i] && c <= high[i]) {
                return dfa.target()[state][i];
            }
        }
        return -1;
    }

    private CodePointDfa product(CodePointDfa other, boolean both, Budget budget) {
        Product product = new Product(dfa, other.dfa, both, budget);
        return new CodePointDfa(product.run());
    }

    /** Pairs of states, explored from the pair of starts; a dead second state (-1) accepts nothing. */
    private static final class Product {
        private final Dfa a;
        private final Dfa b;
        private final boolean both;
        private final Budget budget;
        private final Map<Long, Integer> ids = new HashMap<>();
        private final List<Long> pairs = new ArrayList<>();

        Product(Dfa a, Dfa b, boolean both, Budget budget) {
            this.a = a;
            this.b = b;
            this.both = both;
            this.budget = budget;
        }

        Dfa run() {
            id(0, 0);
            List<int[]> low = new ArrayList<>();
            List<int[]> high = new ArrayList<>();
            List<int[]> target = new ArrayList<>();
            for (int i = 0; i < pairs.size(); i++) {
                int p = (int) (pairs.get(i) >> 32);
                int q = (int) (long) pairs.get(i);
                IntList lows = new IntList();
                IntList highs = new IntList();
                IntList targets = new IntList();
                for (int e = 0; e < a.low()[p].length; e++) {
                    edges(a.low()[p][e], a.high()[p][e], a.target()[p][e], q, lows, highs, targets);
                }
                low.add(lows.toArray());
                high.add(highs.toArray());
                target.add(targets.toArray());
            }
            int n = pairs.size();
            boolean[] accepting = new boolean[n];
            for (int i = 0; i < n; i++) {
                int q = (int) (long) pairs.get(i);
                boolean second = q >= 0 && b.accepting()[q];
                accepting[i] = a.accepting()[(int) (pairs.get(i) >> 32)] && second == both;
            }
            int[][] none = new int[n][0];
            return new Dfa(
                    low.toArray(new int[0][]),
                    high.toArray(new int[0][]),
                    target.toArray(new int[0][]),
                    none,
                    none,
                    accepting);
        }

        /** Splits an edge of the first automaton by those of the second. */
        private void edges(int from, int to, int p, int q, IntList lows, IntList highs, IntList targets) {
            int next = from;
            if (q >= 0) {
                for (int e = 0; e < b.low()[q].length && next <= to; e++) {
                    int low = Math.max(next, b.low()[q][e]);
                    int high = Math.min(to, b.high()[q][e]);
                    if (low > high) {
                        continue;
                    }
                    if (low > next) {
                        edge(next, low - 1, p, -1, lows, highs, targets);
                    }
                    edge(low, high, p, b.target()[q][e], lows, highs, targets);
                    next = high + 1;
                }
            }
            if (next <= to) {
                edge(next, to, p, -1, lows, highs, targets);
            }
        }

        private void edge(int low, int high, int p, int q, IntList lows, IntList highs, IntList targets) {
            if (q < 0 && both) {
                return;
            }
            lows.add(low);
            highs.add(high);
            targets.add(id(p, q));
        }

        private int id(int p, int q) {
            long pair = (long) p << 32 | q & 0xFFFFFFFFL;
            Integer known = ids.putIfAbsent(pair, pairs.size());
            if (known != null) {
                return known;
            }
            budget.state();
            pairs.add(pair);
            return pairs.size() - 1;
        }
    }
}
