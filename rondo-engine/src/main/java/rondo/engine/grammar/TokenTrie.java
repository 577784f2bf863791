package rondo.engine.grammar;

import java.util.Arrays;

/**
 * All tokens of a vocabulary as a tree of their bytes, in preorder: a walk that cannot go on at a node skips the node's
 * whole subtree. Immutable, shared by all grammars of a model.
 */
public final class TokenTrie {
    private final byte[][] tokens;
    /** Per node: its byte, its depth (root 0), the node after its subtree. */
    final byte[] label;

    final int[] depth;
    final int[] skip;
    /** Token ids of node i are {@code ids[firstId[i]]} up to {@code ids[firstId[i + 1]]}. */
    final int[] firstId;

    final int[] ids;
    final int maxDepth;

    private TokenTrie(byte[][] tokens, int[] order, int nodes) {
        this.tokens = tokens;
        label = new byte[nodes];
        depth = new int[nodes];
        skip = new int[nodes];
        firstId = new int[nodes + 1];
        ids = new int[order.length];
        int deepest = 0;
        int[] path = new int[1];
        int at = 0;
        int node = 0;
        byte[] previous = {};
        for (int i = 0; i < order.length; i++) {
            byte[] token = tokens[order[i]];
            int common = Arrays.mismatch(previous, token);
            common = common < 0 ? token.length : common;
            if (path.length <= token.length) {
                path = Arrays.copyOf(path, 2 * token.length + 1);
            }
            for (int d = previous.length; d > common; d--) {
                skip[path[d]] = node + 1;
            }
            for (int d = common; d < token.length; d++) {
                node++;
                label[node] = token[d];
                depth[node] = d + 1;
                path[d + 1] = node;
                firstId[node] = at;
            }
            deepest = Math.max(deepest, token.length);
            ids[at++] = order[i];
            previous = token;
        }
        for (int d = previous.length; d >= 0; d--) {
            skip[path[d]] = node + 1;
        }
        firstId[nodes] = at;
        maxDepth = deepest;
    }

    /**
     * @param tokens bytes of every token id; empty for tokens that a grammar never allows (control tokens)
     */
    public static TokenTrie of(byte[][] tokens) {
        Integer[] order = new Integer[tokens.length];
        int n = 0;
        for (int id = 0; id < tokens.length; id++) {
            if (tokens[id].length > 0) {
                order[n++] = id;
            }
        }
        Integer[] sorted = Arrays.copyOf(order, n);
        Arrays.sort(sorted, (x, y) -> Arrays.compareUnsigned(tokens[x], tokens[y]));
        int[] ids = new int[n];
        int nodes = 1;
        byte[] previous = {};
        for (int i = 0; i < n; i++) {
            ids[i] = sorted[i];
            byte[] token = tokens[ids[i]];
            int common = Arrays.mismatch(previous, token);
            nodes += token.length - (common < 0 ? token.length : common);
            previous = token;
        }
        return new TokenTrie(tokens, ids, nodes);
    }

    /** Size of the vocabulary. */
    public int vocabulary() {
        return tokens.length;
    }

    byte[] bytes(int token) {
        return token >= 0 && token < tokens.length ? tokens[token] : new byte[0];
    }

    boolean hasChildren(int node) {
        return skip[node] > node + 1;
    }
}
