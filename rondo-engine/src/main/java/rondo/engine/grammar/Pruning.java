package rondo.engine.grammar;

import java.util.Arrays;

/**
 * Takes out of an automaton every move from which no end can be reached, so that whatever is a prefix can be completed;
 * refuses a grammar that has nothing left.
 */
final class Pruning {
    private final Automaton automaton;
    private final int[][] low;
    private final int[][] high;
    private final int[][] target;
    /** States from which their rule can return, and rules that can return at all. */
    private final boolean[] live;

    private final boolean[] productive;

    Pruning(Automaton automaton, int[][] low, int[][] high, int[][] target) {
        this.automaton = automaton;
        this.low = low;
        this.high = high;
        this.target = target;
        live = new boolean[automaton.states()];
        productive = new boolean[automaton.rules.length];
    }

    void run() {
        boolean found = true;
        while (found) {
            found = false;
            for (int r = 0; r < productive.length; r++) {
                found |= visit(r);
            }
        }
        if (!productive[0]) {
            throw new UnsupportedGrammar("", "the grammar matches no text at all");
        }
        for (int s = 0; s < live.length; s++) {
            prune(s);
        }
    }

    /** One backward sweep over a rule's states; deterministic automata are laid out mostly front to back. */
    private boolean visit(int rule) {
        boolean found = false;
        boolean again = true;
        while (again) {
            again = false;
            for (int s = automaton.start[rule + 1] - 1; s >= automaton.start[rule]; s--) {
                if (!live[s] && leads(s)) {
                    live[s] = true;
                    again = true;
                    found = true;
                }
            }
        }
        boolean can = live[automaton.start[rule]] || automaton.counted(rule) && automaton.min[rule] == 0;
        found |= can && !productive[rule];
        productive[rule] = can;
        return found;
    }

    private boolean leads(int s) {
        if (automaton.accepting[s]) {
            return true;
        }
        for (int t : target[s]) {
            if (live[t]) {
                return true;
            }
        }
        for (int c = 0; c < automaton.calls[s].length; c++) {
            if (productive[automaton.calls[s][c]] && live[automaton.after[s][c]]) {
                return true;
            }
        }
        return false;
    }

    private void prune(int s) {
        int kept = 0;
        for (int e = 0; e < target[s].length; e++) {
            if (live[target[s][e]]) {
                low[s][kept] = low[s][e];
                high[s][kept] = high[s][e];
                target[s][kept++] = target[s][e];
            }
        }
        low[s] = Arrays.copyOf(low[s], kept);
        high[s] = Arrays.copyOf(high[s], kept);
        target[s] = Arrays.copyOf(target[s], kept);
        int calls = 0;
        for (int c = 0; c < automaton.calls[s].length; c++) {
            if (productive[automaton.calls[s][c]] && live[automaton.after[s][c]]) {
                automaton.calls[s][calls] = automaton.calls[s][c];
                automaton.after[s][calls++] = automaton.after[s][c];
            }
        }
        automaton.calls[s] = Arrays.copyOf(automaton.calls[s], calls);
        automaton.after[s] = Arrays.copyOf(automaton.after[s], calls);
    }
}
