package rondo.kv;

import java.util.ArrayDeque;
import java.util.Arrays;

/**
 * As {@link ShadowMemory}, but quick: of every block that a run would read only the last token is compared. Copies between
 * tiers take their bytes when they land, so that whoever writes over a source too early is found out by its reader.
 */
final class LeanMemory {
    private record Copy(int lc, Tier from, int fromSlot, Tier to, int toSlot, long batch, long after) {}

    private final KvLayout layout;
    private final int b;
    /** By tier and life cycle: what each slot holds, a digest per token. */
    private final long[][][] memory;
    /** By sequence slot and life cycle: the device slot of each block. */
    private final int[][][] tables;

    private final ArrayDeque<Copy> underWay = new ArrayDeque<>();
    long reads;

    LeanMemory(KvPools pools, int sequences, int blocks) {
        layout = pools.layout();
        b = layout.tokensPerBlock();
        int lifeCycles = layout.lifeCycles().size();
        memory = new long[Tier.values().length][lifeCycles][];
        for (int lc = 0; lc < lifeCycles; lc++) {
            memory[Tier.DEVICE.ordinal()][lc] = new long[b * pools.deviceSlots().get(lc)];
            memory[Tier.HOST.ordinal()][lc] = new long[b * pools.hostSlots().get(lc)];
        }
        tables = new int[sequences][lifeCycles][blocks];
    }

    void start(PageWork work, long batch) {
        PageCopies c = work.tierCopies;
        for (int i = 0; i < c.count; i++) {
            underWay.add(new Copy(
                    c.lifeCycle[i], c.fromTier[i], c.fromPage[i], c.toTier[i], c.toPage[i], batch, work.copiesAfter));
        }
    }

    /** Whether batches up to this one can have landed when the steps up to {@code completed} have been computed. */
    boolean mayLand(long batch, long completed) {
        for (Copy c : underWay) {
            if (c.batch <= batch && c.after > completed) {
                return false;
            }
        }
        return true;
    }

    void land(long batch) {
        while (!underWay.isEmpty() && underWay.getFirst().batch <= batch) {
            Copy c = underWay.removeFirst();
            long[] from = memory[c.from.ordinal()][c.lc];
            System.arraycopy(from, c.fromSlot * b, memory[c.to.ordinal()][c.lc], c.toSlot * b, b);
        }
    }

    void apply(PageWork work) {
        for (int i = 0; i < work.edits; i++) {
            tables[work.slot[i]][work.lifeCycle[i]][work.block[i]] = work.page[i];
        }
        PageCopies c = work.deviceCopies;
        for (int i = 0; i < c.count; i++) {
            long[] of = memory[Tier.DEVICE.ordinal()][c.lifeCycle[i]];
            System.arraycopy(of, c.fromPage[i] * b, of, c.toPage[i] * b, b);
        }
    }

    /** Digests of all prefixes of a text in a scope. */
    static long[] digests(int[] tokens, CacheScope scope) {
        long[] out = new long[tokens.length];
        long digest = scope.hashCode();
        for (int i = 0; i < tokens.length; i++) {
            digest = ShadowMemory.next(digest, tokens[i]);
            out[i] = digest;
        }
        return out;
    }

    void run(int slot, long[] digests, int start, int count) {
        for (int lc = 0; lc < tables[slot].length; lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            int[] table = tables[slot][lc];
            long[] of = memory[Tier.DEVICE.ordinal()][lc];
            int firstRead = cycle.isFull() ? 0 : Math.max(0, start + 1 - cycle.window());
            for (int block = 0; block * b < start; block++) {
                int last = Math.min(start, block * b + b) - 1;
                boolean isRead = last >= firstRead || block < cycle.sinkBlocks();
                if (isRead && of[table[block] * b + last % b] != digests[last]) {
                    throw new AssertionError("life cycle " + lc + " of slot " + slot + " at position " + last
                            + ": not what was written there, table " + Arrays.toString(table));
                }
                reads += isRead ? 1 : 0;
            }
            for (int i = start; i < start + count; i++) {
                of[table[i / b] * b + i % b] = digests[i];
            }
        }
    }
}
