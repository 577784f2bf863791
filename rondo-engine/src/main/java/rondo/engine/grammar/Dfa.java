package rondo.engine.grammar;

/**
 * A deterministic automaton over numbers (bytes or code points) whose states may also call rules; state 0 is the start.
 *
 * @param low    per state, the sorted, disjoint ranges of its edges
 * @param calls  per state, the rules that may begin there
 * @param after  per state and call, the state when the rule has returned
 */
record Dfa(int[][] low, int[][] high, int[][] target, int[][] calls, int[][] after, boolean[] accepting) {
    int states() {
        return accepting.length;
    }
}
