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
    private final Conversations conversations;
    private final CopySources copySources;
    private final TierCopies copies;
    private final TierMoves tiers;
    private final Arrivals arrivals;
    private final Admission admission;
    private final Growth growth;
    private final Suspensions suspensions;
    private final EndPoints endPoints;

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
        this.conversations = new Conversations(cached, reservations, options);
        this.committer = new Committer(cached, reservations, conversations, hasher);
        this.copySources = new CopySources(pages);
        this.copies = new TierCopies(cached, copySources);
        this.tiers = new TierMoves(cached, copies, pools, options);
        this.arrivals = new Arrivals(cached, tiers, reservations);
        this.endPoints = new EndPoints(cached, reservations, layout, options);
        this.admission = new Admission(cached, tiers, reservations, arrivals, options);
        this.growth = new Growth(layout, pages, tiers, reservations, admission);
        this.suspensions = new Suspensions(cached, tiers, copies, reservations, arrivals, options.maxUtilForResume());
    }

    @Override
    public Match match(BlockKeys keys, int limit) {
        if (keys.tokensPerBlock() != tokensPerBlock || limit < 0 || limit > keys.tokens()) {
            throw new IllegalArgumentException(
                    "cannot match " + limit + " of " + keys.tokens() + " tokens in blocks of " + keys.tokensPerBlock());
        }
        return options.reuse() ? matcher.match(keys, limit) : new Found(cached, keys, 0, NONE, NONE, 0);
    }

    @Override
    public OptionalInt admit(Match match, Retention retention, int slot, PageWork out) {
        Found found = (Found) match;
        if (found.version != tree.version) {
            throw new IllegalStateException("the cache has changed since the match: match again before admitting");
        }
        OptionalInt r = admission.admit(found, retention, slot, out);
        if (r.isPresent()) {
            conversations.begin(r.getAsInt(), found.keys.scope(), retention);
        }
        return r;
    }

    @Override
    public int grow(int reservation, int wanted, int least, PageWork out) {
        requireLive(reservation);
        int from = reservations.submitted[reservation];
        if (least < 1 || wanted < least || from + wanted > maxSequenceLength) {
            throw new IllegalArgumentException("cannot grow by " + least + " to " + wanted + " tokens from " + from
                    + "; the longest sequence has " + maxSequenceLength);
        }
        if (reservations.suspended[reservation] || !arrivals.hasAll(reservation)) {
            throw new IllegalStateException("pages of reservation " + reservation + " are not on the device yet");
        }
        return growth.grow(reservation, wanted, least, out);
    }

    @Override
    public void submitted(int reservation, int tokens, long step) {
        requireLive(reservation);
        if (tokens < 1 || reservations.submitted[reservation] + tokens > reservations.capacity[reservation]) {
            throw new IllegalStateException("a run of " + tokens + " tokens from " + reservations.submitted[reservation]
                    + " has pages only up to " + reservations.capacity[reservation]);
        }
        reservations.pushInFlight(reservation, tokens, step);
        reservations.submitted[reservation] += tokens;
        reservations.lastStep[reservation] = Math.max(reservations.lastStep[reservation], step);
        submittedStep = Math.max(submittedStep, step);
    }

    @Override
    public void completed(int reservation, int keptTokens, BlockKeys keys) {
        requireLive(reservation);
        pages.completed = Math.max(pages.completed, reservations.oldestStep(reservation));
        int ran = reservations.popInFlight(reservation);
        int before = reservations.history[reservation];
        int history = before + keptTokens;
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
        int prompt = reservations.promptTokens[reservation];
        if (endPoints.supersedes() && before < prompt && history >= prompt) {
            endPoints.supersede(reservation);
        }
    }

    @Override
    public void release(int reservation, long lastStep, boolean commit) {
        // What failed, or never began, was no turn.
        release(reservation, lastStep, commit, commit);
    }

    @Override
    public void pause(int reservation, long lastStep) {
        release(reservation, lastStep, true, false);
    }

    private void release(int reservation, long lastStep, boolean commit, boolean over) {
        requireLive(reservation);
        long step = Math.max(lastStep, reservations.lastStep[reservation]);
        reservations.lastStep[reservation] = step;
        if (commit) {
            committer.commit(reservation, reservations.history[reservation], true);
        }
        if (over && options.trackDecode()) {
            endPoints.follow(reservation);
        }
        conversations.collect(reservation, over);
        for (int b = layout.blocks(reservations.capacity[reservation]) - 1; b >= 0; b--) {
            letGo(reservation, b, step);
        }
        arrivals.forget(reservation);
        reservations.close(reservation);
        conversations.end(reservation, over);
    }

    @Override
    public boolean ready(int reservation) {
        requireLive(reservation);
        return !reservations.suspended[reservation] && arrivals.hasAll(reservation);
    }

    @Override
    public boolean suspend(int reservation, long lastStep, PageWork out) {
        requireLive(reservation);
        if (reservations.suspended[reservation] || reservations.inFlight(reservation) > 0) {
            throw new IllegalStateException("reservation " + reservation + " is suspended or has a run in flight");
        }
        return suspensions.suspend(reservation, lastStep);
    }

    @Override
    public boolean resume(int reservation, PageWork out) {
        requireLive(reservation);
        return !reservations.suspended[reservation] || suspensions.resume(reservation, out);
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
        tiers.afterPlan(out);
        arrivals.update(); // copies within the device are done once they are planned: the next step finds them so
    }

    @Override
    public void fences(long submitted, long completed, long retired) {
        if (retired > completed || completed > submitted || retired < retiredStep || submitted < submittedStep) {
            throw new IllegalArgumentException("fences must be ordered and never go back, got submitted " + submitted
                    + " completed " + completed + " retired " + retired);
        }
        submittedStep = submitted;
        retiredStep = retired;
        copies.fences(submitted, completed, retired);
        copySources.letGo(retired);
        conversations.sweep();
        cached.events.publish();
    }

    @Override
    public void now(long nanos) {
        conversations.now(nanos);
    }

    @Override
    public void copiesStarted(long batch) {
        copies.started(batch);
    }

    @Override
    public void copied(long batch) {
        copies.landed(batch);
        arrivals.update();
    }

    @Override
    public boolean clear() {
        tiers.clear();
        boolean empty = pages.count() == 0;
        if (empty) {
            cached.events.cleared();
        }
        return empty;
    }

    @Override
    public int available(int lifeCycle) {
        return tiers.room(lifeCycle);
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
        pools(Tier.DEVICE, into);
        pools(Tier.HOST, into);
        for (int lc = 0; lc < lifeCycles; lc++) {
            into.add(layout.pageBytes().get(lc))
                    .add(admission.allocated[lc])
                    .add(admission.reusedFull[lc])
                    .add(admission.reusedPartial[lc])
                    .add(admission.missed[lc])
                    .add(cached.dropped[lc])
                    .add(cached.droppedFromHost[lc])
                    .add(tiers.offloadedAhead[lc])
                    .add(tiers.offloadedOnDemand[lc])
                    .add(pages.takenBack[lc])
                    .add(copies.onboarded[lc])
                    .add(copies.copied[lc])
                    .add(copies.copiedFromHost[lc]);
        }
        into.add(admission.matchedTokens).add(admission.promptTokens).add(keyCollisions());
    }

    private void pools(Tier tier, KvNumbers into) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            SlotPool slots = pages.slots(tier, lc);
            into.pool(slots.total(), slots.free(), copies.unheld(tier, lc));
        }
    }

    @Override
    public int drainEvents(KvEventSink to) {
        return cached.events.drain(to);
    }

    private long keyCollisions() {
        return matcher.collisions() + committer.collisions();
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
            if (reservations.suspended[r]) {
                pages.letGoSoft(page);
            } else {
                pages.letGo(page, step);
            }
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

    Conversations conversations() {
        return conversations;
    }

    TierMoves tiers() {
        return tiers;
    }

    CopySources copySources() {
        return copySources;
    }
}
