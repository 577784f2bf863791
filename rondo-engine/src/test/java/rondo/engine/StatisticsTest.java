package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.kv.KvNumbers;
import rondo.kv.KvStats;

/** What the engine says about its steps. */
class StatisticsTest {
    private static int[] prompt(int seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    private static EngineOptions options(EngineOptions.Statistics statistics) {
        return EngineOptions.of(4, 16, 512).withStatistics(statistics);
    }

    @Test
    void thereIsOneRowPerStepOldestFirstAndAReadDrains() throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h = EngineHarness.setup()
                .options(options(EngineOptions.Statistics.defaults()))
                .time(clock)
                .open()) {
            assertThat(h.engine.drainIterations()).isEmpty();
            h.submit(prompt(1, 40), 3);
            clock.advanceMillis(5);
            h.executor.onStep((step, plan) -> {
                clock.advanceMillis(7);
                return new boolean[0];
            });
            h.runUntilIdle();
            List<IterationRow> rows = h.engine.drainIterations();
            assertThat(rows).extracting(IterationRow::iteration).containsExactly(1L, 2L, 3L, 4L, 5L);
            assertThat(rows).extracting(r -> r.batch().prefillTokens()).containsExactly(16, 16, 8, 0, 0);
            assertThat(rows).extracting(r -> r.batch().prefillRuns()).containsExactly(1, 1, 1, 0, 0);
            assertThat(rows).extracting(r -> r.batch().decodeTokens()).containsExactly(0, 0, 0, 1, 1);
            assertThat(rows).extracting(IterationRow::sampledTokens).containsExactly(0, 0, 1, 1, 1);
            assertThat(rows).extracting(IterationRow::completed).containsExactly(0, 0, 0, 0, 1);
            assertThat(rows).extracting(IterationRow::active).containsExactly(1, 1, 1, 1, 0);
            assertThat(rows).extracting(IterationRow::latencyNanos).containsOnly(7_000_000L);
            assertThat(rows).extracting(IterationRow::queueNanos).containsExactly(5_000_000L, 0L, 0L, 0L, 0L);
            assertThat(rows.getFirst().memory().device()).isEqualTo(2 * 1000 * 64);
            assertThat(rows.getFirst().memory().pinned()).isZero();
            assertThat(rows.getLast().epochMicros() - rows.getFirst().epochMicros())
                    .isEqualTo(28_000);
            assertThat(h.engine.drainIterations()).isEmpty();
            h.submit(prompt(2, 4), 1);
            h.runUntilIdle();
            assertThat(h.engine.drainIterations())
                    .extracting(IterationRow::iteration)
                    .containsExactly(6L);
        }
    }

    @Test
    void theCacheOfARowIsTheCacheAfterItsStep() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(options(EngineOptions.Statistics.defaults()))
                .open()) {
            h.submit(prompt(1, 40), 20);
            for (int i = 0; i < 22; i++) {
                h.tick(1);
                List<IterationRow> rows = h.engine.drainIterations();
                assertThat(rows).hasSize(1);
                assertThat(rows.getFirst().kv()).isEqualTo(h.kv.stats());
            }
        }
    }

    @Test
    void theCacheIsLookedAtOnlyEverySoManySteps() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(options(new EngineOptions.Statistics(1000, false, 4)))
                .open()) {
            h.submit(prompt(1, 120), 1);
            List<Long> held = new ArrayList<>();
            for (int step = 1; step <= 7; step++) {
                h.tick(1);
                held.add(h.engine.drainIterations().getFirst().kv().counters().allocated());
            }
            assertThat(held.get(3)).isEqualTo(32);
            assertThat(held.subList(4, 7)).containsOnly(32L);
        }
    }

    @Test
    void aRowListsItsSequencesWhereThatIsWanted() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(2, 16, 512).withStatistics(new EngineOptions.Statistics(100, true, 1)))
                .open()) {
            h.submit(prompt(1, 10), 2);
            h.submit(prompt(2, 20), 2);
            h.submit(prompt(3, 5), 1);
            h.runUntilIdle();
            List<IterationRow> rows = h.engine.drainIterations();
            String a = "r" + java.util.Arrays.hashCode(prompt(1, 10));
            String b = "r" + java.util.Arrays.hashCode(prompt(2, 20));
            String c = "r" + java.util.Arrays.hashCode(prompt(3, 5));
            assertThat(rows.getFirst().requests())
                    .containsExactly(
                            new IterationRow.Request(
                                    a, IterationRow.Stage.GENERATION_IN_PROGRESS, 10, 0, 10, 1, true, false, 0),
                            new IterationRow.Request(
                                    b, IterationRow.Stage.CONTEXT_IN_PROGRESS, 20, 0, 4, 0, true, false, 0),
                            new IterationRow.Request(c, IterationRow.Stage.QUEUED, 5, 0, 0, 0, false, false, 0));
            assertThat(rows.get(1).requests().getFirst())
                    .isEqualTo(new IterationRow.Request(
                            a, IterationRow.Stage.GENERATION_COMPLETE, 10, 0, 10, 2, true, false, 0));
            assertThat(rows.stream()
                            .flatMap(r -> r.requests().stream())
                            .filter(r -> r.stage() == IterationRow.Stage.GENERATION_COMPLETE)
                            .map(IterationRow.Request::id))
                    .containsExactlyInAnyOrder(a, b, c);
        }
    }

    /** R005: a request's own blocks, found again after a preemption, are no hits. */
    @Test
    void whatAPreemptedRequestFindsOfItsOwnIsNoPrefixHit() {
        Seeds.forEach(10, random -> {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(6, 32, 256))
                    .vocabulary(50_000)
                    .pages(45)
                    .open()) {
                long prompts = 0;
                long outputs = 0;
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    // The first token is unlike any other's, so that nobody can hit anybody.
                    int[] tokens =
                            random.ints(20 + random.nextInt(40), 0, 50_000).toArray();
                    tokens[0] = i;
                    prompts += tokens.length;
                    all.add(h.submit(tokens, 40));
                }
                long[] computed = {0};
                h.executor.onStep((step, plan) -> {
                    computed[0] += plan.tokens;
                    return new boolean[0];
                });
                h.runUntilIdle();
                for (Generation g : all) {
                    EngineHarness.Output out = EngineHarness.result(g);
                    assertThat(out.cachedTokens()).isZero();
                    outputs += out.tokens().length - 1;
                }
                EngineStats stats = h.engine.stats();
                assertThat(stats.cachedTokens()).isZero();
                assertThat(stats.promptTokens()).isEqualTo(prompts);
                assertThat(stats.preemption().recomputations()).isPositive();
                assertThat(stats.preemption().reusedTokens()).isPositive();
                assertThat(computed[0])
                        .isEqualTo(prompts + outputs + stats.preemption().recomputedTokens());
                long recomputed = 0;
                for (IterationRow row : h.engine.drainIterations()) {
                    recomputed += row.batch().prefillTokens() + row.batch().decodeTokens();
                }
                assertThat(recomputed).isEqualTo(computed[0]);
            }
        });
    }

    /** Invariant 32 of the cache's rules. */
    @Test
    void cachedAndComputedTokensAreThePromptsTokens() {
        Seeds.forEach(20, random -> {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(1 + random.nextInt(6), 8 + random.nextInt(60), 256))
                    .open()) {
                long[] computed = {0};
                h.executor.onStep((step, plan) -> {
                    computed[0] += plan.tokens;
                    return new boolean[0];
                });
                int[] base = prompt(random.nextInt(), 150);
                List<Generation> all = new ArrayList<>();
                long prompts = 0;
                long outputs = 0;
                for (int i = 0; i < 12; i++) {
                    int[] tokens = java.util.Arrays.copyOf(base, 1 + random.nextInt(150));
                    tokens[random.nextInt(tokens.length)] = random.nextInt(1000);
                    prompts += tokens.length;
                    all.add(h.submit(tokens, 1 + random.nextInt(9)));
                    h.tick(random.nextInt(6));
                }
                h.runUntilIdle();
                long cached = 0;
                for (Generation g : all) {
                    EngineHarness.Output out = EngineHarness.result(g);
                    cached += out.cachedTokens();
                    outputs += out.tokens().length - 1;
                }
                assertThat(h.engine.stats().preemptions()).isZero();
                assertThat(cached).isEqualTo(h.engine.stats().cachedTokens()).isPositive();
                assertThat(cached + computed[0] - outputs).isEqualTo(prompts);
            }
        });
    }

    @Test
    void theLogLineIsSpelledAsItsParsersExpect() {
        long[] row = new long[StepStats.KV + KvNumbers.width(1)];
        row[StepStats.STEP] = 259;
        row[StepStats.DECODE_RUNS] = 8;
        row[StepStats.DECODE_TOKENS] = 8;
        row[StepStats.ACTIVE] = 1;
        row[StepStats.LATENCY] = 7_400_000;
        row[StepStats.DEVICE_BEFORE] = 6_900_000;
        row[StepStats.EPOCH_MICROS] = java.time.LocalDateTime.of(2026, 8, 23, 1, 2, 3)
                        .atZone(java.time.ZoneId.systemDefault())
                        .toEpochSecond()
                * 1_000_000;
        row[StepStats.KV] = 100;
        row[StepStats.KV + 1] = 60;
        row[StepStats.KV + 2] = 30;
        assertThat(new IterationLog(true, 1).text(row))
                .isEqualTo("iter = 259, global_rank = 0, rank = 0, num_scheduled_requests = 8, kv_cache_util = 0.1,"
                        + " currank_total_requests = 0/1, host_step_time = 7.4ms, prev_device_step_time = 6.9ms,"
                        + " timestamp = 08-23-2026 01:02:03, states = {'num_ctx_requests': 0, 'num_ctx_tokens': 0,"
                        + " 'num_generation_tokens': 8}");
    }

    @Test
    void stepsAreCountedByTheirLengthAndTheirTokens() throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h = EngineHarness.setup()
                .options(options(EngineOptions.Statistics.defaults()))
                .time(clock)
                .open()) {
            h.submit(prompt(1, 40), 3);
            h.runUntilIdle();
            EngineStats.Steps steps = h.engine.stats().timing();
            assertThat(steps.planSeconds().count()).isEqualTo(5);
            assertThat(steps.deviceSeconds().count()).isEqualTo(5);
            assertThat(steps.sampleSeconds().count()).isEqualTo(5);
            assertThat(steps.prefillTokens().sum()).isEqualTo(40);
            assertThat(steps.decodeTokens().sum()).isEqualTo(2);
            // Two steps of no prefill tokens, one of 8, two of 16.
            assertThat(steps.prefillTokens().bounds()).startsWith(0, 1, 2, 4, 8, 16);
            assertThat(steps.prefillTokens().counts()).startsWith(2, 0, 0, 0, 1, 2);
        }
    }

    @Test
    void aSnapshotOfTheCacheIsWhatTheCacheSays() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            h.submit(prompt(1, 40), 30);
            h.tick(10);
            KvStats stats = h.engine.stats().kv();
            assertThat(stats.pools()).isEqualTo(h.kv.stats().pools());
        }
    }
}
