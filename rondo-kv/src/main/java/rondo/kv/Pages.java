package rondo.kv;

import java.util.Arrays;
import java.util.List;

/**
 * Every page that exists: where it lies, which block it belongs to and how many hold it; and the free slots of each
 * pool. Pages have dense ids, so that a page can move between tiers without changing its name.
 */
final class Pages {
    static final int NONE = -1;

    /** Per page. */
    final int[] lifeCycle;

    final Tier[] tier;
    final int[] slot;
    /** The node of the tree that owns it; none for a private page. */
    final int[] node;
    /** Leading tokens of its block that it holds; meaningful once it belongs to a node. */
    final int[] coverage;
    /** Sequences that use it, and copies that read it. */
    final int[] holders;

    final byte[] priority;
    /** Grows whenever a page goes, so that whoever remembers its id can tell. */
    final int[] generation;
    /** Last submitted step that may read or write it. */
    final long[] lastStep;

    private final int[] freePages;
    private int freePageCount;
    private final EvictionQueue[] evictable;
    private final int[] total;
    private final int[][] freeSlots;
    private final int[] freeSlotCount;
    /** Per life cycle and free slot: the step that a copy has to wait for before it writes there. */
    private final long[][] slotLastStep;

    Pages(List<Integer> deviceSlots) {
        int pools = deviceSlots.size();
        total = new int[pools];
        freeSlots = new int[pools][];
        freeSlotCount = new int[pools];
        slotLastStep = new long[pools][];
        int all = 0;
        for (int lc = 0; lc < pools; lc++) {
            int slots = deviceSlots.get(lc);
            if (slots < 2) {
                throw new IllegalArgumentException("a device pool needs slot 0 and at least one more, got " + slots);
            }
            total[lc] = slots - 1;
            all = Math.addExact(all, slots - 1);
            freeSlots[lc] = new int[slots - 1];
            slotLastStep[lc] = new long[slots];
            for (int s = slots - 1; s >= 1; s--) {
                freeSlots[lc][freeSlotCount[lc]++] = s;
            }
        }
        lifeCycle = new int[all];
        tier = new Tier[all];
        slot = new int[all];
        node = new int[all];
        coverage = new int[all];
        holders = new int[all];
        priority = new byte[all];
        generation = new int[all];
        lastStep = new long[all];
        freePages = new int[all];
        for (int page = all - 1; page >= 0; page--) {
            freePages[freePageCount++] = page;
        }
        Arrays.fill(slot, NONE);
        int[] previous = new int[all];
        int[] next = new int[all];
        evictable = new EvictionQueue[pools];
        for (int lc = 0; lc < pools; lc++) {
            evictable[lc] = new EvictionQueue(previous, next, priority);
        }
    }

    /** Slots of a device pool, scratch not counted. */
    int total(int lc) {
        return total[lc];
    }

    int free(int lc) {
        return freeSlotCount[lc];
    }

    EvictionQueue evictable(int lc) {
        return evictable[lc];
    }

    /** Number of pages that exist. */
    int count() {
        return freePages.length - freePageCount;
    }

    /** Most pages that can exist. */
    int limit() {
        return freePages.length;
    }

    boolean exists(int page) {
        return slot[page] != NONE;
    }

    /** The step that a copy has to wait for before it writes to a free slot. */
    long lastStepOfSlot(int lc, int deviceSlot) {
        return slotLastStep[lc][deviceSlot];
    }

    /** A private page with one holder in a free device slot; there must be one. */
    int create(int lc, int pagePriority) {
        int page = freePages[--freePageCount];
        lifeCycle[page] = lc;
        tier[page] = Tier.DEVICE;
        slot[page] = freeSlots[lc][--freeSlotCount[lc]];
        node[page] = NONE;
        coverage[page] = 0;
        holders[page] = 1;
        priority[page] = (byte) pagePriority;
        lastStep[page] = 0;
        return page;
    }

    /** One more holder; the page leaves its queue. */
    void hold(int page) {
        if (holders[page]++ == 0) {
            evictable[lifeCycle[page]].remove(page);
        }
    }

    /** One holder less: a page of the tree that nobody holds may be evicted, a private one is gone. */
    void letGo(int page, long step) {
        lastStep[page] = Math.max(lastStep[page], step);
        if (--holders[page] == 0) {
            if (node[page] == NONE) {
                destroy(page);
            } else {
                evictable[lifeCycle[page]].add(page);
            }
        }
    }

    /** Takes the page from its node: it is gone unless somebody holds it, and then it goes with its last holder. */
    void orphan(int page) {
        if (holders[page] == 0) {
            evictable[lifeCycle[page]].remove(page);
            node[page] = NONE;
            destroy(page);
        } else {
            node[page] = NONE;
        }
    }

    private void destroy(int page) {
        int lc = lifeCycle[page];
        slotLastStep[lc][slot[page]] = lastStep[page];
        freeSlots[lc][freeSlotCount[lc]++] = slot[page];
        slot[page] = NONE;
        generation[page]++;
        freePages[freePageCount++] = page;
    }
}
