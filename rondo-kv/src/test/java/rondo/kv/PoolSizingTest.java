package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** The worked numbers of kv-cache.md §9, and what has to hold for all of them. */
class PoolSizingTest {
    private static final long GIB = 1L << 30;
    private static final KvLayout SMALL =
            new KvLayout(4, List.of(LifeCycle.sliding(8), LifeCycle.full()), List.of(192L, 64L));
    private static final KvLayout MUSE =
            new KvLayout(32, List.of(LifeCycle.sliding(2048), LifeCycle.full()), List.of(1_277_952L, 425_984L));

    @Test
    void maxTokensAndRatioGiveTheWorkedSlots() {
        assertThat(PoolSizing.bytesOfTokens(SMALL, 100)).isEqualTo(6400);
        assertThat(PoolSizing.minSlots(SMALL, 40)).containsExactly(6, 13);
        PoolSizing sizing = new PoolSizing(SMALL, 6400, 0, List.of(0.25, 0.75), OptionalInt.empty(), 0);
        PoolSizing.Outcome.Fits fits = fits(sizing.fit(OptionalInt.of(40), 1000));
        assertThat(fits.pools().deviceSlots()).containsExactly(11, 64);
        assertThat(fits.pools().hostSlots()).containsExactly(0, 0);
        assertThat(fits.maxSeqLen()).isEqualTo(40);
    }

    @Test
    void museGlimmerInEightGibibytes() {
        PoolSizing sizing = new PoolSizing(MUSE, 8 * GIB, 0, List.of(), OptionalInt.empty(), 0);
        assertThat(PoolSizing.minSlots(MUSE, 100_000).getFirst()).isEqualTo(68);
        assertThat(fits(sizing.fit(OptionalInt.of(638_624), 1 << 20)).maxSeqLen())
                .isEqualTo(638_624);
        assertThat(sizing.fit(OptionalInt.of(1_048_576), 1 << 20)).isEqualTo(new PoolSizing.Outcome.TooLong(638_624));
        assertThat(sizing.fit(OptionalInt.of(638_625), 1 << 20)).isEqualTo(new PoolSizing.Outcome.TooLong(638_624));
        assertThat(fits(sizing.fit(OptionalInt.empty(), 1 << 20)).maxSeqLen()).isEqualTo(316_000);
        assertThat(fits(sizing.fit(OptionalInt.empty(), 262_144)).maxSeqLen()).isEqualTo(262_144);
    }

    @Test
    void sharesFollowTheExpectedLengthAndTheRewind() {
        assertThat(slidingShare(0)).isCloseTo(0.058, within(0.0005));
        assertThat(slidingShare(1024)).isCloseTo(0.085, within(0.0005));
    }

    private static double slidingShare(int rewind) {
        long bytes = 1L << 42;
        PoolSizing sizing = new PoolSizing(MUSE, bytes, 0, List.of(), OptionalInt.of(100_000), rewind);
        KvPools pools = fits(sizing.fit(OptionalInt.of(100_000), 1 << 20)).pools();
        List<Integer> least = PoolSizing.minSlots(MUSE, 100_000);
        long sliding =
                (pools.deviceSlots().get(0) - least.get(0)) * MUSE.pageBytes().get(0);
        long full =
                (pools.deviceSlots().get(1) - least.get(1)) * MUSE.pageBytes().get(1);
        return (double) sliding / (sliding + full);
    }

    @Test
    void theHostTierHasTheProportionsOfTheDevice() {
        PoolSizing sizing = new PoolSizing(MUSE, 1L << 42, 160 * GIB, List.of(0.085, 0.915), OptionalInt.empty(), 0);
        KvPools pools = fits(sizing.fit(OptionalInt.of(4096), 1 << 20)).pools();
        assertThat(pools.hostSlots().get(0)).isCloseTo(11_427, within(30));
        assertThat(pools.hostSlots().get(1) * 32L).isCloseTo(11_800_000L, within(50_000L));
        long used = pools.hostSlots().get(0) * 1_277_952L + pools.hostSlots().get(1) * 425_984L;
        assertThat(used).isLessThanOrEqualTo(160 * GIB);
    }

