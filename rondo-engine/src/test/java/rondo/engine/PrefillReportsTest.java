package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of other servers report of prefill in chunks, as tests on the stub model; each names its row. */
class PrefillReportsTest {
    private static final int VOCABULARY = 1000;

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, VOCABULARY).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), VOCABULARY, prompt, count);
    }

    /** Steps in which each slot had its first run. */
    private static Map<Integer, Integer> firstSteps(List<int[]> recorded) {
        Map<Integer, Integer> first = new HashMap<>();
        int step = 0;
        for (int[] run : recorded) {
            if (run[0] < 0) {
                step = run[1];
            } else {
                first.putIfAbsent(run[0], step);
            }
        }
        return first;
    }

    /** R039: as many cold prompts as fit the batch all run; no flag from an earlier step keeps one out. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7})
    void asManyColdPromptsAsTheBatchTakesAllRun(int batch) throws Exception {
        int chunks = 4;
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(batch, 64, 512)).open()) {
            h.executor.record();
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < batch; i++) {
                all.add(h.submit(random(i, chunks * 64), 50));
            }
            h.tick(batch * (chunks + 1));
            assertThat(h.engine.stats().running()).isEqualTo(batch);
            Map<Integer, Integer> first = firstSteps(h.executor.recorded());
            assertThat(first).hasSize(batch);
            // One after another, each prefill as long as the one before it and a little for the decodes.
            first.values().forEach(step -> assertThat(step).isLessThanOrEqualTo((batch - 1) * (chunks + 1) + 1));
            h.runUntilIdle();
            for (int i = 0; i < batch; i++) {
                assertThat(EngineHarness.result(all.get(i)).tokens()).isEqualTo(expected(random(i, chunks * 64), 50));
            }
            h.booksBalance();
        }
    }

    /** R040: any number of chunks, and a token more or less. */
    @ParameterizedTest
    @ValueSource(ints = {16, 18, 64})
    void promptsOfAnyNumberOfChunksComeToTheirEnd(int chunk) throws Exception {
        for (int chunks = 1; chunks <= 6; chunks++) {
            for (int more = -1; more <= 1; more++) {
                int[] prompt = random(chunks, chunks * chunk + more);
                try (EngineHarness h = EngineHarness.setup()
                        .options(EngineOptions.of(2, chunk, 1024))
                        .open()) {
                    Generation g = h.submit(prompt, 3);
                    // Chunks that end on block borders may be up to a block shorter than the budget.
                    h.tick(2 + 3 + prompt.length / (chunk - h.tokensPerBlock + 1));
                    EngineHarness.Output out = EngineHarness.result(g);
                    assertThat(out.tokens()).isEqualTo(expected(prompt, 3));
                    h.runUntilIdle();
                    h.booksBalance();
                }
            }
        }
    }

    /**
     * R042: a long cold prompt does not push a running stream aside: every step of its prefill contains the stream's decode,
     * and the time between its tokens is at most 1.2 times that of one full step.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRunningDecodeIsInEveryStepOfAnothersPrefill(boolean overlap) throws Exception {
        int budget = 256;
        ManualClock clock = new ManualClock();
        List<Long> times = new ArrayList<>();
        Set<Integer> prefillSteps = new HashSet<>();
        Set<Integer> stepsOfA = new HashSet<>();
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, budget, 8192))
                .overlap(overlap)
                .tokensPerBlock(32)
                .time(clock)
                .open()) {
            h.executor.onStep((step, plan) -> {
                for (int run = 0; run < plan.runs; run++) {
                    if (plan.slot[run] == 0) {
                        stepsOfA.add((int) step);
                    } else if (plan.length[run] > 1) {
                        prefillSteps.add((int) step);
                    }
                }
                clock.advanceMicros(stepMicros(plan.tokens));
                return new boolean[0];
            });
            Generation a = h.submit(random(1, 100), 1000);
            h.tick(40);
            Generation b = h.submit(random(2, 6000), 2);
            TokenBatch batch = new TokenBatch();
            a.take(batch, 0);
            while (!b.take(batch, 0) || !batch.finished) {
                h.engine.tick();
                if (a.take(batch, 0)) {
                    times.add(batch.lastTokenNanos);
                }
            }
            assertThat(prefillSteps).hasSizeGreaterThan(6000 / budget);
            assertThat(stepsOfA).containsAll(prefillSteps);
            assertThat(times).hasSizeGreaterThan(6000 / budget);
            long fullStep = 1000L * stepMicros(budget);
            for (int i = 1; i < times.size(); i++) {
                assertThat(times.get(i) - times.get(i - 1)).isLessThanOrEqualTo(fullStep * 6 / 5);
            }
            a.cancel();
            h.runUntilIdle();
            h.booksBalance();
        }
    }

    /** A step of 13 ms and 66 µs for each token. */
    private static long stepMicros(int tokens) {
        return 13_000 + 66L * tokens;
    }

    /** R043: who gives no limit is admitted by what it needs now, not by the longest that it might become. */
    @Test
    void requestsWithoutALimitRunTogether() throws Exception {
        int end = 7;
        NextToken stopsAfterTwenty = (tokens, count, position, vocabulary) -> position < 20 ? 100 + position : end;
        // Room for one sequence of full length and a little; eight short ones fit many times.
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(8, 256, 512))
                .model(stopsAfterTwenty)
                .pages(140)
                .open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                int[] prompt = random(i, 20);
                GenerationRequest r = h.request(prompt, 512 - 20);
                all.add(h.submit(GenerationRequest.of(
                        r.id(), r.prompt(), r.maxTokens(), r.sampling(), StopRules.endingWith(end))));
            }
            h.tick(2);
            assertThat(h.engine.stats().running()).isEqualTo(8);
            h.runUntilIdle();
            for (Generation g : all) {
                assertThat(EngineHarness.result(g).tokens()).hasSize(21);
            }
            assertThat(h.engine.stats().steps()).isLessThan(2 * 21);
            assertThat(h.engine.stats().preemptions()).isZero();
            h.booksBalance();
        }
    }

    /** R044: without chunks a prompt beyond the budget is refused in words that name the setting, and others go on. */
    @Test
    void withoutChunksAPromptBeyondTheBudgetIsRefusedByName() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, 64, 512).withChunkedPrefill(false))
                .open()) {
            Map<Integer, Generation> byLength = new HashMap<>();
            for (int length : new int[] {63, 90, 64, 65}) {
                byLength.put(length, h.submit(random(length, length), 3));
            }
            h.runUntilIdle();
            for (int length : new int[] {63, 64}) {
                assertThat(EngineHarness.result(byLength.get(length)).tokens())
                        .isEqualTo(expected(random(length, length), 3));
            }
            for (int length : new int[] {65, 90}) {
                EngineHarness.Output out = EngineHarness.result(byLength.get(length));
                assertThat(out.reason()).isEqualTo(FinishReason.REFUSED);
                assertThat(out.error())
                        .contains("" + length)
                        .contains("max_num_tokens=64")
                        .contains("enable_chunked_prefill");
            }
            h.booksBalance();
            // What is cached need not fit.
            int[] longer = java.util.Arrays.copyOf(random(64, 64), 100);
            Generation after = h.submit(longer, 3);
            h.runUntilIdle();
            assertThat(EngineHarness.result(after).tokens()).isEqualTo(expected(longer, 3));
        }
    }

    /** R045: nothing comes out before the first sampled token, and as many tokens as were sampled. */
    @Test
    void chunksOfAPromptGiveNoOutput() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(2, 64, 512)).open()) {
            int[] prompt = random(45, 3 * 64);
            int[] wakeups = {0};
            h.executor.record();
            Generation g = h.engine.submit(h.request(prompt, 5), x -> wakeups[0]++);
            TokenBatch batch = new TokenBatch();
            while (sampledRows(h.executor.recorded()) == 0) {
                assertThat(g.take(batch, 0)).isFalse();
                h.tick(1);
            }
            h.runUntilIdle();
            assertThat(EngineHarness.result(g).tokens()).isEqualTo(expected(prompt, 5));
            assertThat(wakeups[0]).isEqualTo(5);
            assertThat(sampledRows(h.executor.recorded())).isEqualTo(5);
            assertThat(h.engine.stats().generatedTokens()).isEqualTo(5);
        }
    }

    private static int sampledRows(List<int[]> recorded) {
        return recorded.stream()
                .filter(run -> run[0] >= 0)
                .mapToInt(run -> run[3])
                .sum();
    }
}
