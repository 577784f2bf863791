package rondo.kv;

import java.util.Arrays;
import java.util.OptionalInt;

/** Puts a new sequence onto the cached prefix that was found for it, and gives sequences their own pages. */
final class Admission {
    private static final int NONE = -1;

    /** Counters per life cycle, as in {@link KvStats.Counters}. */
    final long[] allocated;

    final long[] reusedFull;
    final long[] reusedPartial;
    final long[] missed;
    /** Counters of all sequences, as in {@link KvStats}. */
    long matchedTokens;

    long promptTokens;

    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final TierMoves tiers;
    private final Reservations reservations;
    private final Arrivals arrivals;
    private final KvOptions options;
    private final int tokensPerBlock;
    private final int lifeCycles;

    /** What an admission needs, per life cycle: slots, and pages that could have made room but will be held. */
    private final int[] slots;

    private final int[] spoken;

    Admission(CachedBlocks cached, TierMoves tiers, Reservations reservations, Arrivals arrivals, KvOptions options) {
        this.cached = cached;
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.tiers = tiers;
        this.reservations = reservations;
        this.arrivals = arrivals;
        this.options = options;
        this.tokensPerBlock = tree.tokensPerBlock;
        this.lifeCycles = cached.lifeCycles();
        allocated = new long[lifeCycles];
        reusedFull = new long[lifeCycles];
        reusedPartial = new long[lifeCycles];
        missed = new long[lifeCycles];
        slots = new int[lifeCycles];
        spoken = new int[lifeCycles];
    }

    /** The reservation, or empty and nothing changed but that suspended sequences may have begun to make room. */
    OptionalInt admit(Found found, Retention retention, int slot, PageWork out) {
        if (!fits(found, out)) {
            return OptionalInt.empty();
        }
        int r = reservations.open(found.tokens(), slot, retention, found.keys);
        if (r == NONE) {
            return OptionalInt.empty();
        }
        reservations.closed[r] = !options.reuse();
        boolean allThere = holdWholeBlocks(r, found, out);
        if (found.partTokens > 0) {
            if (options.copyOnPartialReuse()) {
                copyPart(r, found, out);
            } else {
                takePart(r, found, out);
            }
            for (int lc = 0; lc < lifeCycles; lc++) {
                reusedPartial[lc]++;
            }
        }
        for (int b = found.blocks - 1; b >= 0 && !allThere; b--) {
            arrivals.use(r, b, false, out);
        }
        matchedTokens += found.tokens();
        promptTokens += retention.promptTokens();
        return OptionalInt.of(r);
    }

    /** A page of its own for block {@code b}; there must be room. */
    void newPage(int r, int lc, int b, PageWork out) {
        setPage(r, lc, b, tiers.take(lc, priority(r, lc, b), out), out);
        allocated[lc]++;
    }

    private int priority(int r, int lc, int b) {
        return reservations.excluded[r]
                ? RetentionRules.DEFAULT
                : RetentionRules.priority(
                        cached.lifeCycle(lc),
                        b,
                        tokensPerBlock,
                        reservations.promptTokens[r],
                        options.endpointRewindTokens());
    }

    private void setPage(int r, int lc, int b, int page, PageWork out) {
        reservations.setPage(r, lc, b, page);
        out.edit(reservations.slot[r], lc, b, pages.deviceSlot(page));
    }

    /** Whether every life cycle has slots for what comes from the host and for copies, while all that was matched is held. */
    private boolean fits(Found found, PageWork out) {
        boolean copies = found.partTokens > 0 && options.copyOnPartialReuse();
        Arrays.fill(slots, copies ? 1 : 0);
        Arrays.fill(spoken, 0);
        int node = found.node;
        for (int b = found.blocks - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                if (isNeeded(found, lc, b)) {
                    count(tree.page(node, lc), true);
                }
            }
            node = tree.parent[node];
        }
        for (int lc = 0; lc < lifeCycles && found.partTokens > 0; lc++) {
            count(tree.page(found.partNode, lc), !copies);
        }
        boolean all = true;
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (slots[lc] > 0 && slots[lc] + spoken[lc] > tiers.room(lc)) {
                all = false;
                tiers.makeRoomOfResting(lc, slots[lc] + spoken[lc], out);
            }
        }
        return all;
    }

    private void count(int page, boolean comesBack) {
        int lc = pages.lifeCycle[page];
        if (pages.tier[page] == Tier.DEVICE) {
            spoken[lc] += pages.isEvictable(page) || pages.motion[page] == Motion.LEAVING ? 1 : 0;
        } else if (comesBack && pages.motion[page] < Motion.CALLED) {
            slots[lc]++;
        }
    }

    private boolean isNeeded(Found found, int lc, int b) {
        LifeCycle cycle = cached.lifeCycle(lc);
        return b >= cycle.staleEnd(found.tokens(), tokensPerBlock) || b < cycle.sinkBlocks();
    }

    /** Whether all that was held can be used where it is; if not, everything has to be held before anything comes back. */
    private boolean holdWholeBlocks(int r, Found found, PageWork out) {
        boolean allThere = true;
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
                    reusedFull[lc]++;
                    if (pages.isUsable(page)) {
                        out.edit(reservations.slot[r], lc, b, pages.slot[page]);
                    } else {
                        allThere = false;
                    }
                }
            }
            tree.siblings.touch(tree.parent[node], node);
            node = tree.parent[node];
        }
        reservations.node[r] = found.node;
        if (found.node != NONE) {
            reservations.nodeGeneration[r] = tree.generation[found.node];
        }
        return allThere;
    }

    /** The matched part of a block is copied: the block stays as it is for others, the copy is written on. */
    private void copyPart(int r, Found found, PageWork out) {
        tree.siblings.touch(tree.parent[found.partNode], found.partNode);
        for (int lc = 0; lc < lifeCycles; lc++) {
            pages.hold(tree.page(found.partNode, lc));
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            int page = tiers.copyOf(tree.page(found.partNode, lc), priority(r, lc, found.blocks), out);
            setPage(r, lc, found.blocks, page, out);
            arrivals.await(r, page);
            allocated[lc]++;
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
        }
        tree.remove(node);
        cached.prune(parent);
        arrivals.use(r, found.blocks, true, out);
    }
}
