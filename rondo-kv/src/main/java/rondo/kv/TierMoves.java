package rondo.kv;

/**
 * Gives out device slots and makes room for more: what is evicted goes to the host if the host has room for its
 * priority, ahead of need where possible.
 */
final class TierMoves {
    private static final int NONE = -1;
    /** A chunk for each of the two steps that may be under way. */
    private static final int STEPS_AHEAD = 2;

    /** Counters, per life cycle. */
    final long[] offloadedAhead;

    final long[] offloadedOnDemand;

    private final CachedBlocks cached;
    private final Pages pages;
    private final TierCopies copies;
    private final int offloadMinPriority;
    private final int[] watermark;

    TierMoves(CachedBlocks cached, TierCopies copies, KvPools pools, KvOptions options) {
        this.cached = cached;
        this.pages = cached.pages;
        this.copies = copies;
        this.offloadMinPriority = options.offloadMinPriority();
        int lifeCycles = cached.lifeCycles();
        offloadedAhead = new long[lifeCycles];
        offloadedOnDemand = new long[lifeCycles];
        watermark = new int[lifeCycles];
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (hasHost(lc)) {
                int wanted = STEPS_AHEAD * pools.layout().blocks(options.maxStepTokens());
                watermark[lc] = Math.min(wanted, pages.total(lc) / 4);
            }
        }
    }

    boolean hasHost(int lc) {
        return pages.slots(Tier.HOST, lc).total() > 0;
    }

    // ---- how much room there is

    /** Slots that a step can have without waiting for a copy: free ones, and those of pages that would be dropped. */
    int roomAtOnce(int lc) {
        return pages.free(lc) + droppable(lc);
    }

    /** Slots that can be had, those included that only a copy to the host makes free; not those of suspended sequences. */
    int room(int lc) {
        return pages.free(lc) + pages.evictable(lc).size() + pages.leaving(lc).size();
    }

    /** Evictable pages at the front of the queue that would be dropped, not copied to the host. */
    int droppable(int lc) {
        EvictionQueue queue = pages.evictable(lc);
        if (!hasHost(lc)) {
            return queue.size();
        }
        int sum = 0;
        for (int page = queue.first(); page != NONE; page = queue.firstFrom(pages.priority[page] + 1)) {
            if (isWantedByHost(lc, pages.priority[page])) {
                break;
            }
            sum += queue.count(pages.priority[page]);
        }
        return sum;
    }

    /** Whether evictable pages of that priority go to the host: it keeps such, and has room or something to give up. */
    private boolean isWantedByHost(int lc, int priority) {
        return priority >= offloadMinPriority && hasHostRoom(lc, priority);
    }

    /** Whether the host has a slot for a page of that priority, or a page that would make way for it. */
    boolean hasHostRoom(int lc, int priority) {
        return pages.slots(Tier.HOST, lc).free() > 0
                || pages.evictable(Tier.HOST, lc).countUpTo(priority) > 0;
    }

    // ---- slots for those who need them

    /** A private page for a step to write, with one holder. {@link #room} says whether there is one. */
    int take(int lc, int priority, PageWork out) {
        SlotPool slots = pages.slots(Tier.DEVICE, lc);
        int slot = slots.free() > 0 || makeFree(lc, out) ? slots.take() : promised(lc);
        if (slots.lastCopy(slot) > pages.landed) {
            out.waitsForCopies = true;
        }
        return pages.create(lc, priority, slot);
    }

    /** A device slot for a copy to write, once whatever uses it now is over. */
    private int takeForCopy(int lc, PageWork out) {
        SlotPool slots = pages.slots(Tier.DEVICE, lc);
        return slots.free() > 0 || makeFree(lc, out) ? copies.takeSlot(slots) : promised(lc);
    }

    /** Evicts until a slot is free (true) or will be free when a copy has landed (false). */
    private boolean makeFree(int lc, PageWork out) {
        EvictionQueue queue = pages.evictable(lc);
        while (pages.free(lc) == 0) {
            int first = queue.first();
            if (first != NONE && !isWantedByHost(lc, pages.priority[first])) {
                cached.drop(first);
                continue;
            }
            if (pages.leaving(lc).size() == 0 && !sendNext(lc, offloadedOnDemand, out)) {
                throw new IllegalStateException("life cycle " + lc + " has no page to give");
            }
            if (pages.leaving(lc).size() > 0) {
                return false;
            }
        }
        return true;
    }

    /** The device slot of the page that left first. */
    private int promised(int lc) {
        return copies.promise(pages.leaving(lc).first());
    }

    // ---- eviction

    /** The next victim that goes to the host is sent there; false if there is none. */
    private boolean sendNext(int lc, long[] counter, PageWork out) {
        EvictionQueue queue = pages.evictable(lc);
        int victim = queue.first();
        while (victim != NONE && !isWantedByHost(lc, pages.priority[victim])) {
            victim = queue.firstFrom(pages.priority[victim] + 1);
        }
        int resting = restingVictim(lc);
        if (resting != NONE && (victim == NONE || pages.priority[resting] < pages.priority[victim])) {
            victim = resting;
        }
        if (victim == NONE) {
            return false;
        }
        send(victim, counter, out);
        return true;
    }

    /** The first page of suspended sequences for which the host has room; they are never dropped. */
    private int restingVictim(int lc) {
        EvictionQueue queue = pages.resting(lc);
        for (int page = queue.first(); page != NONE; page = queue.firstFrom(pages.priority[page] + 1)) {
            if (hasHostRoom(lc, pages.priority[page])) {
                return page;
            }
        }
        return NONE;
    }

    /** Copies a victim to the host, which has room for its priority; it may also turn out to go with what makes way. */
    private void send(int page, long[] counter, PageWork out) {
        int lc = pages.lifeCycle[page];
        SlotPool host = pages.slots(Tier.HOST, lc);
        while (host.free() == 0) {
            cached.drop(pages.evictable(Tier.HOST, lc).first());
        }
        if (!pages.exists(page) || !(pages.isEvictable(page) || pages.isResting(page))) {
            return;
        }
        copies.leave(page, out);
        counter[lc]++;
    }

    /** Starts copies to the host until {@code slots} slots are free or about to be; as many as there are victims. */
    void makeRoom(int lc, int slots, PageWork out) {
        boolean more = true;
        while (more && roomAtOnce(lc) + pages.leaving(lc).size() < slots) {
            more = sendNext(lc, offloadedOnDemand, out);
        }
    }

    /** As {@link #makeRoom}, at the expense of suspended sequences only. */
    void makeRoomOfResting(int lc, int slots, PageWork out) {
        while (room(lc) < slots) {
            int victim = restingVictim(lc);
            if (victim == NONE) {
                return;
            }
            send(victim, offloadedOnDemand, out);
        }
    }

    /** Plans the copies that had to wait, and sends victims out until the watermark is reached. */
    void afterPlan(PageWork out) {
        copies.planCalled(out);
        for (int lc = 0; lc < watermark.length; lc++) {
            boolean more = true;
            while (more && roomAtOnce(lc) + pages.leaving(lc).size() < watermark[lc]) {
                more = sendNext(lc, offloadedAhead, out);
            }
        }
    }

    // ---- copies into the device

    /** Brings a held page of the host back, into a slot that {@link #room} has promised. */
    void call(int page, PageWork out) {
        if (pages.motion[page] == Motion.STILL || pages.motion[page] == Motion.ARRIVING) {
            copies.call(page, takeForCopy(pages.lifeCycle[page], out), out);
        }
    }

    /** A private page with one holder that becomes a copy of {@code source}, one hold of which it takes over. */
    int copyOf(int source, int priority, PageWork out) {
        int lc = pages.lifeCycle[source];
        int slot;
        if (pages.tier[source] == Tier.HOST) {
            slot = takeForCopy(lc, out);
        } else {
            SlotPool slots = pages.slots(Tier.DEVICE, lc);
            slot = slots.free() > 0 || makeFree(lc, out) ? slots.take() : promised(lc);
        }
        int page = pages.create(lc, priority, slot);
        copies.fill(page, source, out);
        return page;
    }

    /** Drops what nobody holds, in whatever tier and on whatever way. */
    void clear() {
        for (int lc = 0; lc < watermark.length; lc++) {
            for (Tier tier : Tier.values()) {
                EvictionQueue queue = pages.evictable(tier, lc);
                for (int page = queue.first(); page != NONE; page = queue.first()) {
                    cached.drop(page);
                }
            }
        }
        copies.dropUnheld();
    }
}
