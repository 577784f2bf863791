package rondo.engine.grammar;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What tokens do inside a repetition of one body, with the number of items that each begins: the sets for any bounds
 * follow without another walk over the vocabulary.
 */
final class CountedReach {
    private record Bounds(int least, int most) {}

    private final int vocabulary;
    /** Tokens, those that begin fewer items first; {@code firstWith[k]} is the first that begins k or more. */
    private final int[] tokens;

    private final int[] firstWith;
    private final int[] exitNodes;
    private final int[] exitItems;
    private final Map<Bounds, Reach> known = new ConcurrentHashMap<>();

    private CountedReach(int vocabulary, int[] tokens, int[] firstWith, int[] exitNodes, int[] exitItems) {
        this.vocabulary = vocabulary;
        this.tokens = tokens;
        this.firstWith = firstWith;
        this.exitNodes = exitNodes;
        this.exitItems = exitItems;
    }

    static CountedReach search(Automaton automaton, TokenTrie trie, int body) {
        int start = automaton.start[automaton.ruleOf[body]];
        int[] state = new int[trie.maxDepth + 1];
        int[] begun = new int[trie.maxDepth + 1];
        state[0] = body;
        IntList tokens = new IntList();
        IntList items = new IntList();
        IntList exitNodes = new IntList();
        IntList exitItems = new IntList();
        int most = 0;
        int i = 1;
        while (i < trie.label.length) {
            int d = trie.depth[i];
            int next = automaton.next(state[d - 1], trie.label[i] & 0xFF);
            if (next < 0) {
                i = trie.skip[i];
                continue;
            }
            boolean done = automaton.accepting[next];
            state[d] = done ? start : next;
            begun[d] = begun[d - 1] + (state[d - 1] == start ? 1 : 0);
            most = Math.max(most, begun[d]);
            for (int t = trie.firstId[i]; t < trie.firstId[i + 1]; t++) {
                tokens.add(trie.ids[t]);
                items.add(begun[d]);
            }
            if (done && trie.hasChildren(i)) {
                exitNodes.add(i);
                exitItems.add(begun[d]);
            }
            i++;
        }
        return new CountedReach(
                trie.vocabulary(),
                sorted(tokens, items, most),
                starts(items, most),
                exitNodes.toArray(),
                exitItems.toArray());
    }

    private static int[] starts(IntList items, int most) {
        int[] first = new int[most + 2];
        for (int i = 0; i < items.size; i++) {
            first[items.get(i) + 1]++;
        }
        for (int k = 1; k < first.length; k++) {
            first[k] += first[k - 1];
        }
        return first;
    }

    private static int[] sorted(IntList tokens, IntList items, int most) {
        int[] at = starts(items, most);
        int[] out = new int[tokens.size];
        for (int i = 0; i < tokens.size; i++) {
            out[at[items.get(i)]++] = tokens.get(i);
        }
        return out;
    }

    /** For a place that needs {@code least} more items to return (below 1: none) and may begin {@code most} more. */
    Reach within(int least, int most) {
        int longest = firstWith.length - 2;
        Bounds bounds = new Bounds(Math.clamp(least, 0, longest + 1), Math.min(most, longest));
        Reach reach = known.get(bounds);
        if (reach == null) {
            reach = cut(bounds);
            known.put(bounds, reach);
        }
        return reach;
    }

    private Reach cut(Bounds bounds) {
        IntList exits = new IntList();
        for (int i = 0; i < exitNodes.length; i++) {
            if (exitItems[i] >= bounds.least() && exitItems[i] <= bounds.most()) {
                exits.add(exitNodes[i]);
            }
        }
        int count = firstWith[bounds.most() + 1];
        return new Reach(TokenMask.of(tokens, count, vocabulary), Reach.Exits.of(exits.toArray()));
    }
}
