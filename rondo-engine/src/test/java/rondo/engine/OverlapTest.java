package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** The step in flight: nothing that a client sees depends on it. */
class OverlapTest {
    private static final int BLOCK = 4;

    /** What a set of random workloads must have met for the test to mean anything. */
    private enum Met {
        OVERLAPPED_STEPS,
        SUPERFLUOUS_ROWS,
        RECOMPUTATIONS,
        SUSPENSIONS,
        DRAINS,
        COPIED_PAGES
    }

    @Test
    void everyRequestGivesWhatItGivesAloneWithAndWithoutAStepInFlight() {
        long[] met = new long[Met.values().length];
        Seeds.forEach(60, random -> inBothModes(random, false, met));
        assertThat(met[Met.OVERLAPPED_STEPS.ordinal()]).isPositive();
        assertThat(met[Met.SUPERFLUOUS_ROWS.ordinal()]).isPositive();
        assertThat(met[Met.RECOMPUTATIONS.ordinal()]).isPositive();
        assertThat(met[Met.DRAINS.ordinal()]).isPositive();
        assertThat(met[Met.SUSPENSIONS.ordinal()] + met[Met.COPIED_PAGES.ordinal()])
                .isZero();
    }

    @Test
    void everyRequestGivesWhatItGivesAloneWhateverMovesBetweenTheTiers() {
        long[] met = new long[Met.values().length];
        Seeds.forEach(60, random -> inBothModes(random, true, met));
        assertThat(met).doesNotContain(0);
    }

    /** R035: penalties, seeds, minimum length, stops and logprobs know nothing of a preemption after any token. */
    @Test
    void preemptionAfterEveryFewTokensChangesNothing() {
        long[] met = new long[Met.values().length];
        Seeds.forEach(40, random -> {
            Workload work = new Workload(random, 10, 40, 30, BLOCK);
            boolean hostTier = random.nextBoolean();
            EngineOptions options = EngineOptions.of(2 + random.nextInt(5), 8 + random.nextInt(40), 96)
                    .withPreemption(EngineOptions.Preemption.values()[random.nextInt(3)]);
            int every = 2 + random.nextInt(12);
            for (boolean overlap : new boolean[] {true, false}) {
                try (EngineHarness h = EngineHarness.setup()
                        .options(options)
                        .overlap(overlap)
                        .vocabulary(work.vocabulary())
                        .pages(400)
                        .hostPages(hostTier ? 200 : 0)
                        .open()) {
                    AtomicInteger growths = new AtomicInteger();
                    h.scarce.fullWhen(r -> growths.incrementAndGet() % every == 0);
                    h.executor.delayCopies(random.nextInt(3));
                    work.again().runAndCheck(h);
                    add(met, h);
                }
            }
        });
        assertThat(met[Met.SUSPENSIONS.ordinal()]).isPositive();
        assertThat(met[Met.RECOMPUTATIONS.ordinal()]).isPositive();
        assertThat(met[Met.DRAINS.ordinal()]).isPositive();
    }

    @Test
    @Tag("long")
    void thousandsOfWorkloadsGiveWhatEachRequestGivesAlone() {
        long[] met = new long[Met.values().length];
        Seeds.forEach(2000, random -> inBothModes(random, random.nextBoolean(), met));
        assertThat(met).doesNotContain(0);
    }

    private static void inBothModes(SplittableRandom random, boolean hostTier, long[] met) throws Exception {
        Workload work = new Workload(random, 14, 60, 30, BLOCK);
        EngineOptions options = EngineOptions.of(1 + random.nextInt(6), 3 + random.nextInt(40), 96)
                .withPreemption(EngineOptions.Preemption.values()[random.nextInt(3)])
                .withPolicies(
                        random.nextInt(4) == 0
                                ? EngineOptions.Capacity.GUARANTEED_NO_EVICT
                                : EngineOptions.Capacity.MAX_UTILIZATION,
                        random.nextInt(3) == 0
                                ? EngineOptions.Chunking.EQUAL_PROGRESS
                                : EngineOptions.Chunking.FIRST_COME_FIRST_SERVED)
                .withPrefixAware(random.nextBoolean());
        EngineHarness.Setup setup = EngineHarness.setup()
                .vocabulary(work.vocabulary())
                .pages(26 + random.nextInt(50))
                .hostPages(hostTier ? 4 + random.nextInt(60) : 0)
                .reuse(random.nextInt(4) > 0);
        int delay = random.nextInt(4);
        boolean held = random.nextInt(4) == 0;
        for (boolean overlap : new boolean[] {true, false}) {
            try (EngineHarness h = setup.options(options).overlap(overlap).open()) {
                h.executor.delayCopies(delay);
                h.executor.holdCopies(held);
                work.again().runAndCheck(h);
                add(met, h);
                if (!overlap) {
                    assertThat(h.executor.overlappedSteps()).isZero();
                    assertThat(h.executor.superfluousRows()).isZero();
                    assertThat(h.engine.stats().preemption().drains()).isZero();
                }
            }
        }
    }

    private static void add(long[] met, EngineHarness h) {
        EngineStats.Preemption preemption = h.engine.stats().preemption();
        met[Met.OVERLAPPED_STEPS.ordinal()] += h.executor.overlappedSteps();
        met[Met.SUPERFLUOUS_ROWS.ordinal()] += h.executor.superfluousRows();
        met[Met.RECOMPUTATIONS.ordinal()] += preemption.recomputations();
        met[Met.SUSPENSIONS.ordinal()] += preemption.suspensions();
        met[Met.DRAINS.ordinal()] += preemption.drains();
        met[Met.COPIED_PAGES.ordinal()] += h.executor.copiedPages();
    }
}
