package rondo.engine.grammar;

import java.util.Arrays;

/**
 * A grammar as a pushdown automaton over bytes: one deterministic automaton per rule, states numbered through. A state
 * moves by bytes, calls rules (pushing where to go on), and may return. Counted rules repeat one body and keep the
 * number of finished items in their frame.
 */
final class Automaton {
    private static final int DENSE = 256;

    final Dfa[] rules;
    /** First state of each rule, and one more entry for the end. */
    final int[] start;
    /** Rule of each state. */
    final int[] ruleOf;
    /** Least and most items of a counted rule; most is -1 for an ordinary rule. */
    final int[] min;

    final int[] max;
    /** Rules whose counted bodies are the same share the first one's analysis. */
    final int[] bodyOf;

    final boolean[] accepting;
    /** Whether a state has moves by bytes. */
    final boolean[] moves;

    final int[][] calls;
    final int[][] after;
    private final int[][] low;
    private final int[][] high;
    private final int[][] target;
    /** Moves by byte of a state, made when first asked for; a race makes the same table twice. */
    private final int[][] dense;
    /** A race loses a count or two. */
    private volatile int denseCount;

    Automaton(Dfa[] rules, int[] min, int[] max, int[] bodyOf) {
        this.rules = rules;
        this.min = min;
        this.max = max;
        this.bodyOf = bodyOf;
        start = new int[rules.length + 1];
        for (int r = 0; r < rules.length; r++) {
            start[r + 1] = start[r] + rules[r].states();
        }
        int states = start[rules.length];
        ruleOf = new int[states];
        accepting = new boolean[states];
        moves = new boolean[states];
        calls = new int[states][];
        after = new int[states][];
        low = new int[states][];
        high = new int[states][];
        target = new int[states][];
        dense = new int[states][];
        for (int r = 0; r < rules.length; r++) {
            Dfa dfa = rules[r];
            for (int i = 0; i < dfa.states(); i++) {
                int s = start[r] + i;
                ruleOf[s] = r;
                accepting[s] = dfa.accepting()[i];
                calls[s] = dfa.calls()[i].clone();
                after[s] = shifted(dfa.after()[i], start[r]);
                low[s] = dfa.low()[i].clone();
                high[s] = dfa.high()[i].clone();
                target[s] = shifted(dfa.target()[i], start[r]);
            }
        }
        new Pruning(this, low, high, target).run();
        for (int s = 0; s < states; s++) {
            moves[s] = low[s].length > 0;
        }
    }

    int states() {
        return ruleOf.length;
    }

    boolean counted(int rule) {
        return max[rule] >= 0;
    }

    /** State after a byte (0 to 255), or -1. */
    int next(int state, int b) {
        int[] table = dense[state];
        if (table == null) {
            table = new int[DENSE];
            Arrays.fill(table, -1);
            for (int e = 0; e < low[state].length; e++) {
                Arrays.fill(table, low[state][e], high[state][e] + 1, target[state][e]);
            }
            dense[state] = table;
            denseCount++;
        }
        return table[b];
    }

    /** Memory of the tables made so far, about. */
    long denseBytes() {
        return 4L * DENSE * denseCount;
    }

    /** How many different bytes a state can move by. */
    int fan(int state) {
        int fan = 0;
        for (int e = 0; e < low[state].length; e++) {
            fan += high[state][e] - low[state][e] + 1;
        }
        return fan;
    }

    private static int[] shifted(int[] states, int by) {
        int[] out = new int[states.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = states[i] + by;
        }
        return out;
    }
}
