package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.kv.LifeCycle;

/** What users of other servers report of preemption, as tests on the stub model; each names its row. */
class PreemptionReportsTest {
    private static final int VOCABULARY = 1000;

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, VOCABULARY).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), VOCABULARY, prompt, count);
    }

    /** R031: with room for little more than one sequence everybody comes to an end, in a bounded number of steps. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 8})
    void whoeverIsPausedComesToItsEndInThePoolOfOneSequence(int morePages) throws Exception {
        int length = 64;
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(8, 32, length))
                .pages(length / 4 + 1 + morePages)
                .open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                all.add(h.submit(random(i, 20), length - 20));
            }
            long before = h.engine.stats().generatedTokens();
            int without = 0;
            int turns = 0;
            while (h.engine.tick() != EngineLoop.IDLE) {
                long now = h.engine.stats().generatedTokens();
                without = now == before ? without + 1 : 0;
                before = now;
                assertThat(without).as("turns without a token").isLessThan(12);
                assertThat(++turns).isLessThan(8 * 8 * length);
            }
            for (int i = 0; i < 8; i++) {
                assertThat(EngineHarness.result(all.get(i)).tokens()).isEqualTo(expected(random(i, 20), length - 20));
            }
            assertThat(h.engine.stats().preemptions()).isPositive();
            h.booksBalance();
        }
    }

    /** R033: preemption is invisible in the result, with reuse and without, with chunks and without. */
    @ParameterizedTest
    @CsvSource({"true,true,true", "true,false,true", "false,true,true", "false,false,false", "true,true,false"})
    void sixtyFourAnswersAreTheSameInATinyPool(boolean reuse, boolean chunked, boolean overlap) throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(8, 96, 96).withChunkedPrefill(chunked))
                .overlap(overlap)
                .pages(44)
                .reuse(reuse)
                .open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                all.add(h.submit(random(i % 40, 10 + i % 37), 30));
                h.tick(i % 2);
            }
            h.runUntilIdle();
            for (int i = 0; i < 64; i++) {
                EngineHarness.Output out = EngineHarness.result(all.get(i));
                assertThat(out.error()).isEmpty();
                assertThat(out.tokens()).isEqualTo(expected(random(i % 40, 10 + i % 37), 30));
            }
            assertThat(h.engine.stats().preemptions()).isPositive();
            h.booksBalance();
        }
    }

    /** R037: one request that alone outgrows the pool ends by itself; the others' answers are right. */
    @Test
    void aGiantThatOutgrowsThePoolEndsAlone() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(4, 64, 4096))
                .pages(64)
                .open()) {
            Generation giant = h.submit(random(1, 40), 4000);
            h.tick(10);
            List<Generation> normal = new ArrayList<>();
            for (int i = 2; i < 8; i++) {
                normal.add(h.submit(random(i, 30), 25));
                h.tick(20);
            }
            h.runUntilIdle();
            EngineHarness.Output out = EngineHarness.result(giant);
            assertThat(out.reason()).isEqualTo(FinishReason.LENGTH);
            assertThat(out.tokens().length).isBetween(200, 64 * 4);
            assertThat(out.tokens()).isEqualTo(expected(random(1, 40), out.tokens().length));
            for (int i = 2; i < 8; i++) {
                EngineHarness.Output small = EngineHarness.result(normal.get(i - 2));
                assertThat(small.error()).isEmpty();
                assertThat(small.tokens()).isEqualTo(expected(random(i, 30), 25));
            }
            assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.READY);
            h.booksBalance();
        }
    }

    /** R038: what a preemption gives back is exactly the pages that only its victim held. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 17, 32})
    void aPreemptionGivesBackExactlyThePagesOfItsVictimAlone(int shared) throws Exception {
        int page = 8;
        int[] old = random(1, 50);
        int[] young = random(2, 60);
        System.arraycopy(old, 0, young, 0, shared);
        try (EngineHarness h = EngineHarness.setup()
                .tokensPerBlock(page)
                .lifeCycles(LifeCycle.full())
                .options(EngineOptions.of(4, 256, 256))
                .open()) {
            Generation a = h.submit(old, 100);
            h.tick(3);
            Generation b = h.submit(young, 100);
            // Behind the copy of a partly shared block, which holds its source until its step has retired.
            h.tick(5);
            int length = 60 + 5;
            int held = h.heldPages();
            AtomicInteger refusals = new AtomicInteger(1);
            h.scarce.fullWhen(r -> refusals.getAndDecrement() > 0);
            h.tick(1);
            assertThat(h.engine.stats().preemptions()).isEqualTo(1);
            int alone = (length - 1 + page) / page - shared / page;
            // The older one may have grown by a page in the same step.
            assertThat(held - h.heldPages()).isBetween(alone - 1, alone);
            h.scarce.fullWhen(r -> false);
            h.runUntilIdle();
            assertThat(EngineHarness.result(a).tokens()).isEqualTo(expected(old, 100));
            assertThat(EngineHarness.result(b).tokens()).isEqualTo(expected(young, 100));
            h.booksBalance();
        }
    }

    /** R035: the border between prompt and output survives a preemption after any token. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPreemptionAfterAnyTokenChangesNothing(boolean overlap) throws Exception {
        int[] prompt = random(35, 30);
        int[] right = expected(prompt, 40);
        for (int k = 0; k < 39; k++) {
            try (EngineHarness h = EngineHarness.setup().overlap(overlap).open()) {
                Generation older = h.submit(random(1, 10), 60);
                h.tick(1);
                GenerationRequest plain = h.request(prompt, 50);
                // It ends with its 40th token, which must not count before the 35th; tokens of the prompt do not end
                // it.
                StopRules stop = new StopRules(new int[] {right[39], prompt[3]}, new int[0], false, 35);
                Generation g = h.submit(GenerationRequest.of("k", plain.prompt(), 50, plain.sampling(), stop));
                h.tick(1 + k);
                // With a step in flight the first plan without room is given up and made again.
                AtomicInteger refusals = new AtomicInteger(overlap ? 2 : 1);
                h.scarce.fullWhen(r -> refusals.getAndDecrement() > 0);
                h.runUntilIdle();
                assertThat(h.engine.stats().preemptions()).as("after %d", k).isEqualTo(1);
                EngineHarness.Output out = EngineHarness.result(g);
                assertThat(out.tokens()).as("after %d", k).isEqualTo(Arrays.copyOf(right, 40));
                assertThat(out.reason()).isEqualTo(FinishReason.STOP);
                assertThat(EngineHarness.result(older).tokens()).isEqualTo(expected(random(1, 10), 60));
                h.booksBalance();
            }
        }
    }
}
