package rondo.engine.grammar;

/** A nondeterministic automaton under construction: ranges, empty moves and calls of rules, as linked edge lists. */
final class Nfa {
    static final int START = 0;
    static final int FINAL = 1;

    /** Kinds of edges other than a range, in {@link #low}. */
    static final int EMPTY_MOVE = -1;

    static final int CALL = -2;

    private final Budget budget;
    private int states;
    /** First edge of each state, then the next edge of each edge; -1 ends. */
    private final IntList first = new IntList();

    private final IntList next = new IntList();
    private final IntList low = new IntList();
    private final IntList high = new IntList();
    private final IntList target = new IntList();

    Nfa(Budget budget) {
        this.budget = budget;
        state();
        state();
    }

    int state() {
        budget.work();
        first.add(-1);
        return states++;
    }

    void range(int from, int low, int high, int to) {
        edge(from, low, high, to);
    }

    void empty(int from, int to) {
        edge(from, EMPTY_MOVE, 0, to);
    }

    void call(int from, int rule, int to) {
        edge(from, CALL, rule, to);
    }

    private void edge(int from, int l, int h, int to) {
        budget.work();
        low.add(l);
        high.add(h);
        target.add(to);
        next.add(first.get(from));
        first.items[from] = next.size - 1;
    }

    int states() {
        return states;
    }

    int firstEdge(int state) {
        return first.get(state);
    }

    int nextEdge(int edge) {
        return next.get(edge);
    }

    int low(int edge) {
        return low.get(edge);
    }

    /** The range's end, or the rule of a call. */
    int high(int edge) {
        return high.get(edge);
    }

    int target(int edge) {
        return target.get(edge);
    }
}
