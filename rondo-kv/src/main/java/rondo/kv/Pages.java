package rondo.kv;

import java.util.Arrays;
import java.util.List;

/**
 * Every page that exists: where it lies, which block it belongs to and who holds it; the slots of each pool, and the
 * queues in which pages wait for their eviction. Pages have dense ids, so that a page keeps its name when it moves.
 *
 * <p>A page has hard holds (sequences that run, copies that read it), which fix it where it is, and soft holds (suspended
 * sequences), which only keep it from being dropped.
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
    /** All holds, and how many of them are soft. */
    final int[] holders;

    final int[] softHolders;
    final byte[] priority;
    /** Grows whenever a page goes, so that whoever remembers its id can tell. */
    final int[] generation;
    /** Last submitted step that may read or write it where it is. */
    final long[] lastStep;
    /** Step that carries a copy within the device into it; 0 = none. */
    final long[] filledBy;
    /** See {@link Motion}. */
    final byte[] motion;
    /** While it moves: its slot in the other tier; the page that a blank one is to become a copy of. */
    final int[] other;
    /** Batch of the last copy of its bytes to the host. */
    final long[] leftWith;

    /** Batches of copies up to this one have landed. */
    long landed;
    /** Steps up to these have been submitted, and computed. */
    long submitted;

    long completed;

    /** Hits on pages that were on their way out, per life cycle. */
    final long[] takenBack;

    private static final byte IN_NO_QUEUE = 0;
    private static final byte EVICTABLE = 1;
    private static final byte RESTING = 2;
    private static final byte GOING = 3;

    private final byte[] queue;
    private final int[] freePages;
    private int freePageCount;
    private final SlotPool[] device;
    private final SlotPool[] host;
    private final EvictionQueue[] evictableOnDevice;
    private final EvictionQueue[] evictableOnHost;
    private final EvictionQueue[] resting;
    private final EvictionQueue[] leaving;

    Pages(List<Integer> deviceSlots, List<Integer> hostSlots) {
        int pools = deviceSlots.size();
        device = new SlotPool[pools];
        host = new SlotPool[pools];
        int all = 0;
        for (int lc = 0; lc < pools; lc++) {
            int slots = deviceSlots.get(lc);
            if (slots < 2) {
                throw new IllegalArgumentException("a device pool needs slot 0 and at least one more, got " + slots);
            }
            device[lc] = new SlotPool(1, slots - 1);
            host[lc] = new SlotPool(0, hostSlots.get(lc));
            all = Math.addExact(all, slots - 1 + hostSlots.get(lc));
        }
        lifeCycle = new int[all];
        tier = new Tier[all];
        slot = new int[all];
        node = new int[all];
        coverage = new int[all];
        holders = new int[all];
        softHolders = new int[all];
        priority = new byte[all];
        generation = new int[all];
        lastStep = new long[all];
        filledBy = new long[all];
        motion = new byte[all];
        other = new int[all];
        leftWith = new long[all];
        takenBack = new long[pools];
        queue = new byte[all];
        freePages = new int[all];
        for (int page = all - 1; page >= 0; page--) {
            freePages[freePageCount++] = page;
        }
        Arrays.fill(slot, NONE);
        int[] previous = new int[all];
        int[] next = new int[all];
        evictableOnDevice = new EvictionQueue[pools];
        evictableOnHost = new EvictionQueue[pools];
        resting = new EvictionQueue[pools];
        leaving = new EvictionQueue[pools];
        byte[] inOrder = new byte[all];
        for (int lc = 0; lc < pools; lc++) {
            evictableOnDevice[lc] = new EvictionQueue(previous, next, priority);
            evictableOnHost[lc] = new EvictionQueue(previous, next, priority);
            resting[lc] = new EvictionQueue(previous, next, priority);
            leaving[lc] = new EvictionQueue(previous, next, inOrder);
        }
    }

    SlotPool slots(Tier of, int lc) {
        return of == Tier.DEVICE ? device[lc] : host[lc];
    }

    /** Slots of a device pool, scratch not counted. */
    int total(int lc) {
        return device[lc].total();
    }

    /** Free device slots. */
    int free(int lc) {
        return device[lc].free();
    }

    /** Pages on the device that nobody holds. */
    EvictionQueue evictable(int lc) {
        return evictableOnDevice[lc];
    }

    EvictionQueue evictable(Tier of, int lc) {
        return of == Tier.DEVICE ? evictableOnDevice[lc] : evictableOnHost[lc];
    }

    /** Pages on the device that only suspended sequences hold. */
    EvictionQueue resting(int lc) {
        return resting[lc];
    }

    /** Pages on their way out, the one that left first first. */
    EvictionQueue leaving(int lc) {
        return leaving[lc];
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

    /** Whether a page waits in the queue of those that may be evicted from the tier in which it is. */
    boolean isEvictable(int page) {
        return queue[page] == EVICTABLE;
    }

    /** Whether only suspended sequences hold a page on the device that is not on its way. */
    boolean isResting(int page) {
        return queue[page] == RESTING;
    }

    /** Whether a step can read it where it is, now and for as long as it is held. */
    boolean isUsable(int page) {
        return tier[page] == Tier.DEVICE && motion[page] < Motion.BLANK;
    }

    /** Whether all that it is to begin with has been written: it is no copy that is still to be made. */
    boolean isFilled(int page) {
        return motion[page] < Motion.BLANK && filledBy[page] <= completed;
    }

    /** The device slot that it has, or will have when its copy has landed. */
    int deviceSlot(int page) {
        return tier[page] == Tier.DEVICE ? slot[page] : other[page];
    }

    /** A private page with one holder in a device slot that was taken for it. */
    int create(int lc, int pagePriority, int deviceSlot) {
        int page = freePages[--freePageCount];
        lifeCycle[page] = lc;
        tier[page] = Tier.DEVICE;
        slot[page] = deviceSlot;
        node[page] = NONE;
        coverage[page] = 0;
        holders[page] = 1;
        softHolders[page] = 0;
        priority[page] = (byte) pagePriority;
        lastStep[page] = 0;
        filledBy[page] = 0;
        motion[page] = Motion.STILL;
        other[page] = NONE;
        leftWith[page] = 0;
        return page;
    }

    /** One more hard holder. The page leaves its queue; one that is on its way out is taken back. */
    void hold(int page) {
        holders[page]++;
        if (motion[page] == Motion.LEAVING) {
            motion[page] = Motion.KEPT;
            takenBack[lifeCycle[page]]++;
        }
        settle(page);
    }

    /** One hard holder less: a page of the tree that nobody holds may be evicted, a private one is gone. */
    void letGo(int page, long step) {
        lastStep[page] = Math.max(lastStep[page], step);
        holders[page]--;
        settle(page);
    }

    /** A hard holder becomes a soft one. */
    void soften(int page, long step) {
        lastStep[page] = Math.max(lastStep[page], step);
        softHolders[page]++;
        settle(page);
    }

    /** A soft holder becomes a hard one. */
    void harden(int page) {
        softHolders[page]--;
        holders[page]--;
        hold(page);
    }

    /** One soft holder less. */
    void letGoSoft(int page) {
        softHolders[page]--;
        holders[page]--;
        settle(page);
    }

    /** Takes the page from its node: it is gone unless somebody holds it, and then it goes with its last holder. */
    void orphan(int page) {
        node[page] = NONE;
        settle(page);
    }

    /** Brings a page into the queue where it belongs now; one that nobody can want goes, unless a copy still owns it. */
    void settle(int page) {
        if (holders[page] == 0 && motion[page] >= Motion.CALLED) {
            cancel(page);
        }
        byte to = IN_NO_QUEUE;
        if (motion[page] == Motion.LEAVING) {
            to = GOING;
        } else if (motion[page] == Motion.STILL) {
            if (holders[page] == 0) {
                if (node[page] == NONE) {
                    destroy(page);
                    return;
                }
                to = EVICTABLE;
            } else if (holders[page] == softHolders[page] && tier[page] == Tier.DEVICE) {
                to = RESTING;
            }
        }
        if (to != queue[page]) {
            leaveQueue(page);
            queue[page] = to;
            if (to != IN_NO_QUEUE) {
                queueOf(page).add(page);
            }
        }
    }

    /** Takes the page out of its queue before its tier changes; {@link #settle} brings it to its next. */
    void leaveQueue(int page) {
        if (queue[page] != IN_NO_QUEUE) {
            queueOf(page).remove(page);
            queue[page] = IN_NO_QUEUE;
        }
    }

    private EvictionQueue queueOf(int page) {
        int lc = lifeCycle[page];
        return switch (queue[page]) {
            case EVICTABLE -> evictable(tier[page], lc);
            case RESTING -> resting[lc];
            default -> leaving[lc];
        };
    }

    /** Nobody wants it any more: a copy into the device that was not planned yet is not made. */
    private void cancel(int page) {
        if (motion[page] == Motion.CALLED) {
            device[lifeCycle[page]].give(other[page], 0, landed);
            other[page] = NONE;
            motion[page] = leftWith[page] > landed ? Motion.ARRIVING : Motion.STILL;
        } else if (motion[page] == Motion.BLANK) {
            int source = other[page];
            other[page] = NONE;
            motion[page] = Motion.STILL;
            letGo(source, 0);
        }
    }

    private void destroy(int page) {
        leaveQueue(page);
        slots(tier[page], lifeCycle[page]).give(slot[page], Math.max(lastStep[page], filledBy[page]), landed);
        slot[page] = NONE;
        generation[page]++;
        freePages[freePageCount++] = page;
    }
}
