package rondo.kv;

import java.util.List;

/**
 * The tree and the pages together: which page a block has in which life cycle, and how blocks go when their pages are
 * needed elsewhere.
 */
final class CachedBlocks {
    static final int NONE = -1;

    final RadixTree tree;
    final Pages pages;
    final EventBuffer events;

    private static final int MOST_NODES_AT_ONCE = 1 << 16;

    private final LifeCycle[] lifeCycles;
    private long dropped;

    CachedBlocks(KvPools pools, int eventBufferSize) {
        List<LifeCycle> cycles = pools.layout().lifeCycles();
        lifeCycles = cycles.toArray(new LifeCycle[0]);
        int nodes = 0;
        for (int slots : pools.deviceSlots()) {
            nodes = Math.max(nodes, Math.min(MOST_NODES_AT_ONCE, slots));
        }
        tree = new RadixTree(pools.layout().tokensPerBlock(), cycles.size(), nodes);
        pages = new Pages(pools.deviceSlots());
        events = new EventBuffer(tree, eventBufferSize);
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            events.created(lc, pages.total(lc), pools.hostSlots().get(lc));
        }
    }

    int lifeCycles() {
        return lifeCycles.length;
    }

    LifeCycle lifeCycle(int lc) {
        return lifeCycles[lc];
    }

    /** Pages that went for want of room. */
    long dropped() {
        return dropped;
    }

    /** Pages that a life cycle can still give, evictions included. Evicting for one never takes from another. */
    int available(int lc) {
        return pages.free(lc) + pages.evictable(lc).size();
    }

    /** A private page with one holder, made room for if need be; {@link #available} says whether there is one. */
    int take(int lc, int priority) {
        while (pages.free(lc) == 0) {
            int victim = pages.evictable(lc).first();
            if (victim == NONE) {
                throw new IllegalStateException("life cycle " + lc + " has no page to give");
            }
            drop(victim);
        }
        return pages.create(lc, priority);
    }

    /** Makes a private page the node's own, with its first {@code coverage} tokens valid. */
    void attach(int node, int lc, int page, int coverage) {
        pages.node[page] = node;
        pages.coverage[page] = coverage;
        tree.setPage(node, lc, page);
        tree.siblings.setWhole(tree.parent[node], node, isWhole(node));
        events.stored(node, lc, pages.tier[page], pages.priority[page]);
    }

    /** Takes the node's page away and leaves it to the caller. */
    int detach(int node, int lc) {
        int page = tree.page(node, lc);
        events.removed(node, lc, pages.tier[page]);
        tree.setPage(node, lc, NONE);
        tree.siblings.setWhole(tree.parent[node], node, false);
        return page;
    }

    /** Drops a page that nobody holds, and every block that is of no use without it. */
    void drop(int page) {
        int before = pages.count();
        int node = pages.node[page];
        int lc = pages.lifeCycle[page];
        LifeCycle cycle = lifeCycles[lc];
        if (cycle.isFull() || tree.depth[node] < cycle.sinkBlocks()) {
            removeSubtree(node);
        } else {
            pages.orphan(detach(node, lc));
            prune(node);
        }
        dropped += before - pages.count();
    }

    /** Removes a leaf; pages that somebody holds go with their last holder. */
    void remove(int node) {
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            if (tree.page(node, lc) != NONE) {
                pages.orphan(detach(node, lc));
            }
        }
        tree.remove(node);
    }

    /** Removes a node that is a leaf without all its pages, since no prefix can end there, and so on towards the root. */
    void prune(int node) {
        int at = node;
        while (at != NONE && tree.isLeaf(at) && lacksAPage(at)) {
            int parent = tree.parent[at];
            remove(at);
            at = parent;
        }
    }

    private void removeSubtree(int top) {
        int above = tree.parent[top];
        int at = top;
        while (at != above) {
            int child = tree.siblings.first(at);
            if (child != NONE) {
                at = child;
            } else {
                int parent = tree.parent[at];
                remove(at);
                at = parent;
            }
        }
        prune(above);
    }

    /** Whether the node has all its tokens in every life cycle. */
    private boolean isWhole(int node) {
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            int page = tree.page(node, lc);
            if (page == NONE || pages.coverage[page] < tree.length[node]) {
                return false;
            }
        }
        return true;
    }

    /** True of every root. */
    private boolean lacksAPage(int node) {
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            if (tree.page(node, lc) == NONE) {
                return true;
            }
        }
        return false;
    }
}
