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
import rondo.kv.CacheScope;
import rondo.kv.KvOptions;
import rondo.kv.LifeCycle;
import rondo.kv.PromptKeys;

/** What users of other servers report of prefix reuse, as tests on the stub model; each names its row. */
class ReuseReportsTest {
    private static final int VOCABULARY = 1000;

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, VOCABULARY).toArray();
    }

    private static int[] join(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }

    private static int[] head(int[] tokens, int length) {
        return Arrays.copyOf(tokens, length);
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), VOCABULARY, prompt, count);
    }

    private static EngineHarness.Output run(EngineHarness h, int[] prompt, int count) throws Exception {
        Generation g = h.submit(prompt, count);
        h.runUntilIdle();
        EngineHarness.Output out = EngineHarness.result(g);
        assertThat(out.tokens()).isEqualTo(expected(prompt, count));
        return out;
    }

    /** R004: blocks that come or go while a request waits count; blocks that were there when it was queued do not. */
    @Test
    void whatIsCachedIsLookedUpWhenARequestIsScheduledNotWhenItIsQueued() throws Exception {
        int[] shared = random(1, 200);
        int[] first = join(shared, random(2, 5));
        int[] second = join(shared, random(3, 7));
        int[] evicted = random(4, 100);
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 64, 512))
                .pages(70)
                .open()) {
            run(h, evicted, 1);
            Generation a = h.submit(first, 4);
            h.tick(1);
            Generation b = h.submit(second, 4);
            Generation c = h.submit(evicted, 4);
            assertThat(h.kv.match(h.prompt(evicted), 99).tokens()).isEqualTo(99);
            assertThat(h.kv.match(h.prompt(second), 206).tokens()).isLessThan(200);
            h.runUntilIdle();
            assertThat(EngineHarness.result(a).tokens()).isEqualTo(expected(first, 4));
            EngineHarness.Output hit = EngineHarness.result(b);
            assertThat(hit.cachedTokens()).isEqualTo(200);
            assertThat(hit.tokens()).isEqualTo(expected(second, 4));
            EngineHarness.Output late = EngineHarness.result(c);
            assertThat(late.cachedTokens()).isLessThan(99);
            assertThat(late.tokens()).isEqualTo(expected(evicted, 4));
            h.booksBalance();
        }
    }

    /** R005: what is computed again after a preemption is no prefix hit; R104: nor is anything else that was computed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void preemptedSequencesThatFindTheirOwnBlocksAreNotPrefixHits(boolean overlap) throws Exception {
        int[][] prompts = new int[60][];
        for (int i = 0; i < prompts.length; i++) {
            prompts[i] = random(i, 40);
            prompts[i][0] = i;
        }
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(6, 64, 128))
                .overlap(overlap)
                .pages(50)
                .open()) {
            List<Generation> all = new ArrayList<>();
            for (int[] prompt : prompts) {
                all.add(h.submit(prompt, 40));
            }
            h.runUntilIdle();
            for (int i = 0; i < prompts.length; i++) {
                EngineHarness.Output out = EngineHarness.result(all.get(i));
                assertThat(out.cachedTokens()).isZero();
                assertThat(out.tokens()).isEqualTo(expected(prompts[i], 40));
            }
            EngineStats stats = h.engine.stats();
            assertThat(stats.preemptions()).isPositive();
            assertThat(stats.cachedTokens()).isZero();
            assertThat(stats.promptTokens()).isEqualTo(60L * 40);
            h.booksBalance();
        }
    }

    /** R006: a partly shared block is copied before anybody writes behind the shared part. */
    @Test
    void whoSharesPartOfABlockWritesIntoACopy() {
        Seeds.forEach(10, random -> {
            try (EngineHarness h = EngineHarness.setup()
                    .tokensPerBlock(32)
                    .options(EngineOptions.of(4, 64, 256))
                    .overlap(random.nextBoolean())
                    .open()) {
                int[] common = random.ints(40, 0, VOCABULARY).toArray();
                List<int[]> prompts = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    int[] tail =
                            random.ints(1 + random.nextInt(30), 0, VOCABULARY).toArray();
                    prompts.add(join(head(common, 33 + random.nextInt(8)), tail));
                }
                for (int round = 0; round < 2; round++) {
                    List<Generation> all = new ArrayList<>();
                    for (int[] prompt : prompts) {
                        all.add(h.submit(prompt, 30));
                        h.tick(random.nextInt(4));
                    }
                    h.runUntilIdle();
                    for (int i = 0; i < all.size(); i++) {
                        EngineHarness.Output out = EngineHarness.result(all.get(i));
                        assertThat(out.tokens()).isEqualTo(expected(prompts.get(i), 30));
                        assertThat(out.cachedTokens())
                                .isGreaterThanOrEqualTo(round == 0 ? 0 : prompts.get(i).length - 1);
                    }
                }
                assertThat(h.kv.stats().counters().copied()).isPositive();
                h.booksBalance();
            }
        });
    }

    /** R007: a block is offered to others only once the step that fills it has been computed. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void nobodyMatchesTokensThatAreNotWrittenYet(boolean overlap) throws Exception {
        int[] prompt = random(7, 400);
        for (int ticks = 0; ticks < 16; ticks++) {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(4, 48, 512).withPrefixAware(false))
                    .overlap(overlap)
                    .open()) {
                h.executor.record();
                Generation a = h.submit(prompt, 3);
                h.tick(ticks);
                Generation b = h.submit(prompt, 3);
                h.runUntilIdle();
                assertThat(EngineHarness.result(a).tokens()).isEqualTo(expected(prompt, 3));
                EngineHarness.Output out = EngineHarness.result(b);
                assertThat(out.tokens()).isEqualTo(expected(prompt, 3));
                assertThat(out.cachedTokens()).isLessThanOrEqualTo(writtenBefore(h.executor.recorded(), 1));
            }
        }
    }

    /** Tokens of slot 0 that steps before the first run of {@code slot} have written. */
    private static int writtenBefore(List<int[]> recorded, int slot) {
        int before = 0;
        int now = 0;
        for (int[] run : recorded) {
            if (run[0] < 0) {
                before = now;
            } else if (run[0] == slot) {
                return before;
            } else {
                now = run[1] + run[2];
            }
        }
        return now;
    }

    /** R008: a conversation that finds part of another's history does not take it away. */
    @Test
    void conversationsInTurnsKeepTheirHistories() throws Exception {
        int[] system = random(8, 100);
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(4, 64, 1024)).open()) {
            Map<Integer, int[]> histories = new HashMap<>();
            for (int round = 0; round < 5; round++) {
                for (int c = 0; c < 3; c++) {
                    int[] before = histories.getOrDefault(c, new int[0]);
                    int[] prompt = join(before.length == 0 ? system : before, random(100L * round + c, 23));
                    EngineHarness.Output out = run(h, prompt, 10);
                    assertThat(out.cachedTokens()).isGreaterThanOrEqualTo(before.length - h.tokensPerBlock);
                    histories.put(c, join(prompt, out.tokens()));
                }
            }
        }
    }

    /** R013: what a grammar has let through does not depend on how much of the prompt was computed. */
    @ParameterizedTest
    @CsvSource({"true,true", "true,false", "false,true", "false,false"})
    void guidedOrFreeASecondAnswerFromTheCacheIsTheFirst(boolean reuse, boolean guided) throws Exception {
        int[] prompt = random(13, 90);
        int[] said = random(14, 20);
        try (EngineHarness h = EngineHarness.setup().reuse(reuse).open()) {
            for (int round = 0; round < 3; round++) {
                GenerationRequest plain = h.request(prompt, 21);
                Generation g = h.submit(guided ? ColdTwin.with(plain, new ForcedTokens(said, 999)) : plain);
                h.runUntilIdle();
                EngineHarness.Output out = EngineHarness.result(g);
                assertThat(out.tokens()).isEqualTo(guided ? join(said, new int[] {999}) : expected(prompt, 21));
                assertThat(out.cachedTokens()).isEqualTo(reuse && round > 0 ? 89 : 0);
            }
            h.booksBalance();
        }
    }

    /** R018, R019: windows that end inside a page; what has left them is neither lost nor given back twice. */
    @Test
    void windowsOfAnyLengthKeepTheBooksInEveryStep() {
        Seeds.forEach(40, random -> {
            int page = 4 << random.nextInt(3);
            int window = 2 + random.nextInt(3 * page);
            int pages = 2 * ((128 + page - 1) / page) + 8;
            try (EngineHarness h = EngineHarness.setup()
                    .tokensPerBlock(page)
                    .lifeCycles(LifeCycle.sliding(window), LifeCycle.full())
                    .pages(pages)
                    .options(EngineOptions.of(3, 8 + random.nextInt(40), 128))
                    .overlap(random.nextBoolean())
                    .open()) {
                int[][] histories = new int[4][0];
                for (int turn = 0; turn < 12; turn++) {
                    int c = random.nextInt(histories.length);
                    int[] fresh =
                            random.ints(1 + random.nextInt(25), 0, VOCABULARY).toArray();
                    int[] old = histories[c].length > 80 ? head(histories[c], random.nextInt(60)) : histories[c];
                    int[] prompt = join(old, fresh);
                    int count = 1 + random.nextInt(20);
                    Generation g = h.submit(prompt, count);
                    while (h.engine.tick() != EngineLoop.IDLE) {
                        h.kv.stats()
                                .pools()
                                .forEach(p -> assertThat(p.free() + p.evictable() + p.held())
                                        .isEqualTo(p.total()));
                    }
                    EngineHarness.Output out = EngineHarness.result(g);
                    assertThat(out.tokens()).isEqualTo(expected(prompt, count));
                    histories[c] = join(prompt, out.tokens());
                    h.booksBalance();
                }
            }
        });
    }

    /** R021: with the ends of turns kept, a model with windows finds as much as one without. */
    @Test
    void sessionsInTurnsHitAsOftenWithAWindowAsWithout() throws Exception {
        double full = hitRate(LifeCycle.full());
        double sliding = hitRate(LifeCycle.sliding(32), LifeCycle.full());
        assertThat(full).isGreaterThan(0.5);
        assertThat(sliding).isGreaterThan(full - 0.02);
    }

    /** Eight sessions in turns, histories of many windows, room for about six. */
    private static double hitRate(LifeCycle... lifeCycles) throws Exception {
        KvOptions keepEnds =
                new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 16, 35, 0.95, 0, 64);
        try (EngineHarness h = EngineHarness.setup()
                .tokensPerBlock(8)
                .lifeCycles(lifeCycles)
                .kvOptions(keepEnds)
                .pages(6 * 75)
                .options(EngineOptions.of(2, 128, 1024))
                .open()) {
            SplittableRandom order = new SplittableRandom(21);
            int[][] histories = new int[8][0];
            for (int turn = 0; turn < 120; turn++) {
                int c = order.nextInt(8);
                int[] prompt = join(histories[c].length > 560 ? new int[0] : histories[c], random(turn, 40));
                histories[c] = join(prompt, run(h, prompt, 8).tokens());
            }
            EngineStats stats = h.engine.stats();
            return (double) stats.cachedTokens() / stats.promptTokens();
        }
    }

    /** R022: a turn that differs inside the last message computes that message anew, not the history. */
    @Test
    void aChangeInTheLastMessageCostsThatMessageAndAWindow() throws Exception {
        int window = 32;
        int message = 40;
        KvOptions keepEnds =
                new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, message, 35, 0.95, 0, 64);
        try (EngineHarness h = EngineHarness.setup()
                .lifeCycles(LifeCycle.sliding(window), LifeCycle.full())
                .kvOptions(keepEnds)
                .options(EngineOptions.of(2, 64, 1024))
                .pages(400)
                .open()) {
            int[] history = random(22, 300);
            run(h, join(history, random(23, message)), 4);
            // Somebody else's work goes through the sliding pool in between.
            run(h, random(24, 500), 4);
            for (int same : new int[] {1, 5, 20, 39}) {
                int[] prompt = join(history, head(random(23, message), same), random(25L + same, 30));
                EngineHarness.Output out = run(h, prompt, 4);
                int computed = prompt.length - out.cachedTokens();
                assertThat(computed).isLessThanOrEqualTo(message + window + h.tokensPerBlock);
            }
        }
    }

    /** R151: a prompt whose window was overtaken by its own answer is found whole, or computed. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8, 24})
    void theExactPromptAgainAfterALongAnswer(int generated) throws Exception {
        int[] prompt = random(151, 50);
        for (int shorter : new int[] {0, 1, 8}) {
            try (EngineHarness h = EngineHarness.setup().open()) {
                run(h, prompt, generated);
                run(h, head(prompt, 50 - shorter), generated + 3);
                h.booksBalance();
            }
        }
    }

    /** R167: the last pages of a prompt are not all or nothing. */
    @ParameterizedTest
    @ValueSource(ints = {1, 5, 15, 31, 33, 64})
    void aSmallChangeAtTheEndOfALongPromptIsASmallMiss(int changed) throws Exception {
        int[] prompt = random(167, 2001);
        int at = prompt.length - changed;
        try (EngineHarness h = EngineHarness.setup()
                .tokensPerBlock(16)
                .lifeCycles(LifeCycle.sliding(512), LifeCycle.full())
                .options(EngineOptions.of(2, 512, 4096))
                .open()) {
            run(h, prompt, 2);
            int[] other = join(head(prompt, at), random(168L + changed, 20));
            assertThat(run(h, other, 2).cachedTokens()).isGreaterThanOrEqualTo(at - 512 - 2 * 16);
        }
    }

    /** Two salts share no page on any way through the engine, and neither sees the other in what is counted. */
    @Test
    void twoSaltsNeverShareAPage() {
        Seeds.forEach(20, random -> {
            try (EngineHarness h = EngineHarness.setup()
                    .options(EngineOptions.of(4, 32, 128))
                    .overlap(random.nextBoolean())
                    .pages(40 + random.nextInt(30))
                    .open()) {
                Map<String, Integer> longest = new HashMap<>();
                int[] base = random.ints(60, 0, VOCABULARY).toArray();
                for (int i = 0; i < 30; i++) {
                    String salt = "salt " + random.nextInt(3);
                    int[] prompt = head(base, 1 + random.nextInt(60));
                    Generation g = h.submit(ColdTwin.with(
                            h.request(prompt, 3),
                            PromptKeys.of(rondo.base.TokenIds.of(prompt), CacheScope.salted(salt), h.tokensPerBlock)));
                    h.runUntilIdle();
                    EngineHarness.Output out = EngineHarness.result(g);
                    assertThat(out.tokens()).isEqualTo(expected(prompt, 3));
                    // Whatever others have left: no more than this salt itself has ever had.
                    assertThat(out.cachedTokens()).isLessThanOrEqualTo(longest.getOrDefault(salt, 0));
                    longest.merge(salt, prompt.length + 3, Math::max);
                }
                h.booksBalance();
            }
        });
    }
}
