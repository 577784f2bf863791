package rondo.kv;

import java.util.Arrays;

/**
 * What a plan asks of the executor's memory, in order: edits of the block tables (which live with the executor, one per
 * sequence slot and life cycle), copies inside the device that run before the step's forward, and copies between tiers.
 */
public final class PageWork {
    public int edits;
    /** Sequence slot whose table changes. */
    public int[] slot = new int[64];

    public int[] lifeCycle = new int[64];
    /** Ordinal of the block in its sequence. */
    public int[] block = new int[64];
    /** Device page that the block has from now on. */
    public int[] page = new int[64];

    /** Device to device, in the compute stream (partial reuse). */
    public final PageCopies deviceCopies = new PageCopies();
    /**
     * Between tiers, on the copy stream, in no particular order. A list that is not empty must be handed over, exactly
     * once and in the order of the plans, and {@link KvCache#copiesStarted} told its number.
     */
    public final PageCopies tierCopies = new PageCopies();
    /** The tier copies must not start before this step has been computed; 0 = at once. */
    public long copiesAfter;
    /**
     * Whether the step may start only when all copies between tiers have landed that were handed over before it, its own
     * included: a run of it writes where one of them reads.
     */
    public boolean waitsForCopies;

    public void edit(int slot, int lifeCycle, int block, int page) {
        if (edits == this.slot.length) {
            int size = 2 * edits;
            this.slot = Arrays.copyOf(this.slot, size);
            this.lifeCycle = Arrays.copyOf(this.lifeCycle, size);
            this.block = Arrays.copyOf(this.block, size);
            this.page = Arrays.copyOf(this.page, size);
        }
        this.slot[edits] = slot;
        this.lifeCycle[edits] = lifeCycle;
        this.block[edits] = block;
        this.page[edits] = page;
        edits++;
    }

    public boolean isEmpty() {
        return edits == 0 && deviceCopies.count == 0 && tierCopies.count == 0;
    }

    public void clear() {
        edits = 0;
        deviceCopies.clear();
        tierCopies.clear();
        copiesAfter = 0;
        waitsForCopies = false;
    }
}
