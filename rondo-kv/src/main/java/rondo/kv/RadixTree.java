package rondo.kv;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The blocks of all cached prefixes, below one root per scope. Nodes are dense ids into parallel arrays; a node is found
 * by its parent and 256-bit key in one open-addressing table, and its tokens are there to be compared.
 */
final class RadixTree {
    static final int NONE = -1;

    final int tokensPerBlock;
    final int lifeCycles;
    final Siblings siblings;

    /** Per node. */
    int[] parent = new int[0];
    /** Ordinal of the block in its prefix; a root has -1. */
    int[] depth = new int[0];
    /** Grows whenever the id is given up, so that whoever remembers a node can tell that it is gone. */
    int[] generation = new int[0];
    /** Tokens of the block; -1 for an id that is free. */
    int[] length = new int[0];
    /** {@code tokensPerBlock} per node. */
    int[] tokens = new int[0];
    /** Whether the node lies below the root of a salt. */
    boolean[] salted = new boolean[0];

    /** Changes whenever a node or a page enters or leaves the tree. */
    long version;

    private long[] keys = new long[0];
    private int[] pages = new int[0];
    private final Map<CacheScope, Integer> roots = new HashMap<>();
    private final Map<Integer, CacheScope> scopes = new HashMap<>();
    private int[] table;
    private int inTable;
    private int firstFree = NONE;
    private int everUsed;
    private int count;

    /** @param expected nodes for which there is room at once, so that a busy cache need not grow its arrays */
    RadixTree(int tokensPerBlock, int lifeCycles, int expected) {
        this.tokensPerBlock = tokensPerBlock;
        this.lifeCycles = lifeCycles;
        this.siblings = new Siblings(this);
        this.table = new int[2 * Integer.highestOneBit(Math.max(32, 2 * expected))];
        Arrays.fill(table, NONE);
        resize(Math.max(64, expected));
    }

    /** Number of nodes, roots included. */
    int count() {
        return count;
    }

    /** Node ids are below this. */
    int idLimit() {
        return everUsed;
    }

    boolean exists(int node) {
        return length[node] >= 0;
    }

    boolean isRoot(int node) {
        return parent[node] == NONE;
    }

    boolean isLeaf(int node) {
        return siblings.first(node) == NONE;
    }

    long keyWord(int node, int word) {
        return keys[4 * node + word];
    }

    void key(int node, byte[] out) {
        for (int w = 0; w < 4; w++) {
            KeyBytes.putLong(out, 8 * w, keys[4 * node + w]);
        }
    }

    int page(int node, int lc) {
        return pages[node * lifeCycles + lc];
    }

    void setPage(int node, int lc, int page) {
        pages[node * lifeCycles + lc] = page;
        version++;
    }

    /** The root of a scope, or none. */
    int root(CacheScope scope) {
        Integer root = roots.get(scope);
        return root == null ? NONE : root;
    }

    int addRoot(CacheScope scope, byte[] key) {
        int node = newNode(NONE, -1, key);
        length[node] = 0;
        salted[node] = scope.isSalted();
        roots.put(scope, node);
        scopes.put(node, scope);
        return node;
    }

    /** The child of {@code parent} with this key, or none; whether its tokens are the same is for the caller to see. */
    int find(int parent, long k0, long k1, long k2, long k3) {
        int only = siblings.first(parent);
        if (only == NONE) {
            return NONE;
        }
        if (hasKey(only, k0, k1, k2, k3)) {
            return only;
        }
        int mask = table.length - 1;
        for (int at = hash(parent, k0) & mask; table[at] != NONE; at = (at + 1) & mask) {
            int node = table[at];
            if (this.parent[node] == parent && hasKey(node, k0, k1, k2, k3)) {
                return node;
            }
        }
        return NONE;
    }

    boolean hasTokens(int node, int[] of, int count) {
        int from = node * tokensPerBlock;
        return length[node] == count && Arrays.equals(tokens, from, from + count, of, 0, count);
    }

