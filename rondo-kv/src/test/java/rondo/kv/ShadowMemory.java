package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * An executor's memory that holds, instead of K and V, a digest of all tokens up to each position: whatever a run would
 * read is compared with what it ought to find there. Copies between tiers happen at some time between their start and
 * their landing: meanwhile nobody may write where they read, nor touch where they write.
 */
final class ShadowMemory {
    private final KvLayout layout;
    /** Per tier, life cycle and slot. */
    private final long[][][][] memory;
    /** Per life cycle and device slot: the last steps that wrote it, and that read or wrote it. */
    private final long[][] written;

    private final long[][] touched;
    /** Per (sequence slot, life cycle): page of each block. */
    private final Map<Integer, Map<Integer, Integer>> tables = new HashMap<>();

    /** Per life cycle: slots that a copy of the step at hand reads. */
    private final List<Set<Integer>> sources = new ArrayList<>();

    /** Copies between tiers that have started and not landed. */
    private final ArrayDeque<TierCopy> underWay = new ArrayDeque<>();

    private final Map<Place, Integer> beingRead = new HashMap<>();
    private final Set<Place> beingWritten = new HashSet<>();

    long copies;
    long tierCopies;
    long reads;

    private record Place(Tier tier, int lc, int slot) {}

    private record TierCopy(Place from, Place to, long batch, long after) {}

    ShadowMemory(KvPools pools) {
        layout = pools.layout();
        int lifeCycles = layout.lifeCycles().size();
        memory = new long[2][lifeCycles][][];
        written = new long[lifeCycles][];
        touched = new long[lifeCycles][];
        for (int lc = 0; lc < lifeCycles; lc++) {
            memory[0][lc] = new long[pools.deviceSlots().get(lc)][layout.tokensPerBlock()];
            memory[1][lc] = new long[pools.hostSlots().get(lc)][layout.tokensPerBlock()];
            written[lc] = new long[pools.deviceSlots().get(lc)];
            touched[lc] = new long[pools.deviceSlots().get(lc)];
            sources.add(new HashSet<>());
        }
    }

    /** The plan's copies between tiers begin. */
    void start(PageWork work, long batch, long completed, long retired) {
        PageCopies c = work.tierCopies;
        for (int i = 0; i < c.count; i++) {
            Place from = new Place(c.fromTier[i], c.lifeCycle[i], c.fromPage[i]);
            Place to = new Place(c.toTier[i], c.lifeCycle[i], c.toPage[i]);
            assertThat(from.tier).isNotEqualTo(to.tier);
            if (from.tier == Tier.DEVICE) {
                assertThat(written[from.lc][from.slot])
                        .as("the step that wrote the page has been computed")
                        .isLessThanOrEqualTo(Math.max(completed, work.copiesAfter));
            }
            if (to.tier == Tier.DEVICE) {
                assertThat(to.slot).as("scratch is nobody's page").isPositive();
                assertThat(touched[to.lc][to.slot])
                        .as("no step that uses the slot is under way")
                        .isLessThanOrEqualTo(retired);
            }
            assertThat(beingWritten).as("the source is there").doesNotContain(from);
            assertThat(beingWritten).as("two copies to one slot").doesNotContain(to);
            assertThat(beingRead).as("a copy writes where another reads").doesNotContainKey(to);
            beingRead.merge(from, 1, Integer::sum);
            beingWritten.add(to);
            underWay.add(new TierCopy(from, to, batch, work.copiesAfter));
            tierCopies++;
        }
    }

    /** Whether the next batch could have begun, the steps up to this one being computed. */
    boolean mayLand(long batch, long completed) {
        return underWay.stream().noneMatch(c -> c.batch <= batch && c.after > completed);
    }

    void land(long batch) {
        while (!underWay.isEmpty() && underWay.getFirst().batch <= batch) {
            TierCopy c = underWay.removeFirst();
            System.arraycopy(at(c.from), 0, at(c.to), 0, layout.tokensPerBlock());
            beingRead.computeIfPresent(c.from, (place, n) -> n == 1 ? null : n - 1);
            beingWritten.remove(c.to);
        }
    }

    private long[] at(Place p) {
        return memory[p.tier.ordinal()][p.lc][p.slot];
    }

    /** What comes before a step's forward: table edits, then copies in their order. */
    void apply(PageWork work, long step) {
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
            int lc = c.lifeCycle[i];
            assertThat(sources.get(lc)).as("sources stay as they are").doesNotContain(c.toPage[i]);
            assertThat(c.fromTier[i] == Tier.DEVICE && c.toTier[i] == Tier.DEVICE)
                    .isTrue();
            reading(lc, c.fromPage[i], step);
            writing(lc, c.toPage[i], step);
            System.arraycopy(memory[0][lc][c.fromPage[i]], 0, memory[0][lc][c.toPage[i]], 0, layout.tokensPerBlock());
            copies++;
        }
    }

    /** Runs {@code count} tokens from {@code start} of a sequence whose tokens are given. */
    void run(int slot, int[] tokens, int start, int count, long step) {
        for (int lc = 0; lc < written.length; lc++) {
            long digest = 0;
            LifeCycle cycle = layout.lifeCycles().get(lc);
            int firstRead = cycle.isFull() ? 0 : Math.max(0, start + 1 - cycle.window());
            int sinkTokens = cycle.sinkBlocks() * layout.tokensPerBlock();
            for (int i = 0; i < start + count; i++) {
                digest = next(digest, tokens[i]);
                if (i >= start) {
                    write(slot, lc, i, digest, step);
                } else if (i >= firstRead || i < sinkTokens) {
                    assertThat(read(slot, lc, i, step))
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

    long at(Tier tier, int lc, int slot, int offset) {
        return memory[tier.ordinal()][lc][slot][offset];
    }

    private void write(int slot, int lc, int position, long digest, long step) {
        int page = page(slot, lc, position);
        assertThat(sources.get(lc)).as("a run writes where a copy reads").doesNotContain(page);
        writing(lc, page, step);
        memory[0][lc][page][position % layout.tokensPerBlock()] = digest;
    }

    private long read(int slot, int lc, int position, long step) {
        int page = page(slot, lc, position);
        reading(lc, page, step);
        return memory[0][lc][page][position % layout.tokensPerBlock()];
    }

    private void reading(int lc, int deviceSlot, long step) {
        assertThat(beingWritten)
                .as("a step reads where a copy writes")
                .doesNotContain(new Place(Tier.DEVICE, lc, deviceSlot));
        touched[lc][deviceSlot] = step;
    }

    private void writing(int lc, int deviceSlot, long step) {
        Place place = new Place(Tier.DEVICE, lc, deviceSlot);
        assertThat(beingWritten).as("a step writes where a copy writes").doesNotContain(place);
        assertThat(beingRead).as("a step writes where a copy reads").doesNotContainKey(place);
        touched[lc][deviceSlot] = step;
        written[lc][deviceSlot] = step;
    }

    private int page(int slot, int lc, int position) {
        Integer page = table(slot, lc).get(position / layout.tokensPerBlock());
        assertThat(page).as("a page for position %d of slot %d", position, slot).isNotNull();
        return page;
    }

    private Map<Integer, Integer> table(int slot, int lc) {
        return tables.computeIfAbsent(slot * written.length + lc, k -> new HashMap<>());
    }
}
