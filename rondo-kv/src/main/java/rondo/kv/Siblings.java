package rondo.kv;

import java.util.Arrays;

/**
 * The children of every node in the order of their tokens, so that the child with the longest common run is found in
 * logarithmic time, however many there are: a treap per parent in shared arrays (Seidel and Aragon, "Randomized search
 * trees", 1996), whose nodes also know the child below them that was used last.
 */
final class Siblings {
    private static final int NONE = -1;

    private final RadixTree tree;
    /** Per parent: the treap of its children. */
    private int[] top = new int[0];
    /** Per child. */
    private int[] left = new int[0];

    private int[] right = new int[0];
    private int[] heap = new int[0];
    private long[] used = new long[0];
    private int[] latest = new int[0];
    private long clock;
    private int inserted;

    /** Results of {@link #split}. */
    private int splitLeft;

    private int splitRight;
    /** Common run of the last {@link #longestRun}. */
    private int run;

    Siblings(RadixTree tree) {
        this.tree = tree;
    }

    void resize(int size) {
        int old = top.length;
        top = Arrays.copyOf(top, size);
        left = Arrays.copyOf(left, size);
        right = Arrays.copyOf(right, size);
        heap = Arrays.copyOf(heap, size);
        used = Arrays.copyOf(used, size);
        latest = Arrays.copyOf(latest, size);
        Arrays.fill(top, old, size, NONE);
    }

    void reset(int node) {
        top[node] = NONE;
    }

    /** Some child of a node, its only one if there is one; or none. */
    int first(int parent) {
        return top[parent];
    }

    void add(int parent, int node) {
        left[node] = NONE;
        right[node] = NONE;
        heap[node] = mix(++inserted);
        used[node] = ++clock;
        latest[node] = node;
        top[parent] = top[parent] == NONE ? node : insert(top[parent], node);
    }

    void remove(int parent, int node) {
        top[parent] = top[parent] == node ? merge(left[node], right[node]) : delete(top[parent], node);
    }

    /** Marks a node as used last among its siblings. */
    void touch(int parent, int node) {
        used[node] = ++clock;
        for (int at = top[parent]; at != node; ) {
            latest[at] = node;
            at = compare(node, at) < 0 ? left[at] : right[at];
        }
        latest[node] = node;
    }

    /** Tokens that the last child found by {@link #longestRun} has in common with what was asked for. */
    int run() {
        return run;
    }

    /**
     * The child with the longest common leading run with the first {@code count} tokens (more than 0), among equals the
     * one used last; or none.
     */
    int longestRun(int parent, int[] tokens, int count) {
        run = 0;
        for (int at = top[parent]; at != NONE; ) {
            int common = common(at, tokens, count);
            run = Math.max(run, common);
            at = isBefore(tokens, count, at, common) ? left[at] : right[at];
        }
        return run == 0 ? NONE : latestWithRun(top[parent], tokens, run);
    }

    /** The children that share {@code count} leading tokens lie side by side: the latest of that stretch. */
    private int latestWithRun(int root, int[] tokens, int count) {
        int at = root;
        int common;
        while ((common = common(at, tokens, count)) < count) {
            at = isBefore(tokens, count, at, common) ? left[at] : right[at];
        }
        int best = at;
        for (int n = left[at]; n != NONE; ) {
            if (common(n, tokens, count) == count) {
                best = later(later(best, n), right[n] == NONE ? n : latest[right[n]]);
                n = left[n];
            } else {
                n = right[n];
            }
        }
        for (int n = right[at]; n != NONE; ) {
            if (common(n, tokens, count) == count) {
                best = later(later(best, n), left[n] == NONE ? n : latest[left[n]]);
                n = right[n];
            } else {
                n = left[n];
            }
        }
        return best;
    }

    private int later(int a, int b) {
        return used[b] > used[a] ? b : a;
    }

    private int common(int node, int[] of, int count) {
        int from = node * tree.tokensPerBlock;
        int length = tree.length[node];
        int mismatch = Arrays.mismatch(tree.tokens, from, from + length, of, 0, count);
        return mismatch < 0 ? count : mismatch;
    }

    private boolean isBefore(int[] of, int count, int node, int common) {
        if (common == count) {
            return true;
        }
        return common < tree.length[node] && of[common] < tree.tokens[node * tree.tokensPerBlock + common];
    }

    /** Order of two siblings; none is a prefix of another. */
    private int compare(int a, int b) {
        int fromA = a * tree.tokensPerBlock;
        int fromB = b * tree.tokensPerBlock;
        return Arrays.compare(tree.tokens, fromA, fromA + tree.length[a], tree.tokens, fromB, fromB + tree.length[b]);
    }

    private int insert(int at, int node) {
        if (at == NONE) {
            return node;
        }
        if (heap[node] > heap[at]) {
            split(at, node);
            left[node] = splitLeft;
            right[node] = splitRight;
            return refresh(node);
        }
        if (compare(node, at) < 0) {
            left[at] = insert(left[at], node);
        } else {
            right[at] = insert(right[at], node);
        }
        return refresh(at);
    }

    /** Divides a treap into what comes before and what comes after a node. */
    private void split(int at, int node) {
        if (at == NONE) {
            splitLeft = NONE;
            splitRight = NONE;
        } else if (compare(at, node) < 0) {
            split(right[at], node);
            right[at] = splitLeft;
            splitLeft = refresh(at);
        } else {
            split(left[at], node);
            left[at] = splitRight;
            splitRight = refresh(at);
        }
    }

    private int delete(int at, int node) {
        if (at == node) {
            return merge(left[node], right[node]);
        }
        if (compare(node, at) < 0) {
            left[at] = delete(left[at], node);
        } else {
            right[at] = delete(right[at], node);
        }
        return refresh(at);
    }

    private int merge(int a, int b) {
        if (a == NONE || b == NONE) {
            return a == NONE ? b : a;
        }
        if (heap[a] > heap[b]) {
            right[a] = merge(right[a], b);
            return refresh(a);
        }
        left[b] = merge(a, left[b]);
        return refresh(b);
    }

    private int refresh(int at) {
        int best = at;
        if (left[at] != NONE) {
            best = later(best, latest[left[at]]);
        }
        if (right[at] != NONE) {
            best = later(best, latest[right[at]]);
        }
        latest[at] = best;
        return at;
    }

    /** Spreads the counter of insertions over all bits (the finalizer of MurmurHash3, public domain). */
    private static int mix(int x) {
        x ^= x >>> 16;
        x *= 0x85EBCA6B;
        x ^= x >>> 13;
        x *= 0xC2B2AE35;
        return x ^ (x >>> 16);
    }
}