    @Test
    void poolsNeverExceedTheBudgetAndAlwaysHoldTheLongestSequence() {
        rondo.base.Seeds.forEach(300, random -> {
            KvLayout layout = new KvLayout(
                    4,
                    List.of(new LifeCycle(1 + random.nextInt(20), random.nextInt(3)), LifeCycle.full()),
                    List.of(1L + random.nextInt(500), 1L + random.nextInt(500)));
            long bytes = random.nextLong(200_000);
            PoolSizing sizing = new PoolSizing(
                    layout, bytes, 0, List.of(), OptionalInt.of(1 + random.nextInt(200)), random.nextInt(3) * 5);
            OptionalInt asked = random.nextBoolean() ? OptionalInt.empty() : OptionalInt.of(1 + random.nextInt(300));
            switch (sizing.fit(asked, 150)) {
                case PoolSizing.Outcome.Fits f -> {
                    List<Integer> slots = f.pools().deviceSlots();
                    List<Integer> least = PoolSizing.minSlots(layout, f.maxSeqLen());
                    long used = slots.get(0) * layout.pageBytes().get(0)
                            + slots.get(1) * layout.pageBytes().get(1);
                    assertThat(used).isLessThanOrEqualTo(bytes);
                    assertThat(slots.get(0)).isGreaterThanOrEqualTo(least.get(0));
                    assertThat(slots.get(1)).isGreaterThanOrEqualTo(least.get(1));
                    assertThat(f.maxSeqLen()).isEqualTo(asked.orElse(f.maxSeqLen()));
                }
                case PoolSizing.Outcome.TooLong t -> {
                    assertThat(t.longest()).isLessThan(asked.orElse(4));
                    if (t.longest() > 0) {
                        fits(sizing.fit(OptionalInt.of(t.longest()), 150));
                    }
                }
            }
        });
    }

    @Test
    void byDefaultThePoolsHoldTheSameNumberOfTypicalSequencesHoweverLongTheLongestIs() {
        for (long gib : List.of(70L, 35L, 18L)) {
            PoolSizing sizing = new PoolSizing(MUSE, gib * GIB, 0, List.of(), OptionalInt.empty(), 128, 8192);
            List<Integer> slots =
                    fits(sizing.fit(OptionalInt.of(1 << 20), 1 << 20)).pools().deviceSlots();
            // Two chunks of 8192 tokens pass through; an end point is 69 pages, a context of 65,536 tokens 2048.
            double windows = (slots.get(0) - 2 * 256) / 69.0;
            double contexts = slots.get(1) / 2048.0;
            assertThat(windows).isCloseTo(contexts, within(0.02 * contexts));
        }
    }

    @Test
    void whereOneLongestSequenceTakesNearlyAllTheWindowsGetTheRest() {
        PoolSizing sizing = new PoolSizing(MUSE, 14 * GIB, 0, List.of(), OptionalInt.empty(), 128, 8192);
        List<Integer> slots =
                fits(sizing.fit(OptionalInt.of(1 << 20), 1 << 20)).pools().deviceSlots();
        assertThat(slots.get(1)).isEqualTo(PoolSizing.minSlots(MUSE, 1 << 20).get(1));
        long left = 14 * GIB - slots.get(1) * MUSE.pageBytes().get(1);
        assertThat(slots.get(0).longValue()).isEqualTo(left / MUSE.pageBytes().get(0));
    }

    @Test
    void aWrongCountOfSharesIsRefused() {
        assertThatThrownBy(() -> new PoolSizing(MUSE, GIB, 0, List.of(1.0), OptionalInt.empty(), 0))
                .hasMessage("one share per life cycle is needed: 2, got 1");
    }

    private static PoolSizing.Outcome.Fits fits(PoolSizing.Outcome outcome) {
        assertThat(outcome).isInstanceOf(PoolSizing.Outcome.Fits.class);
        return (PoolSizing.Outcome.Fits) outcome;
    }

    @Test
    void poolsNeverTakeMoreThanTheBudget() {
        for (int longest = 4; longest < 3800; longest += 4) {
            for (int step : new int[] {0, 16, 4096}) {
                PoolSizing sizing = new PoolSizing(SMALL, 60_000, 0, List.of(), OptionalInt.empty(), 0, step);
                if (sizing.fit(OptionalInt.of(longest), 4096) instanceof PoolSizing.Outcome.Fits fits) {
                    long bytes = 0;
                    for (int lc = 0; lc < 2; lc++) {
                        bytes += fits.pools().deviceSlots().get(lc)
                                * SMALL.pageBytes().get(lc);
                    }
                    assertThat(bytes).as("max_seq_len %d", longest).isLessThanOrEqualTo(60_000);
                }
            }
        }
    }

    /** A length that nobody can serve must not turn into one of less than nothing. */
    @Test
    void theLongestLengthThatCanBeWrittenHasItsBlocks() {
        KvLayout layout = new KvLayout(32, List.of(LifeCycle.full()), List.of(64L));
        assertThat(layout.blocks(Integer.MAX_VALUE)).isEqualTo(1 << 26);
        assertThat(layout.blocks(0)).isZero();
        assertThat(layout.blocks(1)).isEqualTo(1);
        assertThat(layout.blocks(33)).isEqualTo(2);
    }
}
