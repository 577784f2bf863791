package rondo.kv;

import java.util.OptionalInt;

/** The paged KV cache: admits sequences onto cached prefixes, gives them pages as they grow, and keeps what they wrote. */
public final class KvCacheManager implements KvCache {
    private static final int NONE = -1;

    private final KvLayout layout;
    private final KvOptions options;
    private final int tokensPerBlock;
    private final int lifeCycles;
    private final int maxSequenceLength;
    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final Matcher matcher;
    private final Committer committer;
    private final Reservations reservations;
    private final CopySources copySources;
    private final Admission admission;

    private long submittedStep;
    private long retiredStep;

    /**
     * A cache of {@code pools} for at most {@code maxSequences} sequences at a time.
     *
     * @param maxSequenceLength tokens (drafts included) of the longest sequence; growing beyond it is an error
     */
    public KvCacheManager(KvPools pools, KvOptions options, int maxSequences, int maxSequenceLength) {
        this(pools, options, maxSequences, maxSequenceLength, new BlockHasher());
    }

    KvCacheManager(KvPools pools, KvOptions options, int maxSequences, int maxSequenceLength, BlockHasher hasher) {
        for (int slots : pools.hostSlots()) {
            if (slots != 0) {
                throw new IllegalArgumentException("a host tier of the KV cache is not built yet, got " + slots);
            }
        }
        if (options.policy() == KvOptions.ReusePolicy.PER_CONVERSATION) {
            throw new IllegalArgumentException("the reuse policy per_conversation is not built yet");
        }
        this.layout = pools.layout();
        this.options = options;
        this.tokensPerBlock = layout.tokensPerBlock();
        this.lifeCycles = layout.lifeCycles().size();
        this.maxSequenceLength = maxSequenceLength;
        this.cached = new CachedBlocks(pools, options.eventBufferSize());
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.matcher = new Matcher(cached, options);
        this.reservations = new Reservations(maxSequences, lifeCycles, layout.blocks(maxSequenceLength));
        this.committer = new Committer(cached, reservations, hasher);
        this.copySources = new CopySources(pages);
        this.admission = new Admission(cached, reservations, copySources, options);
    }

    @Override
    public Match match(BlockKeys keys, int limit) {
        if (keys.tokensPerBlock() != tokensPerBlock || limit < 0 || limit > keys.tokens()) {
            throw new IllegalArgumentException(
                    "cannot match " + limit + " of " + keys.tokens() + " tokens in blocks of " + keys.tokensPerBlock());
        }
        return options.reuse() ? matcher.match(keys, limit) : new Found(keys, tree.version, 0, NONE, NONE, 0);
    }

    @Override
    public OptionalInt admit(Match match, Retention retention, int slot, PageWork out) {
        Found found = (Found) match;
        if (found.version != tree.version) {
            throw new IllegalStateException("the cache has changed since the match: match again before admitting");
        }
        return admission.admit(found, retention, slot, submittedStep + 1, out);
    }

    @Override
    public int grow(int reservation, int wanted, int least, PageWork out) {
        requireLive(reservation);
        int from = reservations.submitted[reservation];
        if (least < 1 || wanted < least || from + wanted > maxSequenceLength) {
            throw new IllegalArgumentException("cannot grow by " + least + " to " + wanted + " tokens from " + from
                    + "; the longest sequence has " + maxSequenceLength);
        }
        int blocks = layout.blocks(reservations.capacity[reservation]);
        int room = Integer.MAX_VALUE;
        for (int lc = 0; lc < lifeCycles; lc++) {
            room = Math.min(room, cached.available(lc));
        }
        long most = ((long) blocks + room) * tokensPerBlock - from;
        int granted = (int) Math.min(wanted, most);
        if (granted < least) {
            return 0;
        }
        flushEdits(reservation, blocks, out);
        int end = layout.blocks(from + granted);
        for (int b = blocks; b < end; b++) {
            addBlock(reservation, b, out);
        }
        reservations.capacity[reservation] = Math.max(reservations.capacity[reservation], from + granted);
        return granted;
    }

    @Override
    public void submitted(int reservation, int tokens, long step) {
        requireLive(reservation);
        if (tokens < 1 || reservations.submitted[reservation] + tokens > reservations.capacity[reservation]) {
            throw new IllegalStateException("a run of " + tokens + " tokens from " + reservations.submitted[reservation]
                    + " has pages only up to " + reservations.capacity[reservation]);
        }
        reservations.pushInFlight(reservation, tokens);
        reservations.submitted[reservation] += tokens;
        reservations.lastStep[reservation] = Math.max(reservations.lastStep[reservation], step);
        submittedStep = Math.max(submittedStep, step);
    }

    @Override
    public void completed(int reservation, int keptTokens, BlockKeys keys) {
        requireLive(reservation);
        int ran = reservations.popInFlight(reservation);
        int history = reservations.history[reservation] + keptTokens;
        if (keptTokens < 0 || keptTokens > ran || keys.tokens() < history) {
            throw new IllegalArgumentException("cannot keep " + keptTokens + " of " + ran + " tokens up to " + history
                    + " with keys for " + keys.tokens());
        }
        reservations.setKeys(reservation, keys);
        reservations.history[reservation] = history;
        reservations.submitted[reservation] = history + reservations.tokensInFlight(reservation);
        if (options.policy() == KvOptions.ReusePolicy.ALL_REUSABLE) {
            committer.commit(reservation, history, false);
            leaveWindow(reservation);
        } else {
            // Window pages that are stale by the time the prompt is whole are never committed.
            leaveWindow(reservation);
            if (history >= reservations.promptTokens[reservation]) {
                committer.commit(reservation, history, false);
            }
        }
    }

