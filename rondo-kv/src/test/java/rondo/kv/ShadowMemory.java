package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An executor's memory that holds, instead of K and V, a digest of all tokens up to each position: whatever a run would
 * read is compared with what it ought to find there.
 */
final class ShadowMemory {
    private final KvLayout layout;
    /** Per life cycle and device slot. */
    private final long[][][] device;
    /** Per (sequence slot, life cycle): page of each block. */
    private final Map<Integer, Map<Integer, Integer>> tables = new HashMap<>();

    /** Per life cycle: slots that a copy of the step at hand reads. */
    private final List<Set<Integer>> sources = new ArrayList<>();

    long copies;
    long reads;

    ShadowMemory(KvPools pools) {
        layout = pools.layout();
        device = new long[layout.lifeCycles().size()][][];
        for (int lc = 0; lc < device.length; lc++) {
            device[lc] = new long[pools.deviceSlots().get(lc)][layout.tokensPerBlock()];
            sources.add(new HashSet<>());
        }
    }

    /** What comes before a step's forward: table edits, then copies in their order. */
    void apply(PageWork work) {
        for (int i = 0; i < work.edits; i++) {
            assertThat(work.page[i]).as("scratch is nobody's page").isPositive();
            table(work.slot[i], work.lifeCycle[i]).put(work.block[i], work.page[i]);
        }
        PageCopies c = work.deviceCopies;
        sources.forEach(Set::clear);
        for (int i = 0; i < c.count; i++) {
            sources.get(c.lifeCycle[i]).add(c.fromPage[i]);
        }
        for (int i = 0; i < c.count; i++) {
            long[][] pool = device[c.lifeCycle[i]];
            assertThat(sources.get(c.lifeCycle[i]))
                    .as("sources stay as they are")
                    .doesNotContain(c.toPage[i]);
            System.arraycopy(pool[c.fromPage[i]], 0, pool[c.toPage[i]], 0, layout.tokensPerBlock());
            copies++;
        }
        assertThat(work.tierCopies.count).isZero();
    }

    /** Runs {@code count} tokens from {@code start} of a sequence whose tokens are given. */
    void run(int slot, int[] tokens, int start, int count) {
        for (int lc = 0; lc < device.length; lc++) {
            long digest = 0;
            LifeCycle cycle = layout.lifeCycles().get(lc);
            int firstRead = cycle.isFull() ? 0 : Math.max(0, start + 1 - cycle.window());
            int sinkTokens = cycle.sinkBlocks() * layout.tokensPerBlock();
            for (int i = 0; i < start + count; i++) {
                digest = next(digest, tokens[i]);
                if (i >= start) {
                    write(slot, lc, i, digest);
                } else if (i >= firstRead || i < sinkTokens) {
                    assertThat(read(slot, lc, i))
                            .as("life cycle %d of slot %d at position %d, run from %d", lc, slot, i, start)
                            .isEqualTo(digest);
                    reads++;
                }
            }
        }
    }

    static long next(long digest, int token) {
        long h = (digest ^ token) * 0x9E3779B97F4A7C15L;
        return h ^ (h >>> 29) ^ 0x5851F42D4C957F2DL;
    }

    long at(int lc, int deviceSlot, int offset) {
        return device[lc][deviceSlot][offset];
    }

    private void write(int slot, int lc, int position, long digest) {
        int page = page(slot, lc, position);
        assertThat(sources.get(lc)).as("a run writes where a copy reads").doesNotContain(page);
        device[lc][page][position % layout.tokensPerBlock()] = digest;
    }

    private long read(int slot, int lc, int position) {
        return device[lc][page(slot, lc, position)][position % layout.tokensPerBlock()];
    }

    private int page(int slot, int lc, int position) {
        Integer page = table(slot, lc).get(position / layout.tokensPerBlock());
        assertThat(page).as("a page for position %d of slot %d", position, slot).isNotNull();
        return page;
    }

    private Map<Integer, Integer> table(int slot, int lc) {
        return tables.computeIfAbsent(slot * device.length + lc, k -> new HashMap<>());
    }
}
