package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Seeds;
import rondo.base.TokenIds;
import rondo.kv.CacheScope;
import rondo.kv.KvStats;
import rondo.kv.PromptKeys;

/**
 * What users of other servers report of the host tier, as tests on the stub model, whose copies land late and whose answer
 * depends on every token that it reads back; each names its row.
 */
class HostReportsTest {
    private static final int VOCABULARY = 1000;

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, VOCABULARY).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), VOCABULARY, prompt, count);
    }

    private static EngineHarness.Output run(EngineHarness h, int[] prompt, int count) throws Exception {
        Generation g = h.submit(prompt, count);
        h.runUntilIdle();
        EngineHarness.Output out = EngineHarness.result(g);
        assertThat(out.error()).isEmpty();
        assertThat(out.tokens()).isEqualTo(expected(prompt, count));
        return out;
    }

    private static KvStats.Counters counters(EngineHarness h) {
        return h.kv.stats().counters();
    }

    /** One of many prompts that have not even their first token in common. */
    private static int[] distinct(int number, int length) {
        int[] prompt = random(number, length);
        prompt[0] = number;
        return prompt;
    }

    /** Other work until everything that was there has gone down to the host. */
    private static void pushOut(EngineHarness h, int prompts, long seed) throws Exception {
        for (int i = 0; i < prompts; i++) {
            run(h, random(1000 * seed + i, 60), 1);
        }
    }

    /** R003: what is loaded and what is computed make up the prompt exactly, whatever its length. */
    @ParameterizedTest
    @ValueSource(ints = {15, 16, 17, 31, 32, 33, 63, 64, 65})
    void aPromptThatIsOnTheHostOnlyIsLoadedButForItsLastToken(int length) throws Exception {
        int[] prompt = random(3, length);
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(2, 64, 128))
                .overlap(true)
                .pages(40)
                .hostPages(400)
                .open()) {
            run(h, prompt, 1);
            pushOut(h, 10, 3);
            long before = counters(h).onboarded() + counters(h).copiedFromHost();
            h.executor.record();
            EngineHarness.Output out = run(h, prompt, 5);
            assertThat(counters(h).onboarded() + counters(h).copiedFromHost()).isGreaterThan(before);
            assertThat(out.cachedTokens()).isEqualTo(length - 1);
            int computed = 0;
            for (int[] run : h.executor.recorded()) {
                computed += run[0] >= 0 && run[1] < length ? run[2] : 0;
            }
            assertThat(out.cachedTokens() + computed).isEqualTo(length);
            h.booksBalance();
        }
    }

    /** R023, R026: two hundred prompts in a pool for twenty: every page that comes back is the one that went. */
    @ParameterizedTest
    @CsvSource({"0,true", "1,true", "3,true", "2,false"})
    void twoHundredPromptsRoundAndRoundAnswerAsCold(int delay, boolean overlap) throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(16, 128, 64))
                .overlap(overlap)
                .pages(20 * 9)
                .hostPages(200 * 10)
                .open()) {
            h.executor.delayCopies(delay);
            for (int round = 0; round < 3; round++) {
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 200; i++) {
                    while (h.engine.stats().running() + h.engine.stats().waiting() >= 16) {
                        h.tick(1);
                    }
                    all.add(h.submit(distinct(i, 30), 4));
                    h.tick(1);
                }
                h.runUntilIdle();
                for (int i = 0; i < 200; i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    assertThat(out.error()).isEmpty();
                    assertThat(out.tokens()).as("prompt %d", i).isEqualTo(expected(distinct(i, 30), 4));
                    assertThat(out.cachedTokens()).isEqualTo(round == 0 ? 0 : 29);
                }
            }
            assertThat(counters(h).offloaded()).isPositive();
            assertThat(counters(h).onboarded()).isPositive();
            h.booksBalance();
        }
    }

    /** R028: a loop over twice what the device holds is served from the host the second time, and the counters say so. */
    @Test
    void theSecondPassOverTwiceThePoolComesFromTheHost() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(2, 64, 128))
                .overlap(true)
                .pages(10 * 16)
                .hostPages(4 * 10 * 16)
                .open()) {
            for (int pass = 0; pass < 2; pass++) {
                for (int i = 0; i < 20; i++) {
                    EngineHarness.Output out = run(h, distinct(i, 60), 4);
                    assertThat(out.cachedTokens()).isEqualTo(pass == 0 ? 0 : 59);
                }
                assertThat(counters(h).offloaded()).isPositive();
                assertThat(counters(h).onboarded() > 0).isEqualTo(pass == 1);
            }
            // A page of full attention stands for four tokens of every prompt that had gone.
            long loaded = 4 * h.kv.stats().lifeCycles().get(1).onboarded();
            assertThat(loaded).isGreaterThan((long) (0.8 * 10 * 60));
        }
    }

    /** R025: with little room and prefixes on the host no step is larger than its budget, and what was matched is there. */
    @Test
    void loadingNeverTakesWhatTheSameStepHasMatched() {
        Seeds.forEach(25, random -> {
            int budget = 8 + random.nextInt(60);
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(2 + random.nextInt(4), budget, 96))
                    .overlap(random.nextBoolean())
                    .pages(27 + random.nextInt(40))
                    .hostPages(random.nextInt(200))
                    .open()) {
                h.executor.delayCopies(random.nextInt(4));
                h.executor.onStep((step, plan) -> {
                    assertThat(plan.tokens).isLessThanOrEqualTo(budget);
                    return new boolean[0];
                });
                List<int[]> prompts = new ArrayList<>();
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 60; i++) {
                    int[] prompt = random(random.nextInt(8), 10 + random.nextInt(60));
                    prompts.add(prompt);
                    all.add(h.submit(prompt, 1 + i % 20));
                    h.tick(random.nextInt(12));
                }
                h.runUntilIdle();
                for (int i = 0; i < all.size(); i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    assertThat(out.error()).isEmpty();
                    assertThat(out.tokens()).as("request %d", i).isEqualTo(expected(prompts.get(i), 1 + i % 20));
                }
                h.booksBalance();
            }
        });
    }

    /** R030: whoever leaves while its prefix is being loaded leaves no page behind, and late copies hurt nobody. */
    @Test
    void twoHundredLeaveWhileTheirPrefixIsOnItsWay() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, 64, 4096))
                .overlap(true)
                .pages(1200)
                .hostPages(4000)
                .open()) {
            int[][] prompts = new int[12][];
            for (int i = 0; i < prompts.length; i++) {
                prompts[i] = random(i, 400);
                run(h, prompts[i], 1);
            }
            pushOut(h, 80, 30);
            Generation running = h.submit(random(99, 20), 3000);
            h.tick(3);
            SplittableRandom order = new SplittableRandom(30);
            int loading = 0;
            for (int i = 0; i < 200; i++) {
                h.executor.holdCopies(true);
                Generation g = h.submit(prompts[i % prompts.length], 5);
                h.tick(1 + order.nextInt(3));
                loading += h.executor.pendingCopies() > 0 ? 1 : 0;
                g.cancel();
                h.tick(2);
                assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
                h.executor.holdCopies(order.nextInt(3) == 0);
                h.tick(order.nextInt(4));
            }
            assertThat(loading).as("left while loading").isPositive();
            h.executor.holdCopies(false);
            running.cancel();
            h.runUntilIdle();
            EngineHarness.result(running);
            h.booksBalance();
            for (int[] prompt : prompts) {
                run(h, prompt, 3);
            }
            h.booksBalance();
        }
    }

    /** R158: who waits for its prefix to be loaded keeps nobody else from running, and leaves when it is told to. */
    @Test
    void whoWaitsForALoadKeepsNobodyElseWaiting() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, 64, 1024))
                .overlap(true)
                .pages(300)
                .hostPages(3000)
                .open()) {
            int[][] prompts = {random(1, 80), random(2, 80)};
            run(h, prompts[0], 1);
            run(h, prompts[1], 1);
            pushOut(h, 40, 158);
            Generation running = h.submit(random(3, 10), 400);
            h.tick(3);
            h.executor.holdCopies(true);
            Generation stalled = h.submit(prompts[0], 5);
            Generation leaves = h.submit(prompts[1], 5);
            h.tick(5);
            assertThat(h.executor.pendingCopies()).isPositive();
            // As long as pages are free: a page that must be copied out first has to wait as well.
            for (int i = 0; i < 4; i++) {
                Generation plain = h.submit(random(50 + i, 12), 3);
                h.tick(6);
                assertThat(EngineHarness.result(plain).tokens()).isEqualTo(expected(random(50 + i, 12), 3));
            }
            leaves.cancel();
            h.tick(2);
            assertThat(EngineHarness.result(leaves).reason()).isEqualTo(FinishReason.CANCELLED);
            h.executor.holdCopies(false);
            h.runUntilIdle();
            assertThat(EngineHarness.result(stalled).tokens()).isEqualTo(expected(prompts[0], 5));
            assertThat(EngineHarness.result(running).tokens()).isEqualTo(expected(random(3, 10), 400));
            h.booksBalance();
        }
    }

    /** R031: with a host tier or without, in the pool of one sequence and little more, everybody comes to an end. */
    @ParameterizedTest
    @CsvSource({"0,0", "1,0", "8,0", "0,10", "1,40", "8,40", "0,400", "8,400"})
    void suspendedSequencesComeBack(int morePages, int hostPages) throws Exception {
        int length = 64;
        for (boolean overlap : new boolean[] {true, false}) {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(8, 32, length))
                    .overlap(overlap)
                    .pages(length / 4 + 2 + morePages)
                    .hostPages(hostPages)
                    .open()) {
                h.executor.delayCopies(2);
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    all.add(h.submit(random(i, 20), length - 20));
                }
                int turns = 0;
                while (h.engine.tick() != EngineLoop.IDLE) {
                    assertThat(++turns).isLessThan(20 * 8 * length);
                }
                for (int i = 0; i < 8; i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    assertThat(out.error()).isEmpty();
                    assertThat(out.tokens()).isEqualTo(expected(random(i, 20), length - 20));
                }
                assertThat(h.engine.stats().preemptions()).isPositive();
                if (hostPages != 10) {
                    // Room for a few pages is room for a suspension now and then.
                    assertThat(h.engine.stats().preemption().suspensions() > 0).isEqualTo(hostPages > 10);
                }
                h.booksBalance();
            }
        }
    }

    /** Two salts share no page on the host either, on the way down, on the way back, or by part of a block. */
    @Test
    void twoSaltsNeverShareAPageOfTheHost() {
        Seeds.forEach(20, random -> {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(4, 32, 128))
                    .overlap(random.nextBoolean())
                    .pages(38 + random.nextInt(20))
                    .hostPages(100 + random.nextInt(300))
                    .open()) {
                h.executor.delayCopies(random.nextInt(3));
                int[] base = random.ints(60, 0, VOCABULARY).toArray();
                Map<String, Integer> longest = new HashMap<>();
                for (int i = 0; i < 40; i++) {
                    String salt = "salt " + random.nextInt(4);
                    int[] prompt = Arrays.copyOf(base, 1 + random.nextInt(60));
                    Generation g = h.submit(ColdTwin.with(
                            h.request(prompt, 3),
                            PromptKeys.of(TokenIds.of(prompt), CacheScope.salted(salt), h.tokensPerBlock)));
                    h.runUntilIdle();
                    EngineHarness.Output out = EngineHarness.result(g);
                    assertThat(out.tokens()).isEqualTo(expected(prompt, 3));
                    assertThat(out.cachedTokens()).isLessThanOrEqualTo(longest.getOrDefault(salt, 0));
                    longest.merge(salt, prompt.length + 3, Math::max);
                }
                // A salt that nobody has used finds nothing, wherever the others' pages are.
                Generation last = h.submit(new ColdTwin().of(h.request(base, 2)));
                h.runUntilIdle();
                assertThat(EngineHarness.result(last).cachedTokens()).isZero();
                assertThat(counters(h).offloaded()).isPositive();
                h.booksBalance();
            }
        });
    }
}
