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
import rondo.base.Seeds;
import rondo.engine.sample.SamplingParams;
import rondo.kv.Retention;

/** How steps are cut: budgets, chunk borders, order. */
class SchedulingTest {
    private static int[] prompt(int seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    @Test
    void noStepIsLargerThanItsBudgetsAndASequenceRunsOncePerStep() {
        Seeds.forEach(20, random -> {
            int maxBatch = 1 + random.nextInt(6);
            int maxTokens = 1 + random.nextInt(30);
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(maxBatch, maxTokens, 256))
                    .overlap(random.nextBoolean())
                    .pages(70)
                    .open()) {
                Set<Integer> decoding = new HashSet<>();
                h.executor.onStep((step, plan) -> {
                    assertThat(plan.tokens).isLessThanOrEqualTo(maxTokens);
                    assertThat(plan.runs).isLessThanOrEqualTo(maxBatch);
                    Set<Integer> slots = new HashSet<>();
                    for (int i = 0; i < plan.begins; i++) {
                        decoding.remove(plan.beginSlot[i]);
                    }
                    boolean decodeSeen = false;
                    for (int run = 0; run < plan.runs; run++) {
                        int slot = plan.slot[run];
                        assertThat(slots.add(slot)).isTrue();
                        if (decoding.contains(slot)) {
                            decodeSeen = true;
                            assertThat(plan.length[run]).isEqualTo(1);
                        } else {
                            assertThat(decodeSeen)
                                    .as("prefill runs come before decode runs")
                                    .isFalse();
                        }
                        if (plan.rowCount[run] == 1) {
                            decoding.add(slot);
                        }
                    }
                    return new boolean[0];
                });
                for (int i = 0; i < 15; i++) {
                    h.submit(prompt(random.nextInt(5), 1 + random.nextInt(100)), 1 + random.nextInt(20));
                    h.tick(random.nextInt(5));
                }
                h.runUntilIdle();
                assertThat(h.engine.stats().finished()).isEqualTo(15);
            }
        });
    }

    @Test
    void everyChunkButTheLastEndsOnABlockBorderOfThePrompt() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .tokensPerBlock(8)
                .vocabulary(1001)
                .options(EngineOptions.of(4, 21, 512))
                .open()) {
            h.submit(prompt(1, 30), 1);
            h.runUntilIdle();
            h.executor.record();
            // 13 tokens are cached (one block, and five tokens of a copied one): the first chunk is shorter.
            int[] second = prompt(2, 100);
            System.arraycopy(prompt(1, 30), 0, second, 0, 13);
            second[13] = 1000;
            h.submit(second, 1);
            h.runUntilIdle();
            List<String> chunks = new ArrayList<>();
            for (int[] run : h.executor.recorded()) {
                if (run[0] >= 0) {
                    chunks.add(run[1] + "+" + run[2] + (run[3] > 0 ? "!" : ""));
                }
            }
            assertThat(chunks).containsExactly("13+19", "32+16", "48+16", "64+16", "80+20!");
        }
    }

    @Test
    void aBudgetSmallerThanTheRestOfTheBlockStillMovesThePrefill() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .tokensPerBlock(16)
                .options(EngineOptions.of(4, 5, 512))
                .open()) {
            Generation g = h.submit(prompt(1, 40), 3);
            h.runUntilIdle();
            assertThat(EngineHarness.result(g).tokens())
                    .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt(1, 40), 3));
        }
    }

    @Test
    void decodesRunInEveryStepWhileALongPromptIsChunked() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(4, 16, 512)).open()) {
            Generation decoding = h.submit(prompt(1, 5), 100);
            h.tick(2);
            TokenBatch batch = new TokenBatch();
            decoding.take(batch, 0);
            h.submit(prompt(2, 200), 1);
            for (int step = 0; step < 14; step++) {
                h.tick(1);
                assertThat(decoding.take(batch, 0)).isTrue();
                assertThat(batch.count).isEqualTo(1);
            }
        }
    }

    @Test
    void noDecodeEverWaitsForTheTokenBudget() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(9, 3, 512)).open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 9; i++) {
                all.add(h.submit(prompt(i, 1 + i), 20));
            }
            TokenBatch batch = new TokenBatch();
            Set<Generation> begun = new HashSet<>();
            for (int step = 0; step < 100; step++) {
                h.tick(1);
                for (Generation g : List.copyOf(all)) {
                    if (g.take(batch, 0)) {
                        begun.add(g);
                        if (batch.finished) {
                            begun.remove(g);
                            all.remove(g);
                        }
                    } else {
                        assertThat(begun).doesNotContain(g);
                    }
                }
            }
            assertThat(all).isEmpty();
        }
    }

    @Test
    void equalRequestsEndInTheOrderTheyCame() throws Exception {
        Map<Generation, Integer> ended = new HashMap<>();
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(3, 16, 512)).open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                all.add(h.engine.submit(h.request(prompt(i, 20), 10), g -> {
                    TokenBatch batch = new TokenBatch();
                    if (g.take(batch, 0) && batch.finished) {
                        ended.put(g, ended.size());
                    }
                }));
            }
            h.runUntilIdle();
            for (int i = 0; i < 12; i++) {
                assertThat(ended).containsEntry(all.get(i), i);
            }
        }
    }

    @Test
    void priorityGoesBeforeArrivalWhereTheQueueSaysSo() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 16, 512).withQueue(EngineOptions.QueueOrder.PRIORITY, 10, 1000))
                .open()) {
            List<String> order = new ArrayList<>();
            for (double priority : new double[] {0.5, 0.1, 0.9, 0.5}) {
                String id = priority + "#" + order.size();
                GenerationRequest plain = h.request(prompt(1, 4), 2);
                h.engine.submit(
                        new GenerationRequest(
                                id,
                                plain.prompt(),
                                2,
                                SamplingParams.greedy(),
                                plain.stop(),
                                -1,
                                TokenConstraint.NONE,
                                Retention.of(4),
                                priority),
                        g -> {
                            TokenBatch batch = new TokenBatch();
                            if (g.take(batch, 0) && batch.finished) {
                                order.add(Double.toString(priority));
                            }
                        });
            }
            h.runUntilIdle();
            assertThat(order).containsExactly("0.9", "0.5", "0.5", "0.1");
        }
    }

    @Test
    void withoutChunksAPromptRunsWholeOrIsRefused() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, 16, 512).withChunkedPrefill(false))
                .open()) {
            h.executor.record();
            Generation first = h.submit(prompt(1, 10), 3);
            Generation second = h.submit(prompt(2, 16), 3);
            Generation tooLong = h.submit(prompt(3, 17), 3);
            h.runUntilIdle();
            assertThat(EngineHarness.result(first).reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(EngineHarness.result(second).reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(EngineHarness.result(tooLong).error())
                    .isEqualTo("the prompt has 17 tokens to compute, more than max_num_tokens=16, and"
                            + " enable_chunked_prefill is false");
            for (int[] run : h.executor.recorded()) {
                assertThat(run[0] < 0 || run[3] == 1).isTrue();
            }
        }
    }

    @Test
    void aSequenceThatComesBackBringsItsOutputToThePenalties() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .pages(8)
                .options(EngineOptions.of(2, 32, 32))
                .open()) {
            List<int[]> outputs = new ArrayList<>();
            h.executor.onStep((step, plan) -> {
                for (int i = 0; i < plan.begins; i++) {
                    if (plan.beginPrompt[i].length() > 0) {
                        outputs.add(plan.beginOutput[i].toArray());
                    }
                }
                return new boolean[0];
            });
            h.submit(prompt(1, 8), 20);
            GenerationRequest plain = h.request(prompt(2, 8), 20);
            SamplingParams penalized =
                    new SamplingParams(0, 0, 1, 0, 1.1f, 0, 0, 0, 0, rondo.engine.sample.LogitBias.NONE);
            Generation young = h.submit(GenerationRequest.of("p", plain.prompt(), 20, penalized, plain.stop()));
            h.runUntilIdle();
            int[] all = EngineHarness.result(young).tokens();
            assertThat(outputs.size()).isGreaterThan(1);
            for (int[] output : outputs) {
                assertThat(output).isEqualTo(java.util.Arrays.copyOf(all, output.length));
            }
        }
    }
}
