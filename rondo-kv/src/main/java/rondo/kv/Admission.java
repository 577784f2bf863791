package rondo.kv;

import java.util.OptionalInt;

/** Puts a new sequence onto the cached prefix that was found for it, and gives sequences their own pages. */
final class Admission {
    private static final int NONE = -1;

    /** Counters, as in {@link KvStats.Counters}. */
    long allocated;

    long reusedFull;
    long reusedPartial;
    long missed;
    long copied;
    long matchedTokens;
    long promptTokens;

    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final Reservations reservations;
    private final CopySources copySources;
    private final KvOptions options;
    private final int tokensPerBlock;
    private final int lifeCycles;

    Admission(CachedBlocks cached, Reservations reservations, CopySources copySources, KvOptions options) {
        this.cached = cached;
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.reservations = reservations;
        this.copySources = copySources;
        this.options = options;
        this.tokensPerBlock = tree.tokensPerBlock;
        this.lifeCycles = cached.lifeCycles();
    }

    /** The reservation, or empty and nothing changed; {@code step} is the one that will carry {@code out}. */
    OptionalInt admit(Found found, Retention retention, int slot, long step, PageWork out) {
        if (found.partTokens > 0 && options.copyOnPartialReuse() && !hasRoomForCopies(found)) {
            return OptionalInt.empty();
        }
        int r = reservations.open(found.tokens(), slot, retention, found.keys);
        if (r == NONE) {
            return OptionalInt.empty();
        }
        reservations.closed[r] = !options.reuse();
        holdWholeBlocks(r, found, out);
        if (found.partTokens > 0) {
            if (options.copyOnPartialReuse()) {
                copyPart(r, found, step, out);
            } else {
                takePart(r, found, out);
            }
            reusedPartial += lifeCycles;
        }
        matchedTokens += found.tokens();
        promptTokens += retention.promptTokens();
        return OptionalInt.of(r);
    }

    /** A page of its own for block {@code b}; there must be room. */
    int newPage(int r, int lc, int b, PageWork out) {
        int priority = reservations.excluded[r]
                ? RetentionRules.DEFAULT
                : RetentionRules.priority(
                        cached.lifeCycle(lc),
                        b,
                        tokensPerBlock,
                        reservations.promptTokens[r],
                        options.endpointRewindTokens());
        int page = cached.take(lc, priority);
        reservations.setPage(r, lc, b, page);
        out.edit(reservations.slot[r], lc, b, pages.slot[page]);
        allocated++;
        return page;
    }

    /** Whether every life cycle has a page for the copy while all that was matched is held. */
    private boolean hasRoomForCopies(Found found) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            int room = cached.available(lc);
            if (pages.holders[tree.page(found.partNode, lc)] == 0) {
                room--;
            }
            int from = cached.lifeCycle(lc).staleEnd(found.tokens(), tokensPerBlock);
            int sink = cached.lifeCycle(lc).sinkBlocks();
            int node = found.node;
            for (int b = found.blocks - 1; b >= 0 && room > 0; b--) {
                if ((b >= from || b < sink) && pages.holders[tree.page(node, lc)] == 0) {
                    room--;
                }
                node = tree.parent[node];
            }
            if (room < 1) {
                return false;
            }
        }
        return true;
    }

    private void holdWholeBlocks(int r, Found found, PageWork out) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            reservations.setReleased(r, lc, cached.lifeCycle(lc).staleEnd(found.tokens(), tokensPerBlock));
        }
        int node = found.node;
        for (int b = found.blocks - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                if (b >= reservations.released(r, lc)
                        || b < cached.lifeCycle(lc).sinkBlocks()) {
                    int page = tree.page(node, lc);
                    pages.hold(page);
                    reservations.setPage(r, lc, b, page);
                    out.edit(reservations.slot[r], lc, b, pages.slot[page]);
                    reusedFull++;
                }
            }
            tree.siblings.touch(tree.parent[node], node);
            node = tree.parent[node];
        }
        reservations.node[r] = found.node;
        if (found.node != NONE) {
            reservations.nodeGeneration[r] = tree.generation[found.node];
        }
    }

    /** The matched part of a block is copied: the block stays as it is for others, the copy is written on. */
    private void copyPart(int r, Found found, long step, PageWork out) {
        int node = found.partNode;
        int b = found.blocks;
        tree.siblings.touch(tree.parent[node], node);
        for (int lc = 0; lc < lifeCycles; lc++) {
            int source = tree.page(node, lc);
            pages.hold(source);
            copySources.add(source, step);
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            int source = tree.page(node, lc);
            int page = newPage(r, lc, b, out);
            out.deviceCopies.add(lc, Tier.DEVICE, pages.slot[source], Tier.DEVICE, pages.slot[page]);
            copied++;
        }
    }

    /** The block leaves the tree and becomes the sequence's own. */
    private void takePart(int r, Found found, PageWork out) {
        int node = found.partNode;
        int parent = tree.parent[node];
        for (int lc = 0; lc < lifeCycles; lc++) {
            int page = cached.detach(node, lc);
            pages.hold(page);
            pages.node[page] = NONE;
            reservations.setPage(r, lc, found.blocks, page);
            out.edit(reservations.slot[r], lc, found.blocks, pages.slot[page]);
        }
        tree.remove(node);
        cached.prune(parent);
    }
}
