package rondo.kv;

import java.util.Arrays;

/**
 * Gives out device slots, and moves pages between the tiers to make room for more: what is evicted goes to the host if
 * the host has room for its priority, ahead of need where possible; what is hit on the host comes back.
 */
final class TierMoves {
    private static final int NONE = -1;
    /** A chunk for each of the two steps that may be under way. */
    private static final int STEPS_AHEAD = 2;

    /** Counters, per life cycle. */
    final long[] offloadedAhead;

    final long[] offloadedOnDemand;
    final long[] onboarded;
    final long[] copied;
    final long[] copiedFromHost;

    private final CachedBlocks cached;
    private final Pages pages;
    private final CopySources copySources;
    private final int offloadMinPriority;
    private final int[] watermark;

    /** Copies between tiers on their way, in the order of their batches. */
    private final Flights flights = new Flights();
    /** Pages whose copy into the device could not be planned yet: {@link Motion#CALLED} and {@link Motion#BLANK}. */
    private int[] called = new int[16];

    private int calledCount;
    /** Number that the batch of the plan at hand will have. */
    private long batch = 1;

    private long retired;

    TierMoves(CachedBlocks cached, CopySources copySources, KvPools pools, KvOptions options) {
        this.cached = cached;
        this.pages = cached.pages;
        this.copySources = copySources;
        this.offloadMinPriority = options.offloadMinPriority();
        int lifeCycles = cached.lifeCycles();
        offloadedAhead = new long[lifeCycles];
        offloadedOnDemand = new long[lifeCycles];
        onboarded = new long[lifeCycles];
        copied = new long[lifeCycles];
        copiedFromHost = new long[lifeCycles];
        watermark = new int[lifeCycles];
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (hasHost(lc)) {
                int wanted = STEPS_AHEAD * pools.layout().blocks(options.maxStepTokens());
                watermark[lc] = Math.min(wanted, pages.total(lc) / 4);
            }
        }
    }

    void fences(long nowSubmitted, long nowCompleted, long nowRetired) {
        pages.submitted = nowSubmitted;
        pages.completed = Math.max(pages.completed, nowCompleted);
        retired = nowRetired;
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
        return slots.free() > 0 || makeFree(lc, out) ? slots.takeForCopy(retired, pages.landed) : promised(lc);
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
        int page = pages.leaving(lc).first();
        int slot = pages.slot[page];
        pages.slots(Tier.DEVICE, lc).mark(slot, pages.lastStep[page], pages.leftWith[page]);
        pages.leaveQueue(page);
        pages.motion[page] = Motion.ARRIVING;
        toHost(page);
        pages.settle(page);
        return slot;
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
        pages.other[page] = host.takeForCopy(retired, pages.landed);
        pages.motion[page] = Motion.LEAVING;
        pages.leftWith[page] = batch;
        pages.settle(page);
        out.tierCopies.add(lc, Tier.DEVICE, pages.slot[page], Tier.HOST, pages.other[page]);
        if (pages.filledBy[page] > pages.completed) {
            out.copiesAfter = Math.max(out.copiesAfter, pages.filledBy[page]);
        }
        flights.add(page, true, batch);
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
        planCalled(out);
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
            pages.other[page] = takeForCopy(pages.lifeCycle[page], out);
            pages.motion[page] = Motion.CALLED;
            planOrRemember(page, out);
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
        pages.motion[page] = Motion.BLANK;
        pages.other[page] = source;
        planOrRemember(page, out);
        return page;
    }

    private void planOrRemember(int page, PageWork out) {
        if (!plan(page, out)) {
            if (calledCount == called.length) {
                called = Arrays.copyOf(called, 2 * calledCount);
            }
            called[calledCount++] = page;
        }
    }

    private void planCalled(PageWork out) {
        int kept = 0;
        for (int i = 0; i < calledCount; i++) {
            int page = called[i];
            boolean waits = pages.exists(page)
                    && (pages.motion[page] == Motion.CALLED || pages.motion[page] == Motion.BLANK)
                    && !plan(page, out);
            if (waits) {
                called[kept++] = page;
            }
        }
        calledCount = kept;
    }

    /** Plans the copy into a page's device slot; false if something that must be over first is not, or nobody runs. */
    private boolean plan(int page, PageWork out) {
        if (pages.holders[page] == pages.softHolders[page]) {
            return false;
        }
        int lc = pages.lifeCycle[page];
        SlotPool slots = pages.slots(Tier.DEVICE, lc);
        int to = pages.deviceSlot(page);
        int source = pages.motion[page] == Motion.BLANK ? pages.other[page] : page;
        if (pages.tier[source] == Tier.DEVICE) {
            if (slots.lastCopy(to) > pages.landed) {
                return false;
            }
            out.deviceCopies.add(lc, Tier.DEVICE, pages.slot[source], Tier.DEVICE, to);
            copySources.add(source, pages.submitted + 1);
            pages.filledBy[page] = pages.submitted + 1;
            pages.motion[page] = Motion.STILL;
            pages.other[page] = NONE;
            copied[lc]++;
            return true;
        }
        // A source that is coming in itself would give its host slot up too early.
        boolean comes = source != page && pages.motion[source] >= Motion.CALLED;
        if (comes || !slots.isOpenToCopies(to, retired, pages.landed) || pages.leftWith[source] > pages.landed) {
            return false;
        }
        out.tierCopies.add(lc, Tier.HOST, pages.slot[source], Tier.DEVICE, to);
        flights.add(page, false, batch);
        if (source == page) {
            pages.motion[page] = Motion.ENTERING;
            onboarded[lc]++;
        } else {
            pages.motion[page] = Motion.FILLING;
            copiedFromHost[lc]++;
        }
        return true;
    }

    // ---- copies under way

    /** The copies of the plan at hand have been handed over as this batch. */
    void started(long number) {
        if (number != batch) {
            throw new IllegalStateException("the batch of copies " + number + " was expected to be " + batch);
        }
        batch++;
    }

    /** All batches up to this one have landed. */
    void landed(long number) {
        if (number >= batch) {
            throw new IllegalStateException("the batch of copies " + number + " was never handed over");
        }
        pages.landed = Math.max(pages.landed, number);
        while (flights.hasLanded(number)) {
            boolean out = flights.firstGoesOut();
            int page = flights.removeFirst();
            if (out) {
                left(page);
            } else {
                came(page);
            }
        }
    }

    private void left(int page) {
        int lc = pages.lifeCycle[page];
        switch (pages.motion[page]) {
            case Motion.LEAVING -> {
                pages.leaveQueue(page);
                pages.slots(Tier.DEVICE, lc).give(pages.slot[page], pages.lastStep[page], pages.landed);
                toHost(page);
                pages.motion[page] = Motion.STILL;
            }
            case Motion.KEPT -> {
                pages.slots(Tier.HOST, lc).give(pages.other[page], 0, pages.landed);
                pages.other[page] = NONE;
                pages.motion[page] = Motion.STILL;
            }
            case Motion.ARRIVING -> pages.motion[page] = Motion.STILL;
            default -> {} // called back meanwhile: its copy into the device can be planned now
        }
        pages.settle(page);
    }

    private void came(int page) {
        if (pages.motion[page] == Motion.ENTERING) {
            pages.slots(Tier.HOST, pages.lifeCycle[page]).give(pages.slot[page], 0, pages.landed);
            pages.tier[page] = Tier.DEVICE;
            pages.slot[page] = pages.other[page];
            pages.other[page] = NONE;
            cached.moved(page, Tier.HOST, Tier.DEVICE);
            pages.motion[page] = Motion.STILL;
            pages.settle(page);
        } else {
            int source = pages.other[page];
            pages.other[page] = NONE;
            pages.motion[page] = Motion.STILL;
            pages.settle(page);
            pages.letGo(source, 0);
        }
    }

    /** The page is where its copy goes; no step reads it there. */
    private void toHost(int page) {
        pages.tier[page] = Tier.HOST;
        pages.slot[page] = pages.other[page];
        pages.other[page] = NONE;
        pages.lastStep[page] = 0;
        pages.filledBy[page] = 0;
        cached.moved(page, Tier.DEVICE, Tier.HOST);
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
        for (int i = 0; i < flights.count(); i++) {
            int page = flights.page(i);
            if (pages.holders[page] == 0 && pages.node[page] != NONE) {
                cached.drop(page);
            }
        }
    }

    /** Slots of a pool that pages own which nobody holds and which are on their way. */
    int unheldOnTheirWay(Tier tier, int lc) {
        int sum = 0;
        for (int i = 0; i < flights.count(); i++) {
            int page = flights.page(i);
            if (pages.lifeCycle[page] == lc && pages.holders[page] == 0) {
                boolean moves = pages.other[page] != NONE && pages.motion[page] != Motion.FILLING;
                sum += pages.tier[page] == tier || moves ? 1 : 0;
            }
        }
        return sum;
    }
}