    /** A new child; the caller has made sure that it may be there. */
    int insert(int parent, byte[] key, int[] of, int count) {
        int node = newNode(parent, depth[parent] + 1, key);
        length[node] = count;
        salted[node] = salted[parent];
        System.arraycopy(of, 0, tokens, node * tokensPerBlock, count);
        siblings.add(parent, node);
        if (2 * (inTable + 1) > table.length) {
            rehash(2 * table.length);
        }
        place(node);
        inTable++;
        return node;
    }

    /** Removes a node that has neither children nor pages. */
    void remove(int node) {
        if (isRoot(node)) {
            CacheScope scope = scopes.remove(node);
            if (scope != null) {
                roots.remove(scope);
            }
        } else {
            siblings.remove(parent[node], node);
            unplace(node);
            inTable--;
        }
        length[node] = -1;
        generation[node]++;
        parent[node] = firstFree;
        firstFree = node;
        count--;
        version++;
    }

    private int newNode(int parentNode, int nodeDepth, byte[] key) {
        int node = firstFree;
        if (node == NONE) {
            if (everUsed == parent.length) {
                resize(Math.max(64, 2 * everUsed));
            }
            node = everUsed++;
        } else {
            firstFree = parent[node];
        }
        parent[node] = parentNode;
        depth[node] = nodeDepth;
        for (int w = 0; w < 4; w++) {
            keys[4 * node + w] = KeyBytes.getLong(key, 8 * w);
        }
        Arrays.fill(pages, node * lifeCycles, (node + 1) * lifeCycles, NONE);
        siblings.reset(node);
        count++;
        version++;
        return node;
    }

    private void resize(int size) {
        parent = Arrays.copyOf(parent, size);
        depth = Arrays.copyOf(depth, size);
        generation = Arrays.copyOf(generation, size);
        length = Arrays.copyOf(length, size);
        salted = Arrays.copyOf(salted, size);
        tokens = Arrays.copyOf(tokens, Math.multiplyExact(size, tokensPerBlock));
        keys = Arrays.copyOf(keys, 4 * size);
        pages = Arrays.copyOf(pages, size * lifeCycles);
        siblings.resize(size);
    }

    private boolean hasKey(int node, long k0, long k1, long k2, long k3) {
        int at = 4 * node;
        return keys[at] == k0 && keys[at + 1] == k1 && keys[at + 2] == k2 && keys[at + 3] == k3;
    }

    /** The parent counts too: were all keys equal, chains would still be found quickly. */
    private static int hash(int parent, long k0) {
        long h = (k0 ^ (parent * 0x9E3779B97F4A7C15L)) * 0xD6E8FEB86659FD93L;
        return (int) (h >>> 32);
    }

    private void place(int node) {
        int mask = table.length - 1;
        int at = hash(parent[node], keys[4 * node]) & mask;
        while (table[at] != NONE) {
            at = (at + 1) & mask;
        }
        table[at] = node;
    }

    /** Linear probing without tombstones: what follows the hole moves back as far as its own hash allows. */
    private void unplace(int node) {
        int mask = table.length - 1;
        int hole = hash(parent[node], keys[4 * node]) & mask;
        while (table[hole] != node) {
            hole = (hole + 1) & mask;
        }
        for (int at = (hole + 1) & mask; table[at] != NONE; at = (at + 1) & mask) {
            int other = table[at];
            int home = hash(parent[other], keys[4 * other]) & mask;
            if (((at - home) & mask) >= ((at - hole) & mask)) {
                table[hole] = other;
                hole = at;
            }
        }
        table[hole] = NONE;
    }

    private void rehash(int size) {
        int[] old = table;
        table = new int[size];
        Arrays.fill(table, NONE);
        for (int node : old) {
            if (node != NONE) {
                place(node);
            }
        }
    }
}