    @Override
    public void release(int reservation, long lastStep, boolean commit) {
        requireLive(reservation);
        long step = Math.max(lastStep, reservations.lastStep[reservation]);
        reservations.lastStep[reservation] = step;
        if (commit) {
            committer.commit(reservation, reservations.history[reservation], true);
        }
        for (int b = layout.blocks(reservations.capacity[reservation]) - 1; b >= 0; b--) {
            letGo(reservation, b, step);
        }
        reservations.close(reservation);
    }

    @Override
    public boolean ready(int reservation) {
        requireLive(reservation);
        return true; // nothing comes from another tier
    }

    @Override
    public boolean suspend(int reservation, long lastStep, PageWork out) {
        requireLive(reservation);
        return false; // there is no host tier to go to
    }

    @Override
    public boolean resume(int reservation, PageWork out) {
        requireLive(reservation);
        return true; // nothing is ever suspended: all its pages are on the device
    }

    @Override
    public void shrink(int reservation, int capacity) {
        requireLive(reservation);
        if (capacity < reservations.submitted[reservation]) {
            throw new IllegalArgumentException("cannot shrink to " + capacity + " tokens below the submitted "
                    + reservations.submitted[reservation]);
        }
        int keep = layout.blocks(capacity);
        for (int b = layout.blocks(reservations.capacity[reservation]) - 1; b >= keep; b--) {
            letGo(reservation, b, reservations.lastStep[reservation]);
        }
        reservations.capacity[reservation] =
                Math.min(reservations.capacity[reservation], Math.max(capacity, reservations.submitted[reservation]));
    }

    @Override
    public void demoteAhead(PageWork out) {
        // Without a host tier the watermark is 0: victims are dropped when somebody needs the room.
    }

    @Override
    public void fences(long submitted, long completed, long retired) {
        if (retired > completed || completed > submitted || retired < retiredStep || submitted < submittedStep) {
            throw new IllegalArgumentException("fences must be ordered and never go back, got submitted " + submitted
                    + " completed " + completed + " retired " + retired);
        }
        submittedStep = submitted;
        retiredStep = retired;
        copySources.letGo(retired);
        cached.events.publish();
    }

    @Override
    public void copied(long copy) {
        // Only copies between tiers are numbered, and there is one tier.
    }

    @Override
    public boolean clear() {
        for (int lc = 0; lc < lifeCycles; lc++) {
            for (int page = pages.evictable(lc).first();
                    page != NONE;
                    page = pages.evictable(lc).first()) {
                cached.drop(page);
            }
        }
        boolean empty = pages.count() == 0;
        if (empty) {
            cached.events.cleared();
        }
        return empty;
    }

    @Override
    public int available(int lifeCycle) {
        return cached.available(lifeCycle);
    }

    @Override
    public KvStats stats() {
        KvNumbers numbers = new KvNumbers(lifeCycles);
        stats(numbers);
        return numbers.stats();
    }

    @Override
    public void stats(KvNumbers into) {
        into.begin();
        for (int lc = 0; lc < lifeCycles; lc++) {
            into.pool(pages.total(lc), pages.free(lc), pages.evictable(lc).size());
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            into.pool(0, 0, 0);
        }
        into.add(admission.allocated)
                .add(admission.reusedFull)
                .add(admission.reusedPartial)
                .add(admission.missed)
                .add(cached.dropped())
                .add(0)
                .add(0)
                .add(admission.copied)
                .add(admission.matchedTokens)
                .add(admission.promptTokens);
    }

    @Override
    public int drainEvents(KvEventSink to) {
        return cached.events.drain(to);
    }

    /** How often a 256-bit key stood for other tokens than those looked up; anything but 0 is a miracle or a bug. */
    public long keyCollisions() {
        return matcher.collisions() + committer.collisions();
    }

    private void addBlock(int r, int b, PageWork out) {
        boolean ofPrompt = b * tokensPerBlock < reservations.promptTokens[r];
        for (int lc = 0; lc < lifeCycles; lc++) {
            admission.newPage(r, lc, b, out);
            if (ofPrompt) {
                admission.missed++;
            }
        }
    }

    /** Tells the executor of blocks that commits have moved to other pages since the last run was planned. */
    private void flushEdits(int r, int blocks, PageWork out) {
        for (int b = reservations.editFrom[r]; b < blocks; b++) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = reservations.page(r, lc, b);
                if (page != NONE) {
                    out.edit(reservations.slot[r], lc, b, pages.slot[page]);
                }
            }
        }
        reservations.editFrom[r] = Integer.MAX_VALUE;
    }

    private void leaveWindow(int r) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            LifeCycle cycle = cached.lifeCycle(lc);
            int end = cycle.staleEnd(reservations.history[r], tokensPerBlock);
            for (int b = Math.max(reservations.released(r, lc), cycle.sinkBlocks()); b < end; b++) {
                letGo(r, lc, b, reservations.lastStep[r]);
            }
            reservations.setReleased(r, lc, Math.max(end, reservations.released(r, lc)));
        }
    }

    private void letGo(int r, int b, long step) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            letGo(r, lc, b, step);
        }
    }

    private void letGo(int r, int lc, int b, long step) {
        int page = reservations.page(r, lc, b);
        if (page != NONE) {
            reservations.setPage(r, lc, b, NONE);
            pages.letGo(page, step);
        }
    }

    private void requireLive(int r) {
        if (!reservations.isLive(r)) {
            throw new IllegalStateException("no such reservation: " + r);
        }
    }

    /** For tests: the inside. */
    CachedBlocks cached() {
        return cached;
    }

    Reservations reservations() {
        return reservations;
    }

    CopySources copySources() {
        return copySources;
    }
}
