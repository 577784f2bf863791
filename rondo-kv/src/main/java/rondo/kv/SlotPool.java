package rondo.kv;

/**
 * The slots of one pool: which are free, and what a writer has to wait for. A later step may write a free slot at once,
 * because one stream orders the steps; a copy between tiers must not before the last step that uses it has retired, and
 * nobody may before a copy that still reads or writes it has landed.
 */
final class SlotPool {
    private final int first;
    private final int[] free;
    private int freeCount;
    private final long[] lastStep;
    private final long[] lastCopy;

    /** Slots {@code first} to {@code first + total - 1}, all free. */
    SlotPool(int first, int total) {
        this.first = first;
        free = new int[total];
        lastStep = new long[total];
        lastCopy = new long[total];
        for (int s = total - 1; s >= 0; s--) {
            free[freeCount++] = first + s;
        }
    }

    int total() {
        return free.length;
    }

    int free() {
        return freeCount;
    }

    /** The last step that may use the slot. */
    long lastStep(int slot) {
        return lastStep[slot - first];
    }

    /** The last batch of copies that may use the slot. */
    long lastCopy(int slot) {
        return lastCopy[slot - first];
    }

    /** A free slot for a step to write: the one given back last. */
    int take() {
        return free[--freeCount];
    }

    /** A free slot for a copy to write: one that it need not wait for, or else the one with the lowest last step. */
    int takeForCopy(long retired, long landed) {
        int best = 0;
        for (int i = 0; i < freeCount; i++) {
            if (isOpenToCopies(free[i], retired, landed)) {
                best = i;
                break;
            }
            if (lastStep[free[i] - first] < lastStep[free[best] - first]) {
                best = i;
            }
        }
        int slot = free[best];
        free[best] = free[--freeCount];
        return slot;
    }

    boolean isOpenToCopies(int slot, long retired, long landed) {
        return lastStep[slot - first] <= retired && lastCopy[slot - first] <= landed;
    }

    /** Notes that steps up to {@code step} and batches of copies up to {@code copy} may use the slot. */
    void mark(int slot, long step, long copy) {
        lastStep[slot - first] = Math.max(lastStep[slot - first], step);
        lastCopy[slot - first] = Math.max(lastCopy[slot - first], copy);
    }

    /** Gives a slot back that steps up to {@code step} may use; one that a copy still uses goes to the very end. */
    void give(int slot, long step, long landed) {
        mark(slot, step, 0);
        free[freeCount++] = slot;
        if (lastCopy[slot - first] > landed) {
            free[freeCount - 1] = free[0];
            free[0] = slot;
        }
    }
}
