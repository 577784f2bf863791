package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The subset construction; calls of rules are letters of their own. */
final class Determinizer {
    private record Key(int[] states) {
        @Override
        public boolean equals(Object o) {
            return o instanceof Key k && Arrays.equals(states, k.states);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(states);
        }
    }

    private final Nfa nfa;
    private final Budget budget;
    private final Map<Key, Integer> ids = new HashMap<>();
    private final List<int[]> subsets = new ArrayList<>();
    private final int[] mark;
    private int marks;
    private final IntList pending = new IntList();

    private Determinizer(Nfa nfa, Budget budget) {
        this.nfa = nfa;
        this.budget = budget;
        this.mark = new int[nfa.states()];
    }

    static Dfa run(Nfa nfa, Budget budget) {
        return new Determinizer(nfa, budget).run();
    }

    private Dfa run() {
        id(closure(new int[] {Nfa.START}, 1));
        List<int[]> low = new ArrayList<>();
        List<int[]> high = new ArrayList<>();
        List<int[]> target = new ArrayList<>();
        List<int[]> calls = new ArrayList<>();
        List<int[]> after = new ArrayList<>();
        for (int i = 0; i < subsets.size(); i++) {
            ranges(subsets.get(i), low, high, target);
            calls(subsets.get(i), calls, after);
        }
        boolean[] accepting = new boolean[subsets.size()];
        for (int i = 0; i < accepting.length; i++) {
            accepting[i] = Arrays.binarySearch(subsets.get(i), Nfa.FINAL) >= 0;
        }
        int[][] none = new int[0][];
        return new Dfa(
                low.toArray(none),
                high.toArray(none),
                target.toArray(none),
                calls.toArray(none),
                after.toArray(none),
                accepting);
    }

    private void ranges(int[] subset, List<int[]> lows, List<int[]> highs, List<int[]> targets) {
        IntList edges = new IntList();
        IntList borders = new IntList();
        for (int s : subset) {
            for (int e = nfa.firstEdge(s); e >= 0; e = nfa.nextEdge(e)) {
                if (nfa.low(e) >= 0) {
                    edges.add(e);
                    borders.add(nfa.low(e));
                    borders.add(nfa.high(e) + 1);
                }
            }
        }
        int[] cuts = Arrays.stream(borders.toArray()).sorted().distinct().toArray();
        IntList low = new IntList();
        IntList high = new IntList();
        IntList target = new IntList();
        int[] sortedEdges = Arrays.stream(edges.toArray())
                .boxed()
                .sorted((x, y) -> Integer.compare(nfa.low(x), nfa.low(y)))
                .mapToInt(Integer::intValue)
                .toArray();
        IntList open = new IntList();
        int nextEdge = 0;
        for (int c = 0; c + 1 < cuts.length; c++) {
            int from = cuts[c];
            while (nextEdge < sortedEdges.length && nfa.low(sortedEdges[nextEdge]) <= from) {
                open.add(sortedEdges[nextEdge++]);
            }
            int kept = 0;
            int[] reached = new int[open.size];
            for (int i = 0; i < open.size; i++) {
                budget.work();
                int e = open.get(i);
                if (nfa.high(e) >= from) {
                    reached[kept] = nfa.target(e);
                    open.items[kept++] = e;
                }
            }
            open.size = kept;
            if (kept == 0) {
                continue;
            }
            int to = id(closure(reached, kept));
            int last = low.size - 1;
            if (last >= 0 && high.get(last) == from - 1 && target.get(last) == to) {
                high.items[last] = cuts[c + 1] - 1;
            } else {
                low.add(from);
                high.add(cuts[c + 1] - 1);
                target.add(to);
            }
        }
        lows.add(low.toArray());
        highs.add(high.toArray());
        targets.add(target.toArray());
    }

    private void calls(int[] subset, List<int[]> calls, List<int[]> after) {
        TreeMap<Integer, IntList> byRule = new TreeMap<>();
        for (int s : subset) {
            for (int e = nfa.firstEdge(s); e >= 0; e = nfa.nextEdge(e)) {
                if (nfa.low(e) == Nfa.CALL) {
                    byRule.computeIfAbsent(nfa.high(e), r -> new IntList()).add(nfa.target(e));
                }
            }
        }
        int[] rules = new int[byRule.size()];
        int[] returns = new int[byRule.size()];
        int n = 0;
        for (Map.Entry<Integer, IntList> call : byRule.entrySet()) {
            rules[n] = call.getKey();
            returns[n++] = id(closure(call.getValue().toArray(), call.getValue().size));
        }
        calls.add(rules);
        after.add(returns);
    }

    /** All states reached by empty moves, of those only the ones that matter: with other edges, or final; sorted. */
    private int[] closure(int[] from, int count) {
        marks++;
        IntList found = new IntList();
        for (int i = 0; i < count; i++) {
            push(from[i]);
        }
        while (pending.size > 0) {
            budget.work();
            int s = pending.removeLast();
            boolean matters = s == Nfa.FINAL;
            for (int e = nfa.firstEdge(s); e >= 0; e = nfa.nextEdge(e)) {
                if (nfa.low(e) == Nfa.EMPTY_MOVE) {
                    push(nfa.target(e));
                } else {
                    matters = true;
                }
            }
            if (matters) {
                found.add(s);
            }
        }
        int[] states = found.toArray();
        Arrays.sort(states);
        return states;
    }

    private void push(int state) {
        if (mark[state] != marks) {
            mark[state] = marks;
            pending.add(state);
        }
    }

    private int id(int[] subset) {
        Key key = new Key(subset);
        Integer known = ids.get(key);
        if (known != null) {
            return known;
        }
        budget.state();
        ids.put(key, subsets.size());
        subsets.add(subset);
        return subsets.size() - 1;
    }
}
