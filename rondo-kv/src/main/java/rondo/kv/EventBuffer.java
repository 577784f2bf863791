package rondo.kv;

import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import rondo.base.TokenIds;

/**
 * Collects what routers want to know. Changes of one life cycle that belong together become one event: a chain of new
 * blocks, or a series of removals. A full buffer loses its oldest events, and says how many.
 */
final class EventBuffer {
    private static final int KEY_BYTES = 32;

    private final RadixTree tree;
    private final int limit;
    private final ArrayDeque<KvEvent> events = new ArrayDeque<>();
    private final Open[] open;
    private final byte[] key = new byte[KEY_BYTES];
    private final byte[] secret;
    private final MessageDigest sha;
    private long nextId;
    private int lost;

    /** The event that a life cycle is in the middle of: blocks stored or keys removed, never both. */
    private static final class Open {
        final List<KvEvent.Block> blocks = new ArrayList<>();
        final List<KvEvent.Gone> removed = new ArrayList<>();
        KvEvent.@Nullable Key parent;
        int lastNode;
        Tier tier = Tier.DEVICE;
        int priority;
    }

    /** @param limit events kept; 0 turns the buffer off */
    EventBuffer(RadixTree tree, int limit) {
        this.tree = tree;
        this.limit = limit;
        open = new Open[tree.lifeCycles];
        for (int lc = 0; lc < open.length; lc++) {
            open[lc] = new Open();
        }
        sha = CacheScope.sha256();
        secret = new byte[limit > 0 ? KEY_BYTES : 0];
        if (limit > 0) {
            new SecureRandom().nextBytes(secret);
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
        Open o = open[lc];
        boolean goesOn =
                !o.blocks.isEmpty() && o.lastNode == tree.parent[node] && o.tier == tier && o.priority == priority;
        if (!goesOn) {
            close(lc);
            o.parent = parent(node);
            o.tier = tier;
            o.priority = priority;
        }
        o.blocks.add(new KvEvent.Block(name(node), tokens(node)));
        o.lastNode = node;
    }

    /** A node has lost its page, which was in this tier. */
    void removed(int node, int lc, Tier tier) {
        if (limit == 0) {
            return;
        }
        Open o = open[lc];
        if (!o.blocks.isEmpty()) {
            close(lc);
        }
        o.removed.add(new KvEvent.Gone(name(node), tier, tree.length[node] == tree.tokensPerBlock));
    }

    /** A node's page is in another tier from now on. */
    void moved(int node, int lc, Tier from, Tier to) {
        if (limit == 0) {
            return;
        }
        close(lc);
        KvEvent.Block block = new KvEvent.Block(name(node), tokens(node));
        add(new KvEvent.Moved(lc, Optional.ofNullable(parent(node)), block, from, to));
    }

    /** A node's page has got another priority. */
    void priorityChanged(int node, int lc, int from, int to) {
        if (limit == 0) {
            return;
        }
        close(lc);
        add(new KvEvent.Raised(lc, name(node), from, to));
    }

    /** The cache was cleared and nothing is left. */
    void cleared() {
        if (limit > 0) {
            publish();
            add(new KvEvent.Cleared());
        }
    }

    /** The end of a step: nothing later joins the events so far. */
    void publish() {
        if (limit > 0) {
            for (int lc = 0; lc < open.length; lc++) {
                close(lc);
            }
        }
    }

    int drain(KvEventSink to) {
        publish();
        if (events.isEmpty()) {
            return 0;
        }
        long id = nextId - events.size();
        for (KvEvent e = events.poll(); e != null; e = events.poll()) {
            to.accept(id++, e);
        }
        int missing = lost;
        lost = 0;
        return missing;
    }

    private void close(int lc) {
        Open o = open[lc];
        if (!o.blocks.isEmpty()) {
            add(new KvEvent.Stored(lc, Optional.ofNullable(o.parent), List.copyOf(o.blocks), o.tier, o.priority));
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

    /** The block above; none above the first of a prompt, since a root's key would tell its scope. */
    private KvEvent.@Nullable Key parent(int node) {
        int parent = tree.parent[node];
        return tree.isRoot(parent) ? null : name(parent);
    }

    /** What a block is called in events. */
    KvEvent.Key name(int node) {
        tree.key(node, key);
        if (tree.salted[node]) {
            sha.update(secret);
            sha.update(key);
            byte[] digest = sha.digest();
            System.arraycopy(digest, 0, key, 0, KEY_BYTES);
        }
        return new KvEvent.Key(
                KeyBytes.getLong(key, 0),
                KeyBytes.getLong(key, 8),
                KeyBytes.getLong(key, 16),
                KeyBytes.getLong(key, 24));
    }

    private TokenIds tokens(int node) {
        return TokenIds.empty().append(tree.tokens, node * tree.tokensPerBlock, tree.length[node]);
    }
}
