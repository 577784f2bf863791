package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.UserError;

/** What comes out of the engine, however its steps were cut. */
class EngineTest {
    private static int[] prompt(SplittableRandom random, int most) {
        return random.ints(1 + random.nextInt(most), 0, 1000).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), 1000, prompt, count);
    }

    @Test
    void batchedPromptsGiveWhatEachGivesAlone() {
        Seeds.forEach(20, random -> {
            EngineOptions options = EngineOptions.of(1 + random.nextInt(9), 4 + random.nextInt(90), 512)
                    .withPrefixAware(random.nextBoolean());
            boolean reuse = random.nextBoolean();
            try (EngineHarness h = EngineHarness.setup()
                    .options(options)
                    .overlap(random.nextBoolean())
                    .reuse(reuse)
                    .open()) {
                List<int[]> prompts = new ArrayList<>();
                List<Integer> counts = new ArrayList<>();
                List<Generation> generations = new ArrayList<>();
                int[] common = prompt(random, 80);
                for (int i = 0; i < 30; i++) {
                    int[] tail = prompt(random, 100);
                    int[] all = java.util.Arrays.copyOf(common, common.length + tail.length);
                    System.arraycopy(tail, 0, all, common.length, tail.length);
                    prompts.add(random.nextBoolean() ? all : tail);
                    counts.add(1 + random.nextInt(30));
                    generations.add(h.submit(prompts.get(i), counts.get(i)));
                    h.tick(random.nextInt(4));
                }
                h.runUntilIdle();
                for (int i = 0; i < prompts.size(); i++) {
                    EngineHarness.Output out = EngineHarness.result(generations.get(i));
                    assertThat(out.reason()).isEqualTo(FinishReason.LENGTH);
                    assertThat(out.tokens()).isEqualTo(expected(prompts.get(i), counts.get(i)));
                    assertThat(out.cachedTokens()).isLessThan(prompts.get(i).length);
                }
                assertThat(h.heldPages()).isZero();
            }
        });
    }

    @Test
    void aTurnThatRepeatsTheConversationComputesOnlyWhatIsNew() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            int[] first = new SplittableRandom(1).ints(101, 0, 1000).toArray();
            Generation one = h.submit(first, 10);
            h.runUntilIdle();
            EngineHarness.Output reply = EngineHarness.result(one);
            assertThat(reply.cachedTokens()).isZero();

            int[] second = java.util.Arrays.copyOf(first, 101 + 10 + 5);
            System.arraycopy(reply.tokens(), 0, second, 101, 10);
            h.executor.record();
            Generation two = h.submit(second, 10);
            h.runUntilIdle();
            EngineHarness.Output answer = EngineHarness.result(two);
            // All but the last sampled token have KV.
            assertThat(answer.cachedTokens()).isEqualTo(101 + 10 - 1);
            assertThat(h.executor.recorded().get(1)).containsSubsequence(110, 6, 1);
            assertThat(answer.tokens()).isEqualTo(expected(second, 10));
            assertThat(h.engine.stats().cachedTokens()).isEqualTo(110);
            assertThat(h.engine.stats().promptTokens()).isEqualTo(101 + 116);
        }
    }

    @Test
    void aFullHitStillComputesTheLastToken() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            int[] prompt = new SplittableRandom(2).ints(40, 0, 1000).toArray();
            h.submit(prompt, 8);
            h.runUntilIdle();
            h.executor.record();
            Generation again = h.submit(prompt, 1);
            h.runUntilIdle();
            EngineHarness.Output out = EngineHarness.result(again);
            assertThat(out.cachedTokens()).isEqualTo(39);
            assertThat(h.executor.recorded().get(1)).containsSubsequence(39, 1, 1);
            assertThat(out.tokens()).isEqualTo(expected(prompt, 1));
        }
    }

    @Test
    void clearingTheCacheForgetsWhatNobodyHolds() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            int[] prompt = new SplittableRandom(2).ints(40, 0, 1000).toArray();
            h.submit(prompt, 8);
            h.runUntilIdle();
            h.engine.clearPrefixCache();
            Generation again = h.submit(prompt, 1);
            h.runUntilIdle();
            assertThat(EngineHarness.result(again).cachedTokens()).isZero();
        }
    }

    @Test
    void eightEqualPromptsCostOnePrefillAndSevenTails() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(8, 64, 512)).open()) {
            int[] prompt = new SplittableRandom(3).ints(50, 0, 1000).toArray();
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(h.submit(prompt, 5));
            }
            h.runUntilIdle();
            int computed = 0;
            for (Generation g : all) {
                EngineHarness.Output out = EngineHarness.result(g);
                assertThat(out.tokens()).isEqualTo(expected(prompt, 5));
                computed += 50 - out.cachedTokens();
            }
            assertThat(computed).isLessThanOrEqualTo(50 + 7 * 4);
        }
    }

    @Test
    void preemptionGivesTheSameTokensWithoutGapOrRepeat() {
        Seeds.forEach(30, random -> {
            int pages = 34 + random.nextInt(12);
            try (EngineHarness h = EngineHarness.setup()
                    .pages(pages)
                    .reuse(random.nextInt(3) > 0)
                    .overlap(random.nextBoolean())
                    .options(EngineOptions.of(4, 32, 128))
                    .open()) {
                List<int[]> prompts = new ArrayList<>();
                List<Generation> generations = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    prompts.add(prompt(random, 60));
                    generations.add(h.submit(prompts.get(i), 40));
                    h.tick(random.nextInt(3));
                }
                h.runUntilIdle();
                for (int i = 0; i < prompts.size(); i++) {
                    EngineHarness.Output out = EngineHarness.result(generations.get(i));
                    assertThat(out.error()).isEmpty();
                    assertThat(out.tokens()).isEqualTo(expected(prompts.get(i), 40));
                }
                assertThat(h.heldPages()).isZero();
            }
        });
    }

    @Test
    void aFullPoolPausesTheYoungestAndSaysSo() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .pages(8)
                .tokensPerBlock(4)
                .options(EngineOptions.of(2, 32, 32))
                .open()) {
            Generation old = h.submit(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, 20);
            Generation young = h.submit(new int[] {11, 12, 13, 14, 15, 16, 17, 18}, 20);
            h.runUntilIdle();
            TokenBatch oldest = new TokenBatch();
            assertThat(old.take(oldest, 0)).isTrue();
            assertThat(oldest.preemptions).isZero();
            TokenBatch youngest = new TokenBatch();
            assertThat(young.take(youngest, 0)).isTrue();
            assertThat(youngest.preemptions).isPositive();
            assertThat(youngest.count).isEqualTo(20);
            assertThat(h.engine.stats().preemptions()).isEqualTo(youngest.preemptions);
        }
    }

    /** R037: alone it takes all pages there are, and then ends; the others are served. */
    @Test
    void aRequestThatOutgrowsThePoolEndsAtItsLengthAndOthersGoOn() throws Exception {
        for (boolean overlap : new boolean[] {false, true}) {
            try (EngineHarness h = EngineHarness.setup()
                    .pages(4)
                    .options(EngineOptions.of(2, 32, 64).withOverlap(overlap))
                    .open()) {
                assertThatThrownBy(() -> h.submit(new int[30], 4))
                        .isInstanceOf(RequestTooLarge.class)
                        .hasMessage("the KV cache is too small for 31 tokens");
                Generation grows = h.submit(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, 30);
                Generation normal = h.submit(new int[] {9, 9, 9}, 5);
                h.runUntilIdle();
                EngineHarness.Output out = EngineHarness.result(grows);
                assertThat(out.reason()).isEqualTo(FinishReason.LENGTH);
                // Four pages of four tokens: the prompt's 8, and the KV of 8 of 9 tokens.
                assertThat(out.tokens()).isEqualTo(expected(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, 9));
                assertThat(EngineHarness.result(normal).tokens()).isEqualTo(expected(new int[] {9, 9, 9}, 5));
                assertThat(h.heldPages()).isZero();
                assertThat(h.engine.stats().preemption().stalls()).isZero();
            }
        }
    }

    @Test
    void slidingPagesThatLeftTheWindowAreUsedAgain() throws Exception {
        // 12 sliding pages hold a window of 8 tokens, not the 300 of the sequence; full attention has its own pool.
        try (EngineHarness h = EngineHarness.setup()
                .lifeCycles(rondo.kv.LifeCycle.sliding(8))
                .pages(12)
                .options(EngineOptions.of(2, 16, 512))
                .model((tokens, count, position, vocabulary) -> {
                    long sum = count;
                    for (int i = Math.max(0, count - 8); i < count; i++) {
                        sum = 31 * sum + tokens[i];
                    }
                    return (int) Long.remainderUnsigned(sum, vocabulary);
                })
                .open()) {
            int[] prompt = new SplittableRandom(4).ints(100, 0, 1000).toArray();
            Generation g = h.submit(prompt, 200);
            h.runUntilIdle();
            int[] history = java.util.Arrays.copyOf(prompt, 300);
            for (int n = 100; n < 300; n++) {
                long sum = n;
                for (int i = n - 8; i < n; i++) {
                    sum = 31 * sum + history[i];
                }
                history[n] = (int) Long.remainderUnsigned(sum, 1000);
            }
            assertThat(EngineHarness.result(g).tokens()).isEqualTo(java.util.Arrays.copyOfRange(history, 100, 300));
        }
    }

    @Test
    void optionsThatCannotBeAreRefusedInOneLine() {
        assertThatThrownBy(() -> EngineOptions.of(0, 64, 512))
                .isInstanceOf(UserError.class)
                .hasMessage("config: max_batch_size must be >= 1, got 0");
        assertThatThrownBy(() -> EngineOptions.of(1, 64, 512).withStarvation(-1))
                .hasMessage("config: rondo.starvation_ms must be >= 0, got -1");
        assertThatThrownBy(() -> new EngineOptions.Statistics(-2, false, 1))
                .hasMessage("config: max_stats_len must be >= -1, got -2");
        assertThatThrownBy(() -> new EngineOptions.Statistics(10, false, 0))
                .hasMessage("config: kv_cache_config.iteration_stats_interval must be >= 1, got 0");
    }
}
