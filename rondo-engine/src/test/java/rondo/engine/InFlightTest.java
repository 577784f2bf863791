package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import rondo.base.Seeds;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvStats;
import rondo.kv.LifeCycle;
import rondo.kv.Tier;

/** What happens to the step in flight when its sequences end, are cancelled or fail, or their pages are wanted. */
class InFlightTest {
    private static final NextToken COUNTING = (tokens, count, position, vocabulary) -> position;

    private static int[] prompt(int seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), 1000, prompt, count);
    }

    private static EngineHarness.Setup setup() {
        return EngineHarness.setup().overlap(true);
    }

    private static GenerationRequest endingWith(GenerationRequest r, int endId) {
        return GenerationRequest.of(r.id(), r.prompt(), r.maxTokens(), r.sampling(), StopRules.endingWith(endId));
    }

    @Test
    void aDecodeReadsTheSampleOfTheStepInFlight() throws Exception {
        try (EngineHarness h = setup().open()) {
            List<Integer> inputs = new ArrayList<>();
            h.executor.onStep((step, plan) -> {
                inputs.add(plan.runs == 0 ? null : plan.tokenIds[plan.start[0] + plan.length[0] - 1]);
                return new boolean[0];
            });
            Generation g = h.submit(prompt(1, 6), 5);
            h.runUntilIdle();
            assertThat(EngineHarness.result(g).tokens()).isEqualTo(expected(prompt(1, 6), 5));
            assertThat(inputs)
                    .containsExactly(prompt(1, 6)[5], StepPlan.LAST, StepPlan.LAST, StepPlan.LAST, StepPlan.LAST);
        }
    }

    /** Example 18: the last sliding page that left the window is the one that the step in flight still reads. */
    @Test
    void example18AStepInFlight() throws Exception {
        try (EngineHarness h = setup().lifeCycles(LifeCycle.sliding(8), LifeCycle.full())
                .pagesOf(3, 10)
                .model(COUNTING)
                .options(EngineOptions.of(4, 16, 64))
                .open()) {
            int[] ten = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109};
            // Step 3 samples an end token.
            Generation a = h.submit(endingWith(h.request(ten, 20), 2));
            h.tick(1); // submit 1
            assertThat(free(h)).containsExactly(0, 7);
            h.tick(1); // submit 2, await 1
            assertThat(evictable(h)).containsExactly(0, 0);
            h.tick(1); // submit 3, await 2: A0S leaves the window
            assertThat(evictable(h)).containsExactly(1, 0);
            h.tick(1); // submit 4 takes the slot of A0S for block 3; await 3: the end
            assertThat(free(h)).containsExactly(0, 6);
            assertThat(evictable(h)).containsExactly(0, 0);
            EngineHarness.Output out = EngineHarness.result(a);
            assertThat(out.tokens()).containsExactly(0, 1, 2);
            assertThat(out.reason()).isEqualTo(FinishReason.STOP);
            assertThat(h.engine.stats().running()).isZero();
            h.tick(1); // await 4, whose row was superfluous
            assertThat(h.executor.superfluousRows()).isEqualTo(1);
            assertThat(free(h)).containsExactly(1, 7);
            assertThat(evictable(h)).containsExactly(2, 3);
            assertThat(h.heldPages()).isZero();

            int[] known = {100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 0, 1};
            assertThat(matched(h, known, 12)).isEqualTo(12);
            assertThat(matched(h, known, 11)).isEqualTo(11);
            assertThat(matched(h, known, 10)).isZero();
            assertThat(matched(h, known, 9)).isZero();
        }
    }

    /** What is found of a prompt that shares so many tokens and then differs. */
    private static int matched(EngineHarness h, int[] known, int shared) {
        int[] tokens = Arrays.copyOf(known, shared + 1);
        tokens[shared] = 999;
        return h.kv.match(h.prompt(tokens), shared + 1).tokens();
    }

    private static List<Integer> free(EngineHarness h) {
        return device(h).stream().map(KvStats.Pool::free).toList();
    }

    private static List<Integer> evictable(EngineHarness h) {
        return device(h).stream().map(KvStats.Pool::evictable).toList();
    }

    private static List<KvStats.Pool> device(EngineHarness h) {
        return h.kv.stats().pools().stream()
                .filter(p -> p.tier() == Tier.DEVICE)
                .toList();
    }

    /** Why a device that computes on the engine thread does better without: nothing is gained, and this is lost. */
    @Test
    void aPromptThatComesWhileAStepIsInFlightHasItsFirstTokenOneStepLater() throws Exception {
        long[] steps = new long[2];
        for (int i = 0; i < 2; i++) {
            try (EngineHarness h = EngineHarness.setup().overlap(i == 1).open()) {
                h.submit(prompt(1, 5), 100);
                h.tick(10);
                long before = h.engine.stats().steps();
                Generation late = h.submit(prompt(2, 5), 1);
                TokenBatch batch = new TokenBatch();
                while (!late.take(batch, 0)) {
                    h.tick(1);
                }
                steps[i] = h.engine.stats().steps() - before;
            }
        }
        assertThat(steps).containsExactly(1, 2);
    }

    // ---- ends

    @Test
    void anEndByLengthLeavesNoSuperfluousRun() throws Exception {
        try (EngineHarness h = setup().open()) {
            Generation one = h.submit(prompt(1, 5), 1);
            Generation seven = h.submit(prompt(2, 5), 7);
            h.runUntilIdle();
            assertThat(EngineHarness.result(one).tokens()).hasSize(1);
            assertThat(EngineHarness.result(seven).tokens()).hasSize(7);
            assertThat(h.executor.superfluousRows()).isZero();
            assertThat(h.engine.stats().steps()).isEqualTo(7);
        }
    }

    @Test
    void theClientHearsOfTheEndBeforeItsPagesAreBack() throws Exception {
        try (EngineHarness h = setup().model(COUNTING).open()) {
            Generation g = h.submit(endingWith(h.request(prompt(1, 5), 50), 3));
            TokenBatch batch = new TokenBatch();
            int turns = 0;
            while (!batch.finished) {
                h.tick(1);
                turns++;
                g.take(batch, 0);
            }
            // One turn to fill the pipeline, four tokens.
            assertThat(turns).isEqualTo(5);
            assertThat(h.heldPages()).isPositive();
            assertThat(h.engine.stats().running()).isZero();
            h.tick(1);
            assertThat(h.heldPages()).isZero();
            assertThat(h.engine.tick()).isEqualTo(EngineLoop.IDLE);
        }
    }

    @Test
    void whatASuperfluousRunHasWrittenIsNeverFound() throws Exception {
        try (EngineHarness h = setup().model(COUNTING).tokensPerBlock(4).open()) {
            // The end token, the 4th, would fill the second block: 5 + 3 tokens have KV, the superfluous run writes
            // more.
            h.submit(endingWith(h.request(prompt(1, 5), 50), 3));
            h.runUntilIdle();
            assertThat(h.executor.superfluousRows()).isEqualTo(1);
            int[] longer = Arrays.copyOf(prompt(1, 5), 12);
            System.arraycopy(new int[] {0, 1, 2, 3, 7, 7, 7}, 0, longer, 5, 7);
            assertThat(h.kv.match(h.prompt(longer), 12).tokens()).isEqualTo(8);
        }
    }

    @Test
    void aCancelledRequestsPagesAreBackWithinOneStep() throws Exception {
        Seeds.forEach(20, random -> {
            try (EngineHarness h = setup().options(EngineOptions.of(4, 16, 512)).open()) {
                Generation other = h.submit(prompt(1, 4), 400);
                h.tick(3);
                Generation g = h.submit(prompt(2, 100), 300);
                h.tick(1 + random.nextInt(30));
                int held = h.heldPages();
                long steps = h.engine.stats().steps();
                g.cancel();
                h.tick(1);
                assertThat(h.engine.stats().steps()).isEqualTo(steps + 1);
                assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
                int others = h.heldPages();
                assertThat(others).isLessThan(held);
                other.cancel();
                h.tick(1);
                assertThat(h.heldPages()).isZero();
            }
        });
    }

    @Test
    void slotsOfEndedSequencesAreNotGivenAwayBeforeTheirLastRunHasLanded() throws Exception {
        try (EngineHarness h =
                setup().options(EngineOptions.of(2, 16, 64)).model(COUNTING).open()) {
            h.executor.onStep((step, plan) -> {
                long distinct =
                        Arrays.stream(plan.slot, 0, plan.runs).distinct().count();
                assertThat(distinct).isEqualTo(plan.runs);
                return new boolean[0];
            });
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                all.add(h.submit(endingWith(h.request(prompt(i, 5), 50), i % 5)));
            }
            h.runUntilIdle();
            for (int i = 0; i < 30; i++) {
                assertThat(EngineHarness.result(all.get(i)).tokens()).hasSize(i % 5 + 1);
            }
        }
    }

    // ---- failures

    @Test
    void failedRowsEndTheirRequestAloneThoughTheNextStepIsInFlight() {
        Seeds.forEach(20, random -> {
            int bad = 2 + random.nextInt(30);
            try (EngineHarness h = setup().options(EngineOptions.of(4, 16, 512))
                    .pages(80)
                    .hostPages(random.nextInt(2) * 40)
                    .open()) {
                h.executor.onStep((step, plan) -> {
                    boolean[] failed = new boolean[step == bad || step == bad + 1 ? plan.runs : 0];
                    if (failed.length > 0) {
                        failed[random.nextInt(failed.length)] = true;
                    }
                    return failed;
                });
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    all.add(h.submit(prompt(i, 40), 30));
                }
                h.runUntilIdle();
                int errors = 0;
                for (int i = 0; i < 6; i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    errors += out.reason() == FinishReason.ERROR ? 1 : 0;
                    assertThat(out.tokens()).isEqualTo(Arrays.copyOf(expected(prompt(i, 40), 30), out.tokens().length));
                    assertThat(out.reason() == FinishReason.ERROR || out.tokens().length == 30)
                            .isTrue();
                }
                assertThat(errors).isBetween(1, 2);
                h.booksBalance();
                for (int i = 0; i < 6; i++) {
                    Generation again = h.submit(prompt(i, 40), 30);
                    h.runUntilIdle();
                    assertThat(EngineHarness.result(again).tokens()).isEqualTo(expected(prompt(i, 40), 30));
                }
            }
        });
    }

    @Test
    void aDeviceLostInEitherStepEndsEverybodyAndLeavesNothing() {
        Seeds.forEach(20, random -> {
            int bad = 1 + random.nextInt(25);
            try (EngineHarness h = setup().options(EngineOptions.of(3, 16, 512))
                    .pages(60)
                    .hostPages(random.nextInt(2) * 40)
                    .model(COUNTING)
                    .open()) {
                h.executor.delayCopies(random.nextInt(3));
                h.executor.onStep((step, plan) -> {
                    if (step == bad) {
                        throw new StepFailure.DeviceLost("it is gone", new IllegalStateException("test"));
                    }
                    return new boolean[0];
                });
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 8; i++) {
                    all.add(h.submit(endingWith(h.request(prompt(i, 30), 60), 2 + random.nextInt(60))));
                }
                for (int i = 0; i < 200; i++) {
                    h.engine.tick();
                }
                int errors = 0;
                for (Generation g : all) {
                    EngineHarness.Output out = EngineHarness.result(g);
                    errors += out.reason() == FinishReason.ERROR ? 1 : 0;
                    assertThat(out.error().isEmpty() || out.error().equals("the device was lost: it is gone"))
                            .isTrue();
                }
                assertThat(errors).isPositive();
                assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.FAILED);
                assertThat(h.engine.stats().running() + h.engine.stats().waiting())
                        .isZero();
                assertThat(h.heldPages()).isZero();
            }
        });
    }

    @Test
    void anEngineThatIsClosedWithAStepInFlightGivesEverythingBack() throws Exception {
        EngineHarness h = setup().open();
        Generation g = h.submit(prompt(1, 5), 100);
        h.tick(10);
        h.close();
        assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
        assertThat(h.heldPages()).isZero();
    }

    // ---- room

    /** Examples 16 and 17: the same text, by computing again or by way of the host. */
    @ParameterizedTest
    @EnumSource(EngineOptions.Preemption.class)
    void examples16And17TheYoungerOneGivesWay(EngineOptions.Preemption how) throws Exception {
        boolean host = how != EngineOptions.Preemption.RECOMPUTE;
        for (boolean overlap : new boolean[] {false, true}) {
            try (EngineHarness h = EngineHarness.setup()
                    .lifeCycles(LifeCycle.full())
                    .pages(6)
                    .hostPages(host ? 4 : 0)
                    .options(EngineOptions.of(2, 16, 32).withPreemption(how))
                    .overlap(overlap)
                    .open()) {
                int[] first = {0, 1, 2, 3, 4, 5, 6, 7};
                int[] second = {100, 101, 102, 103, 104, 105, 106, 107};
                Generation a = h.submit(first, 6);
                Generation b = h.submit(second, 7);
                h.runUntilIdle();
                assertThat(EngineHarness.result(a).tokens()).isEqualTo(expected(first, 6));
                assertThat(EngineHarness.result(b).tokens()).isEqualTo(expected(second, 7));
                EngineStats.Preemption p = h.engine.stats().preemption();
                assertThat(p.suspensions()).isEqualTo(host ? 1 : 0);
                assertThat(p.recomputations()).isEqualTo(host ? 0 : 1);
                assertThat(p.drains()).isEqualTo(overlap ? 1 : 0);
                if (!host) {
                    // 12 tokens of B had KV; 8 of them are found again.
                    assertThat(p.recomputedTokens()).isEqualTo(4);
                } else {
                    assertThat(p.recomputedTokens()).isZero();
                }
                h.booksBalance();
            }
        }
    }

    @Test
    void aStepOfCopiesAloneIsAwaitedNotSpunFor() throws Exception {
        try (EngineHarness h = setup().lifeCycles(LifeCycle.full())
                .pages(12)
                .hostPages(40)
                .options(EngineOptions.of(2, 64, 64))
                .open()) {
            h.submit(prompt(1, 40), 1);
            h.runUntilIdle();
            h.submit(prompt(2, 40), 1);
            h.runUntilIdle();
            h.executor.holdCopies(true);
            long steps = h.engine.stats().steps();
            Generation again = h.submit(prompt(1, 40), 1);
            h.runUntilIdle();
            EngineHarness.Output out = EngineHarness.result(again);
            assertThat(out.tokens()).isEqualTo(expected(prompt(1, 40), 1));
            assertThat(out.cachedTokens()).isPositive();
            // Steps that wait for copies, and one that computes.
            assertThat(h.engine.stats().steps() - steps).isBetween(2L, 4L);
        }
    }

    @Test
    void aRunWhoseCopiesAreUnderWayIsNotPlannedAndTheOthersGoOn() throws Exception {
        try (EngineHarness h = setup().lifeCycles(LifeCycle.full())
                .pages(24)
                .hostPages(40)
                .options(EngineOptions.of(2, 64, 128))
                .open()) {
            h.submit(prompt(1, 40), 1);
            h.runUntilIdle();
            h.submit(prompt(2, 80), 1);
            h.runUntilIdle();
            Generation runs = h.submit(prompt(3, 4), 60);
            h.tick(3);
            h.executor.holdCopies(true);
            Generation waits = h.submit(prompt(1, 40), 1);
            TokenBatch batch = new TokenBatch();
            runs.take(batch, 0);
            for (int i = 0; i < 20; i++) {
                h.tick(1);
                assertThat(runs.take(batch, 0)).isTrue();
                assertThat(batch.count).isEqualTo(1);
                assertThat(waits.take(new TokenBatch(), 0)).isFalse();
            }
            h.executor.holdCopies(false);
            h.runUntilIdle();
            EngineHarness.Output out = EngineHarness.result(waits);
            assertThat(out.cachedTokens()).isPositive();
            assertThat(out.tokens()).isEqualTo(expected(prompt(1, 40), 1));
        }
    }
}
