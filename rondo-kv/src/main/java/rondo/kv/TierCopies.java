package rondo.kv;

import java.util.Arrays;

/**
 * The copies of pages: out to the host, back into the device, and within it. A copy is planned when nothing that is under
 * way touches what it writes, and remembered until then; what it leaves is free when it has landed.
 */
final class TierCopies {
    private static final int NONE = -1;

    /** Counters, per life cycle. */
    final long[] onboarded;

    final long[] copied;
    final long[] copiedFromHost;

    private final CachedBlocks cached;
    private final Pages pages;
    private final CopySources copySources;

    /** Copies between tiers on their way, in the order of their batches. */
    private final Flights flights = new Flights();
    /** Pages whose copy into the device could not be planned yet: {@link Motion#CALLED} and {@link Motion#BLANK}. */
    private int[] called = new int[16];

    private int calledCount;
    /** Number that the batch of the plan at hand will have. */
    private long batch = 1;

    private long retired;

    TierCopies(CachedBlocks cached, CopySources copySources) {
        this.cached = cached;
        this.pages = cached.pages;
        this.copySources = copySources;
        onboarded = new long[cached.lifeCycles()];
        copied = new long[cached.lifeCycles()];
        copiedFromHost = new long[cached.lifeCycles()];
    }

    void fences(long nowSubmitted, long nowCompleted, long nowRetired) {
        pages.submitted = nowSubmitted;
        pages.completed = Math.max(pages.completed, nowCompleted);
        retired = nowRetired;
    }

    /** A free slot for a copy to write. */
    int takeSlot(SlotPool slots) {
        return slots.takeForCopy(retired, pages.landed);
    }

    // ---- out of the device

    /** Copies a page that may move to the host, which has a free slot. */
    void leave(int page, PageWork out) {
        int lc = pages.lifeCycle[page];
        pages.other[page] = takeSlot(pages.slots(Tier.HOST, lc));
        pages.motion[page] = Motion.LEAVING;
        pages.leftWith[page] = batch;
        pages.settle(page);
        out.tierCopies.add(lc, Tier.DEVICE, pages.slot[page], Tier.HOST, pages.other[page]);
        if (pages.filledBy[page] > pages.completed) {
            out.copiesAfter = Math.max(out.copiesAfter, pages.filledBy[page]);
        }
        flights.add(page, true, batch);
    }

    /** Takes the device slot of a page on its way out, which from now on is to be found on the host. */
    int promise(int page) {
        int slot = pages.slot[page];
        pages.slots(Tier.DEVICE, pages.lifeCycle[page]).mark(slot, pages.lastStep[page], pages.leftWith[page]);
        pages.leaveQueue(page);
        pages.motion[page] = Motion.ARRIVING;
        toHost(page);
        pages.settle(page);
        return slot;
    }

    // ---- into the device

    /** Brings a held page of the host back into a device slot. */
    void call(int page, int deviceSlot, PageWork out) {
        pages.other[page] = deviceSlot;
        pages.motion[page] = Motion.CALLED;
        planOrRemember(page, out);
    }

    /** Makes a new page a copy of another one, a hold of which it takes over. */
    void fill(int page, int source, PageWork out) {
        pages.other[page] = source;
        pages.motion[page] = Motion.BLANK;
        planOrRemember(page, out);
    }

    private void planOrRemember(int page, PageWork out) {
        if (!plan(page, out)) {
            if (calledCount == called.length) {
                called = Arrays.copyOf(called, 2 * calledCount);
            }
            called[calledCount++] = page;
        }
    }

    /** Plans the copies that had to wait, as far as they need not wait any more. */
    void planCalled(PageWork out) {
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

    /** Drops what is on its way and nobody holds; the slots are free when the copies have landed. */
    void dropUnheld() {
        for (int i = 0; i < flights.count(); i++) {
            int page = flights.page(i);
            if (pages.holders[page] == 0 && pages.node[page] != NONE) {
                cached.drop(page);
            }
        }
    }

    /** Slots of a pool with pages that nobody holds, those on their way included. */
    int unheld(Tier tier, int lc) {
        return pages.evictable(tier, lc).size() + unheldOnTheirWay(tier, lc);
    }

    private int unheldOnTheirWay(Tier tier, int lc) {
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
