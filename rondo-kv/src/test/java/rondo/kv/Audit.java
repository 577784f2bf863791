package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Collection;

/** Checks every invariant of kv-cache.md §13 that can be seen from the outside of one moment, slowly. */
final class Audit {
    private static final int NONE = -1;

    private final KvCacheManager kv;
    private final KvLayout layout;
    private final RadixTree tree;
    private final Pages pages;
    private final Reservations reservations;
    private final BlockHasher hasher;
    private final int b;
    private final int lifeCycles;

    Audit(KvCacheManager kv, KvLayout layout, BlockHasher hasher) {
        this.kv = kv;
        this.layout = layout;
        this.tree = kv.cached().tree;
        this.pages = kv.cached().pages;
        this.reservations = kv.reservations();
        this.hasher = hasher;
        this.b = layout.tokensPerBlock();
        this.lifeCycles = layout.lifeCycles().size();
    }

    void check(Collection<Play.Seq> live) {
        slots();
        queues();
        holders(live);
        nodes();
        for (Play.Seq s : live) {
            sequence(s);
        }
    }

    /** Invariants 1, 2, 3: a copy owns the slots at both its ends, unless the one that it leaves was promised away. */
    private void slots() {
        for (Tier tier : Tier.values()) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                SlotPool slots = pages.slots(tier, lc);
                int first = tier == Tier.DEVICE ? 1 : 0;
                boolean[] owned = new boolean[slots.total()];
                int count = 0;
                for (int page = 0; page < pages.limit(); page++) {
                    if (pages.exists(page) && pages.lifeCycle[page] == lc) {
                        int slot =
                                pages.tier[page] == tier ? pages.slot[page] : ownsBoth(page) ? pages.other[page] : NONE;
                        if (slot != NONE) {
                            assertThat(slot - first).isBetween(0, slots.total() - 1);
                            assertThat(owned[slot - first])
                                    .as("slot owned twice")
                                    .isFalse();
                            owned[slot - first] = true;
                            count++;
                        }
                    }
                }
                assertThat(count + slots.free()).isEqualTo(slots.total());
            }
        }
    }

    private boolean ownsBoth(int page) {
        return switch (pages.motion[page]) {
            case Motion.LEAVING, Motion.KEPT, Motion.CALLED, Motion.ENTERING -> true;
            default -> false;
        };
    }

    /** Invariants 4, 5, 6, 22. */
    private void queues() {
        String[] in = new String[pages.limit()];
        Arrays.fill(in, "none");
        for (int lc = 0; lc < lifeCycles; lc++) {
            queue(pages.evictable(Tier.DEVICE, lc), lc, "device", in);
            queue(pages.evictable(Tier.HOST, lc), lc, "host", in);
            queue(pages.resting(lc), lc, "resting", in);
            EvictionQueue leaving = pages.leaving(lc);
            for (int page = leaving.first(); page != NONE; page = leaving.after(page)) {
                assertThat(in[page]).isEqualTo("none");
                in[page] = "leaving";
            }
        }
        for (int page = 0; page < pages.limit(); page++) {
            assertThat(in[page]).isEqualTo(pages.exists(page) ? queueFor(page) : "none");
            if (pages.exists(page)) {
                boolean wanted = pages.holders[page] > 0 || pages.node[page] != NONE;
                assertThat(wanted || pages.motion[page] != Motion.STILL).isTrue();
                assertThat(pages.softHolders[page]).isBetween(0, pages.holders[page]);
            }
        }
    }

    private String queueFor(int page) {
        if (pages.motion[page] == Motion.LEAVING) {
            assertThat(pages.holders[page]).as("what is locked does not move").isEqualTo(pages.softHolders[page]);
            return "leaving";
        }
        if (pages.motion[page] != Motion.STILL) {
            return "none";
        }
        if (pages.holders[page] == 0) {
            return pages.tier[page] == Tier.DEVICE ? "device" : "host";
        }
        boolean rests = pages.holders[page] == pages.softHolders[page] && pages.tier[page] == Tier.DEVICE;
        return rests ? "resting" : "none";
    }

    private void queue(EvictionQueue q, int lc, String name, String[] in) {
        int size = 0;
        int[] counts = new int[EvictionQueue.MAX_PRIORITY + 1];
        int priority = 0;
        for (int page = q.first(); page != NONE; page = q.after(page)) {
            assertThat(pages.lifeCycle[page]).isEqualTo(lc);
            assertThat((int) pages.priority[page]).isGreaterThanOrEqualTo(priority);
            assertThat(in[page]).isEqualTo("none");
            priority = pages.priority[page];
            counts[priority]++;
            in[page] = name;
            size++;
            assertThat(q.countUpTo(priority)).isGreaterThanOrEqualTo(size);
        }
        assertThat(q.size()).isEqualTo(size);
        assertThat(q.countUpTo(EvictionQueue.MAX_PRIORITY)).isEqualTo(size);
        for (int p : new int[] {0, 35, 70}) {
            assertThat(q.count(p)).isEqualTo(counts[p]);
        }
    }

    /** Invariant 30: every hold is a sequence's or a copy's. */
    private void holders(Collection<Play.Seq> live) {
        int[] holders = new int[pages.limit()];
        int[] soft = new int[pages.limit()];
        for (Play.Seq s : live) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                for (int i = 0; i < layout.blocks(reservations.capacity[s.r]); i++) {
                    int page = reservations.page(s.r, lc, i);
                    if (page != NONE) {
                        assertThat(pages.exists(page)).isTrue();
                        assertThat(pages.lifeCycle[page]).isEqualTo(lc);
                        holders[page]++;
                        soft[page] += s.suspended ? 1 : 0;
                        if (pages.node[page] != NONE) {
                            assertThat(rootOf(pages.node[page]))
                                    .as("a page is of its sequence's scope")
                                    .isEqualTo(tree.root(s.scope));
                        }
                        if (kv.ready(s.r)) {
                            assertThat(pages.isUsable(page) && pages.motion[page] != Motion.LEAVING)
                                    .as("a page that is used is on the device")
                                    .isTrue();
                        }
                    }
                }
            }
        }
        CopySources sources = kv.copySources();
        for (int i = 0; i < sources.count(); i++) {
            holders[sources.page(i)]++;
        }
        for (int page = 0; page < pages.limit(); page++) {
            if (pages.exists(page) && pages.motion[page] >= Motion.BLANK) {
                holders[pages.other[page]]++;
            }
        }
        for (int page = 0; page < pages.limit(); page++) {
            if (pages.exists(page)) {
                assertThat(pages.holders[page]).isEqualTo(holders[page]);
                assertThat(pages.softHolders[page]).isEqualTo(soft[page]);
            }
        }
    }

    /** Invariants 3, 10 to 15. */
    private void nodes() {
        int owned = 0;
        int count = 0;
        for (int node = 0; node < tree.idLimit(); node++) {
            if (!tree.exists(node)) {
                continue;
            }
            count++;
            boolean whole = true;
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = tree.page(node, lc);
                whole &= page != NONE && pages.coverage[page] >= tree.length[node];
                if (page != NONE) {
                    owned++;
                    assertThat(pages.node[page]).isEqualTo(node);
                    assertThat(pages.lifeCycle[page]).isEqualTo(lc);
                    assertThat(pages.coverage[page]).isBetween(1, tree.length[node]);
                }
            }
            if (tree.isRoot(node)) {
                assertThat(tree.isLeaf(node)).as("an empty root").isFalse();
                continue;
            }
            assertThat(tree.siblings.isWhole(node)).isEqualTo(whole);
            assertThat(isThin(node)).isEqualTo(!whole && kv.cached().coverage(node) > 0);
            node(node);
        }
        assertThat(tree.count()).isEqualTo(count);
        for (int page = 0; page < pages.limit(); page++) {
            if (pages.exists(page) && pages.node[page] != NONE) {
                owned--;
            }
        }
        assertThat(owned).as("pages and nodes agree").isZero();
    }

    private boolean isThin(int node) {
        for (int t = tree.siblings.firstThin(tree.parent[node]); t != NONE; t = tree.siblings.nextThin(t)) {
            if (t == node) {
                return true;
            }
        }
        return false;
    }

    private void node(int node) {
        int parent = tree.parent[node];
        assertThat(tree.exists(parent)).isTrue();
        assertThat(tree.depth[node]).isEqualTo(tree.depth[parent] + 1);
        assertThat(tree.isRoot(parent) || tree.length[parent] == b).isTrue();
        assertThat(tree.length[node]).isBetween(1, b);
        int[] tokens = tokens(node);
        byte[] key = new byte[32];
        tree.key(parent, key);
        hasher.child(key, tokens, tokens.length);
        byte[] own = new byte[32];
        tree.key(node, own);
        assertThat(own).isEqualTo(key);
        assertThat(tree.find(
                        parent,
                        tree.keyWord(node, 0),
                        tree.keyWord(node, 1),
                        tree.keyWord(node, 2),
                        tree.keyWord(node, 3)))
                .isEqualTo(node);
        assertThat(tree.siblings.closest(parent, tokens, tokens.length)).isEqualTo(node);
        assertThat(tree.siblings.run()).isEqualTo(tokens.length);
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (layout.lifeCycles().get(lc).isFull()) {
                assertThat(tree.page(node, lc))
                        .as("full attention has every block")
                        .isNotEqualTo(NONE);
            }
            if (tree.isLeaf(node)) {
                assertThat(tree.page(node, lc)).as("a leaf is an end point").isNotEqualTo(NONE);
            }
        }
        for (int other = 0; other < tree.idLimit(); other++) {
            if (tree.exists(other) && tree.parent[other] == parent && other != node) {
                int[] others = tokens(other);
                int mismatch = Arrays.mismatch(tokens, others);
                assertThat(mismatch)
                        .as("siblings differ before either ends")
                        .isBetween(0, Math.min(tokens.length, others.length) - 1);
            }
        }
    }

    /** Invariants 7, 8, 9. */
    private void sequence(Play.Seq s) {
        int committed = reservations.committed[s.r];
        int history = reservations.history[s.r];
        int capacity = reservations.capacity[s.r];
        assertThat(history).isEqualTo(s.history);
        assertThat(committed).isBetween(0, history);
        assertThat(reservations.submitted[s.r]).isEqualTo(s.submittedTokens).isBetween(history, capacity);
        if (s.inFlight.isEmpty()) {
            assertThat(history).isEqualTo(s.submittedTokens);
        }
        int node = reservations.node[s.r];
        if (committed >= b && node != NONE && tree.generation[node] == reservations.nodeGeneration[s.r]) {
            for (int i = committed / b - 1; i >= 0; i--) {
                assertThat(tokens(node)).isEqualTo(Arrays.copyOfRange(s.tokens, i * b, i * b + b));
                node = tree.parent[node];
            }
            assertThat(tree.isRoot(node)).isTrue();
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            for (int i = 0; i < layout.blocks(capacity); i++) {
                boolean stale = i >= cycle.sinkBlocks() && i < cycle.staleEnd(history, b);
                assertThat(reservations.page(s.r, lc, i) == NONE)
                        .as("life cycle %d block %d history %d", lc, i, history)
                        .isEqualTo(stale);
            }
        }
    }

    private int rootOf(int node) {
        int at = node;
        while (!tree.isRoot(at)) {
            at = tree.parent[at];
        }
        return at;
    }

    /** What a failed growth leaves alone: who holds what. */
    long holds() {
        int[] held = new int[pages.limit()];
        for (int page = 0; page < pages.limit(); page++) {
            held[page] = pages.exists(page) && pages.holders[page] > 0 ? pages.holders[page] + 1 : 0;
        }
        return 31L * Arrays.hashCode(held) + Arrays.hashCode(reservations.capacity);
    }

    int[] tokens(int node) {
        int from = node * b;
        return Arrays.copyOfRange(tree.tokens, from, from + tree.length[node]);
    }

    /** Longest usable prefix by trying all lengths on all nodes. */
    int longestUsable(CacheScope scope, int[] tokens, int limit, boolean partialReuse) {
        for (int m = limit; m > 0; m--) {
            if (isUsable(scope, tokens, m, limit, partialReuse)) {
                return m;
            }
        }
        return 0;
    }

    boolean isUsable(CacheScope scope, int[] tokens, int m, int limit, boolean partialReuse) {
        if (m == 0) {
            return true;
        }
        int full = m / b;
        int part = m % b;
        int node = tree.root(scope);
        int[] path = new int[full + 1];
        for (int i = 0; i < full && node != NONE; i++) {
            node = childWith(node, Arrays.copyOfRange(tokens, i * b, i * b + b));
            path[i] = node;
        }
        if (node == NONE) {
            return false;
        }
        if (part == 0) {
            return hasAll(path, m);
        }
        int[] start = Arrays.copyOfRange(tokens, full * b, m);
        for (int child = 0; child < tree.idLimit(); child++) {
            if (tree.exists(child) && tree.parent[child] == node && tree.length[child] >= part) {
                int[] of = tokens(child);
                boolean starts = Arrays.equals(of, 0, part, start, 0, part);
                boolean equal = m == limit && of.length == part;
                path[full] = child;
                if (starts && (partialReuse || equal) && hasAll(path, m)) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean hasAll(int[] path, int m) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            for (int i = 0; i * b < m; i++) {
                boolean needed = cycle.isFull() || i < cycle.sinkBlocks() || (i + 1) * b > m + 1 - cycle.window();
                int page = tree.page(path[i], lc);
                int coverage = page == NONE ? 0 : pages.coverage[page];
                if (needed && coverage < Math.min(b, m - i * b)) {
                    return false;
                }
            }
        }
        return true;
    }

    private int childWith(int parent, int[] tokens) {
        for (int node = 0; node < tree.idLimit(); node++) {
            if (tree.exists(node) && tree.parent[node] == parent && Arrays.equals(tokens(node), tokens)) {
                return node;
            }
        }
        return NONE;
    }

    /** Everything that could change. */
    long digest() {
        long h = tree.version;
        for (int lc = 0; lc < lifeCycles; lc++) {
            for (int p = pages.evictable(lc).first();
                    p != NONE;
                    p = pages.evictable(lc).after(p)) {
                h = 31 * h + p;
            }
            h = 31 * h + pages.free(lc);
        }
        h = 31 * h + Arrays.hashCode(pages.holders);
        h = 31 * h + Arrays.hashCode(pages.softHolders);
        h = 31 * h + Arrays.hashCode(pages.motion);
        h = 31 * h + Arrays.hashCode(pages.other);
        h = 31 * h + Arrays.hashCode(pages.slot);
        h = 31 * h + Arrays.hashCode(reservations.capacity);
        return 31 * h + kv.stats().counters().hashCode();
    }
}
