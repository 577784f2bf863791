package rondo.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * Collects what routers want to know. Changes of one life cycle that belong together become one event: a chain of new
 * blocks, or a series of removals. A full buffer loses its oldest events, and says how many.
 */
final class EventBuffer {
    private final RadixTree tree;
    private final int limit;
    private final ArrayDeque<KvEvent> events = new ArrayDeque<>();
    private final List<Open> open = new ArrayList<>();
    private final byte[] key = new byte[32];
    private long nextId;
    private int lost;

    /** The event that a life cycle is in the middle of: blocks stored or keys removed, never both. */
    private static final class Open {
        final List<KvEvent.Block> blocks = new ArrayList<>();
        final List<String> removed = new ArrayList<>();
        String parentKey = "";
        int lastNode;
        Tier tier = Tier.DEVICE;
        int priority;
    }

    /** @param limit events kept; 0 turns the buffer off */
    EventBuffer(RadixTree tree, int limit) {
        this.tree = tree;
        this.limit = limit;
        for (int lc = 0; lc < tree.lifeCycles; lc++) {
            open.add(new Open());
        }
    }

    void created(int lc, int deviceBlocks, int hostBlocks) {
        if (limit > 0) {
            add(new KvEvent.Created(lc, deviceBlocks, hostBlocks));
        }
    }

    /** A node has got a page. */
    void stored(int node, int lc, Tier tier, int priority) {
        if (limit == 0) {
            return;
        }
        Open o = open.get(lc);
        boolean goesOn =
                !o.blocks.isEmpty() && o.lastNode == tree.parent[node] && o.tier == tier && o.priority == priority;
        if (!goesOn) {
            close(lc);
            int parent = tree.parent[node];
            o.parentKey = tree.isRoot(parent) ? "" : hex(parent);
            o.tier = tier;
            o.priority = priority;
        }
        o.blocks.add(new KvEvent.Block(hex(node), tokens(node)));
        o.lastNode = node;
    }

    /** A node has lost its page. */
    void removed(int node, int lc) {
        if (limit == 0) {
            return;
        }
        Open o = open.get(lc);
        if (!o.blocks.isEmpty()) {
            close(lc);
        }
        o.removed.add(hex(node));
    }

    /** A node's page is in another tier now. */
    void moved(int node, int lc, Tier from, Tier to) {
        if (limit > 0) {
            close(lc);
            add(new KvEvent.Moved(lc, hex(node), from, to));
        }
    }

    /** The end of a step: nothing later joins the events so far. */
    void publish() {
        if (limit > 0) {
            for (int lc = 0; lc < open.size(); lc++) {
                close(lc);
            }
        }
    }

    int drain(KvEventSink to) {
        publish();
        long id = nextId - events.size();
        for (KvEvent e : events) {
            to.accept(id++, e);
        }
        events.clear();
        int missing = lost;
        lost = 0;
        return missing;
    }

    private void close(int lc) {
        Open o = open.get(lc);
        if (!o.blocks.isEmpty()) {
            add(new KvEvent.Stored(lc, o.parentKey, List.copyOf(o.blocks), o.tier, o.priority));
            o.blocks.clear();
        }
        if (!o.removed.isEmpty()) {
            add(new KvEvent.Removed(lc, List.copyOf(o.removed)));
            o.removed.clear();
        }
    }

    private void add(KvEvent event) {
        if (events.size() == limit) {
            events.removeFirst();
            lost++;
        }
        events.add(event);
        nextId++;
    }

    private String hex(int node) {
        tree.key(node, key);
        return HexFormat.of().formatHex(key);
    }

    private List<Integer> tokens(int node) {
        List<Integer> out = new ArrayList<>(tree.length[node]);
        int from = node * tree.tokensPerBlock;
        for (int i = 0; i < tree.length[node]; i++) {
            out.add(tree.tokens[from + i]);
        }
        return List.copyOf(out);
    }
}
