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
    /** Pages that went for want of room, per life cycle. */
    final long[] dropped;
    /** Those of them that were on the host. */
    final long[] droppedFromHost;

    private boolean dropping;

    CachedBlocks(KvPools pools, int eventBufferSize) {
        List<LifeCycle> cycles = pools.layout().lifeCycles();
        lifeCycles = cycles.toArray(new LifeCycle[0]);
        int nodes = 0;
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            long slots = (long) pools.deviceSlots().get(lc) + pools.hostSlots().get(lc);
            nodes = (int) Math.max(nodes, Math.min(MOST_NODES_AT_ONCE, slots));
        }
        tree = new RadixTree(pools.layout().tokensPerBlock(), cycles.size(), nodes);
        pages = new Pages(pools.deviceSlots(), pools.hostSlots());
        dropped = new long[lifeCycles.length];
        droppedFromHost = new long[lifeCycles.length];
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

    /** Makes a private page the node's own, with its first {@code coverage} tokens valid. */
    void attach(int node, int lc, int page, int coverage) {
        pages.node[page] = node;
        pages.coverage[page] = coverage;
        tree.setPage(node, lc, page);
        noteCoverage(node);
        events.stored(node, lc, pages.tier[page], pages.priority[page]);
    }

    /** Takes the node's page away and leaves it to the caller. */
    int detach(int node, int lc) {
        int page = tree.page(node, lc);
        events.removed(node, lc, pages.tier[page]);
        tree.setPage(node, lc, NONE);
        noteCoverage(node);
        return page;
    }

    /** Raises the priority of a page that is in the tree. */
    void raise(int page, int priority) {
        if (page != NONE && pages.node[page] != NONE && pages.priority[page] < priority) {
            events.priorityChanged(pages.node[page], pages.lifeCycle[page], pages.priority[page], priority);
            setPriority(page, priority);
        }
    }

    /** Lowers the priority of a page that is in the tree. */
    void lower(int page, int priority) {
        if (page != NONE && pages.priority[page] > priority) {
            events.priorityChanged(pages.node[page], pages.lifeCycle[page], pages.priority[page], priority);
            setPriority(page, priority);
        }
    }

    private void setPriority(int page, int priority) {
        pages.leaveQueue(page);
        pages.priority[page] = (byte) priority;
        pages.settle(page);
    }

    /** A page is in another tier now. */
    void moved(int page, Tier from, Tier to) {
        if (pages.node[page] != NONE) {
            events.moved(pages.node[page], pages.lifeCycle[page], from, to);
        }
    }

    /** Drops a page that nobody holds for want of room, and every block that is of no use without it. */
    void drop(int page) {
        dropping = true;
        discard(page);
        dropping = false;
    }

    /** As {@link #drop}, but not for want of room. */
    void discard(int page) {
        int node = pages.node[page];
        int lc = pages.lifeCycle[page];
        LifeCycle cycle = lifeCycles[lc];
        if (cycle.isFull() || tree.depth[node] < cycle.sinkBlocks()) {
            removeSubtree(node);
        } else {
            orphan(node, lc);
            prune(node);
        }
    }

    private void orphan(int node, int lc) {
        int page = detach(node, lc);
        if (dropping && pages.holders[page] == 0) {
            dropped[lc]++;
            droppedFromHost[lc] += pages.tier[page] == Tier.HOST ? 1 : 0;
        }
        pages.orphan(page);
    }

    /** Removes a leaf; pages that somebody holds go with their last holder. */
    void remove(int node) {
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            if (tree.page(node, lc) != NONE) {
                orphan(node, lc);
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

    /** Leading tokens that a node has in every life cycle. */
    int coverage(int node) {
        int least = tree.length[node];
        for (int lc = 0; lc < lifeCycles.length; lc++) {
            int page = tree.page(node, lc);
            least = Math.min(least, page == NONE ? 0 : pages.coverage[page]);
        }
        return least;
    }

    private void noteCoverage(int node) {
        int coverage = coverage(node);
        int parent = tree.parent[node];
        tree.siblings.setWhole(parent, node, coverage == tree.length[node]);
        tree.siblings.setThin(parent, node, coverage > 0 && coverage < tree.length[node]);
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
