package rondo.engine.grammar;

import rondo.engine.TokenConstraint;

/** A compiled grammar for one vocabulary; shared by all generations that use it, from any thread. */
public final class Grammar {
    /** States with fewer different next bytes are searched in microseconds, so they need no preparation. */
    private static final int WIDE = 24;

    final Automaton automaton;
    final TokenTrie trie;
    final ReachTable reach;

    Grammar(Automaton automaton, TokenTrie trie) {
        this.automaton = automaton;
        this.trie = trie;
        this.reach = new ReachTable(automaton, trie);
    }

    /** Finds the large token sets ahead of need, on the caller's thread, until the time is up. */
    void prepare(Budget budget) {
        for (int s = 0; s < automaton.states(); s++) {
            if (automaton.fan(s) < WIDE) {
                continue;
            }
            try {
                budget.checkTime();
            } catch (UnsupportedGrammar late) {
                return;
            }
            reach.from(new Frame(s, 0, Frame.BOTTOM));
        }
    }

    /** Estimated memory: the automaton and the token sets found so far. */
    long bytes() {
        return 200L * automaton.states() + automaton.denseBytes() + reach.bytes();
    }

    /** States of its automaton. */
    public int states() {
        return automaton.states();
    }

    /**
     * A constraint for one generation.
     *
     * @param endIds tokens that end a generation; allowed exactly where the text may end
     */
    public TokenConstraint start(int[] endIds) {
        return new GrammarConstraint(this, endIds);
    }
}
