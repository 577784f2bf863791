package rondo.kv;

import java.util.Arrays;

/**
 * The children of every node in the order of their tokens, so that the child with the longest common run is found in
 * logarithmic time, however many there are: a treap per parent in shared arrays (Seidel and Aragon, "Randomized search
 * trees", 1996), whose nodes also know which <em>whole</em> child below them was used last. A child is whole when it
 * has all its tokens in every life cycle. A <em>thin</em> one has only some of them in some life cycle, because it grew
 * out of a shorter tail; the few thin children of a parent are a list. Only whole and thin ones can be matched in part.
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
    private boolean[] whole = new boolean[0];
    /** The whole node used last in the treap below, or none. */
    private int[] latest = new int[0];

    /** Per parent: its first thin child. */
    private int[] firstThin = new int[0];
    /** Per thin child: its neighbours in the list. */
    private int[] nextThin = new int[0];

    private int[] previousThin = new int[0];
    private boolean[] thin = new boolean[0];

    private long clock;
    private int inserted;

    /** Results of {@link #split}. */
    private int splitLeft;

    private int splitRight;
    /** See {@link #run()}. */
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
        whole = Arrays.copyOf(whole, size);
        firstThin = Arrays.copyOf(firstThin, size);
        nextThin = Arrays.copyOf(nextThin, size);
        previousThin = Arrays.copyOf(previousThin, size);
        thin = Arrays.copyOf(thin, size);
        Arrays.fill(top, old, size, NONE);
        Arrays.fill(firstThin, old, size, NONE);
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
        whole[node] = false;
        thin[node] = false;
        latest[node] = NONE;
        top[parent] = top[parent] == NONE ? node : insert(top[parent], node);
    }

    void remove(int parent, int node) {
        setThin(parent, node, false);
        top[parent] = top[parent] == node ? merge(left[node], right[node]) : delete(top[parent], node);
    }

    /** Marks a node as used last among its siblings. */
    void touch(int parent, int node) {
        used[node] = ++clock;
        if (whole[node]) {
            for (int at = top[parent]; at != node; ) {
                latest[at] = node;
                at = compare(node, at) < 0 ? left[at] : right[at];
            }
            latest[node] = node;
        }
    }

    boolean isWhole(int node) {
        return whole[node];
    }

    void setWhole(int parent, int node, boolean isWhole) {
        if (whole[node] != isWhole) {
            whole[node] = isWhole;
            refreshDownTo(top[parent], node);
        }
    }

    void setThin(int parent, int node, boolean isThin) {
        if (thin[node] == isThin) {
            return;
        }
        thin[node] = isThin;
        if (isThin) {
            nextThin[node] = firstThin[parent];
            previousThin[node] = NONE;
            if (firstThin[parent] != NONE) {
                previousThin[firstThin[parent]] = node;
            }
            firstThin[parent] = node;
            return;
        }
        if (previousThin[node] == NONE) {
            firstThin[parent] = nextThin[node];
        } else {
            nextThin[previousThin[node]] = nextThin[node];
        }
        if (nextThin[node] != NONE) {
            previousThin[nextThin[node]] = previousThin[node];
        }
    }

    /** The first of a parent's thin children, or none. */
    int firstThin(int parent) {
        return firstThin[parent];
    }

    /** The thin child after another, or none. */
    int nextThin(int node) {
        return nextThin[node];
    }

    boolean isUsedLater(int node, int than) {
        return used[node] > used[than];
    }

    /** Tokens that the last child found by {@link #closest} or {@link #closestWhole} has in common with the question. */
    int run() {
        return run;
    }

    /** A child with the longest common leading run with the first {@code count} tokens (more than 0), or none. */
    int closest(int parent, int[] tokens, int count) {
        run = 0;
        int best = NONE;
        for (int at = top[parent]; at != NONE; ) {
            int common = common(at, tokens, count);
            if (common > run) {
                run = common;
                best = at;
            }
            at = isBefore(tokens, count, at, common) ? left[at] : right[at];
        }
        return best;
    }

    /**
     * The whole child with the longest common leading run with the first {@code count} tokens (more than 0), among
     * equals the one used last; or none.
     */
    int closestWhole(int parent, int[] tokens, int count) {
        int before = before(top[parent], tokens, count);
        int after = after(top[parent], tokens, count);
        run = Math.max(
                before == NONE ? 0 : common(before, tokens, count), after == NONE ? 0 : common(after, tokens, count));
        return run == 0 ? NONE : latestWithRun(top[parent], tokens, run);
    }

    /** The last whole child that is not behind the tokens. */
    private int before(int at, int[] tokens, int count) {
        if (latest(at) == NONE) {
            return NONE;
        }
        if (isBefore(tokens, count, at, common(at, tokens, count))) {
            return before(left[at], tokens, count);
        }
        int nearer = before(right[at], tokens, count);
        return nearer != NONE ? nearer : whole[at] ? at : lastWhole(left[at]);
    }

    /** The first whole child behind the tokens. */
    private int after(int at, int[] tokens, int count) {
        if (latest(at) == NONE) {
            return NONE;
        }
        if (!isBefore(tokens, count, at, common(at, tokens, count))) {
            return after(right[at], tokens, count);
        }
        int nearer = after(left[at], tokens, count);
        return nearer != NONE ? nearer : whole[at] ? at : firstWhole(right[at]);
    }

    private int lastWhole(int top) {
        int at = top;
        while (latest(at) != NONE) {
            if (latest(right[at]) != NONE) {
                at = right[at];
            } else if (whole[at]) {
                return at;
            } else {
                at = left[at];
            }
        }
        return NONE;
    }

    private int firstWhole(int top) {
        int at = top;
        while (latest(at) != NONE) {
            if (latest(left[at]) != NONE) {
                at = left[at];
            } else if (whole[at]) {
                return at;
            } else {
                at = right[at];
            }
        }
        return NONE;
    }

    /** The children that share {@code count} leading tokens lie side by side: the latest whole one of that stretch. */
    private int latestWithRun(int root, int[] tokens, int count) {
        int at = root;
        int common;
        while ((common = common(at, tokens, count)) < count) {
            at = isBefore(tokens, count, at, common) ? left[at] : right[at];
        }
        int best = whole[at] ? at : NONE;
        for (int n = left[at]; n != NONE; ) {
            if (common(n, tokens, count) == count) {
                best = later(later(best, whole[n] ? n : NONE), latest(right[n]));
                n = left[n];
            } else {
                n = right[n];
            }
        }
        for (int n = right[at]; n != NONE; ) {
            if (common(n, tokens, count) == count) {
                best = later(later(best, whole[n] ? n : NONE), latest(left[n]));
                n = right[n];
            } else {
                n = left[n];
            }
        }
        return best;
    }

    private int latest(int at) {
        return at == NONE ? NONE : latest[at];
    }

    private int later(int a, int b) {
        return a == NONE || (b != NONE && used[b] > used[a]) ? b : a;
    }

    /** Length of the common leading run of a node's tokens with the first {@code count} of others. */
    int common(int node, int[] of, int count) {
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
        latest[at] = later(whole[at] ? at : NONE, later(latest(left[at]), latest(right[at])));
        return at;
    }

    private void refreshDownTo(int at, int node) {
        if (at != node) {
            refreshDownTo(compare(node, at) < 0 ? left[at] : right[at], node);
        }
        refresh(at);
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
