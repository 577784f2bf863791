package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Seeds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepFailure;
import rondo.kv.Retention;

/** How generations begin and end: stops, cancels, limits, failures. */
class LifeTest {
    private static final NextToken COUNTING = (tokens, count, position, vocabulary) -> position;

    private static int[] prompt(int seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    private static GenerationRequest with(GenerationRequest r, StopRules stop) {
        return GenerationRequest.of(r.id(), r.prompt(), r.maxTokens(), r.sampling(), stop);
    }

    private static EngineHarness.Output run(EngineHarness h, GenerationRequest request) throws Exception {
        Generation g = h.submit(request);
        h.runUntilIdle();
        return EngineHarness.result(g);
    }

    // ---- ends by tokens

    @Test
    void anEndTokenEndsAndIsTheLastOneDelivered() throws Exception {
        try (EngineHarness h = EngineHarness.setup().model(COUNTING).open()) {
            GenerationRequest plain = h.request(prompt(1, 5), 50);
            EngineHarness.Output out = run(h, with(plain, StopRules.endingWith(99, 7)));
            assertThat(out.tokens()).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
            assertThat(out.reason()).isEqualTo(FinishReason.STOP);
            assertThat(out.stopToken()).isEqualTo(-1);
            out = run(h, with(plain, new StopRules(new int[] {7}, new int[] {5}, false, 0)));
            assertThat(out.tokens()).containsExactly(0, 1, 2, 3, 4, 5);
            assertThat(out.stopToken()).isEqualTo(5);
            out = run(h, with(plain, new StopRules(new int[] {7}, new int[0], true, 0)));
            assertThat(out.tokens()).hasSize(50);
            assertThat(out.reason()).isEqualTo(FinishReason.LENGTH);
        }
    }

    @Test
    void beforeTheMinimumNoEndAndNoStopTokenIsSampled() throws Exception {
        // The stub takes the next allowed token where its own is masked.
        try (EngineHarness h = EngineHarness.setup()
                .model((tokens, count, position, vocabulary) -> 7)
                .open()) {
            GenerationRequest plain = h.request(prompt(1, 5), 50);
            EngineHarness.Output out = run(h, with(plain, new StopRules(new int[] {7}, new int[] {8}, false, 4)));
            assertThat(out.tokens()).containsExactly(9, 9, 9, 9, 7);
            assertThat(out.reason()).isEqualTo(FinishReason.STOP);
        }
    }

    /** Allows everything, until it fails. */
    private record Failing(boolean inMask, int[] accepted) implements TokenConstraint {
        @Override
        public boolean accept(int token) {
            failAfterThree(!inMask);
            accepted[0]++;
            return true;
        }

        @Override
        public void rollback(int tokens) {}

        @Override
        public boolean fill(MemorySegment bits) {
            failAfterThree(inMask);
            return false;
        }

        @Override
        public boolean mayEnd() {
            return true;
        }

        private void failAfterThree(boolean here) {
            if (here && accepted[0] == 3) {
                throw new IllegalStateException("too ambiguous");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aGrammarThatCannotBeFollowedEndsItsOwnRequestOnly(boolean inMask) throws Exception {
        for (boolean overlap : new boolean[] {false, true}) {
            try (EngineHarness h =
                    EngineHarness.setup().overlap(overlap).model(COUNTING).open()) {
                Generation other = h.submit(h.request(prompt(1, 5), 20));
                Generation bad = h.submit(ColdTwin.with(h.request(prompt(2, 5), 20), new Failing(inMask, new int[1])));
                h.runUntilIdle();
                assertThat(EngineHarness.result(other).tokens()).hasSize(20);
                EngineHarness.Output out = EngineHarness.result(bad);
                assertThat(out.reason()).isEqualTo(FinishReason.ERROR);
                assertThat(out.error()).contains("too ambiguous");
                assertThat(out.tokens()).containsExactly(0, 1, 2);
                assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.READY);
            }
        }
    }

    @Test
    void aGrammarDecidesWhichTokensMayCome() throws Exception {
        List<Integer> accepted = new ArrayList<>();
        TokenConstraint even = new TokenConstraint() {
            @Override
            public boolean accept(int token) {
                accepted.add(token);
                return token % 2 == 0;
            }

            @Override
            public void rollback(int tokens) {}

            @Override
            public boolean fill(MemorySegment bits) {
                for (long i = 0; i < bits.byteSize() / 8; i++) {
                    bits.setAtIndex(ValueLayout.JAVA_LONG, i, accepted.size() < 5 ? 0x5555_5555_5555_5555L : 0);
                }
                return true;
            }

            @Override
            public boolean mayEnd() {
                return false;
            }
        };
        try (EngineHarness h = EngineHarness.setup().model(COUNTING).open()) {
            GenerationRequest plain = h.request(prompt(1, 5), 50);
            EngineHarness.Output out = run(
                    h,
                    new GenerationRequest(
                            "g", plain.prompt(), 50, plain.sampling(), plain.stop(), -1, even, Retention.of(5), 0.5));
            assertThat(out.tokens()).containsExactly(0, 2, 2, 4, 4);
            assertThat(accepted).containsExactly(0, 2, 2, 4, 4);
            assertThat(out.reason()).isEqualTo(FinishReason.ERROR);
            assertThat(out.error()).startsWith("empty_mask");
            assertThat(h.heldPages()).isZero();
        }
    }

    @Test
    void logprobsComeWithTheirTokens() throws Exception {
        try (EngineHarness h = EngineHarness.setup().model(COUNTING).open()) {
            GenerationRequest plain = h.request(prompt(1, 5), 300);
            Generation g = h.submit(new GenerationRequest(
                    "l",
                    plain.prompt(),
                    300,
                    SamplingParams.greedy(),
                    plain.stop(),
                    2,
                    TokenConstraint.NONE,
                    Retention.of(5),
                    0.5));
            h.runUntilIdle();
            TokenBatch batch = new TokenBatch();
            assertThat(g.take(batch, 0)).isTrue();
            assertThat(batch.count).isEqualTo(300);
            for (int i = 0; i < 300; i++) {
                assertThat(batch.tokens[i]).isEqualTo(i);
                assertThat(batch.logprobs[i]).isEqualTo(StubSampling.logprob(i));
                assertThat(batch.alternatives[20 * i]).isEqualTo(i);
                assertThat(batch.alternatives[20 * i + 1]).isEqualTo(i + 1);
                assertThat(batch.alternativeLogprobs[20 * i + 1]).isEqualTo(-1.5f);
            }
        }
    }

    // ---- ends by the owner

    @Test
    void stopAtDeliversNothingBeyondAndReturnsThePages() throws Exception {
        try (EngineHarness h = EngineHarness.setup().model(COUNTING).open()) {
            Generation g = h.submit(prompt(1, 5), 400);
            h.tick(11);
            TokenBatch batch = new TokenBatch();
            assertThat(g.take(batch, 0)).isTrue();
            assertThat(batch.count).isGreaterThan(5);
            Generation ahead = h.submit(prompt(2, 5), 400);
            h.tick(11);
            ahead.stopAt(4, FinishReason.STOP);
            g.stopAt(batch.count, FinishReason.STOP);
            h.tick(1);
            assertThat(h.heldPages()).isZero();
            EngineHarness.Output rest = EngineHarness.result(g);
            assertThat(rest.tokens()).isEmpty();
            assertThat(rest.reason()).isEqualTo(FinishReason.STOP);
            assertThat(EngineHarness.result(ahead).tokens()).containsExactly(0, 1, 2, 3);
            assertThat(g.take(batch, 0)).isFalse();
        }
    }

    @Test
    void aStopFoundInTimeWinsOverTheLimitThatCameAfterIt() throws Exception {
        try (EngineHarness h = EngineHarness.setup().model(COUNTING).open()) {
            Generation g = h.submit(prompt(1, 5), 10);
            h.runUntilIdle();
            g.stopAt(7, FinishReason.STOP);
            EngineHarness.Output out = EngineHarness.result(g);
            assertThat(out.tokens()).hasSize(7);
            assertThat(out.reason()).isEqualTo(FinishReason.STOP);
        }
    }

    @Test
    void cancelReturnsThePagesInOneTurnWhateverTheStateIs() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(2, 16, 1024)).open()) {
            Generation decoding = h.submit(prompt(1, 5), 400);
            h.tick(3);
            Generation prefilling = h.submit(prompt(2, 200), 400);
            h.tick(3);
            Generation queued = h.submit(prompt(3, 20), 400);
            h.tick(3);
            assertThat(h.engine.stats().running()).isEqualTo(2);
            assertThat(h.engine.stats().waiting()).isEqualTo(1);
            assertThat(h.engine.stats().waitingTokens()).isEqualTo(20);

            queued.cancel();
            h.tick(1);
            assertThat(h.engine.stats().waiting()).isZero();
            assertThat(h.engine.stats().waitingTokens()).isZero();
            assertThat(EngineHarness.result(queued).reason()).isEqualTo(FinishReason.CANCELLED);

            int before = h.heldPages();
            prefilling.cancel();
            h.tick(1);
            assertThat(h.heldPages()).isLessThan(before);
            assertThat(EngineHarness.result(prefilling).reason()).isEqualTo(FinishReason.CANCELLED);

            decoding.cancel();
            h.tick(1);
            assertThat(h.heldPages()).isZero();
            assertThat(EngineHarness.result(decoding).reason()).isEqualTo(FinishReason.CANCELLED);
            decoding.cancel();
            assertThat(h.engine.tick()).isEqualTo(EngineLoop.IDLE);
            assertThat(h.engine.stats().cancelled()).isEqualTo(3);
            assertThat(h.engine.stats().running()).isZero();
        }
    }

    // ---- many ends at once

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void twoHundredRandomEndsLeaveNoPageAndNoThread(boolean overlap) throws Exception {
        int threads = rondoThreads();
        SplittableRandom random = new SplittableRandom(6);
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(8, 48, 256))
                .overlap(overlap)
                .pages(120)
                .start()) {
            h.executor.onStep((step, plan) -> {
                boolean[] failed = new boolean[step % 17 == 0 ? plan.runs : 0];
                if (failed.length > 0) {
                    failed[(int) (step % failed.length)] = true;
                }
                return failed;
            });
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                Generation g = h.submit(prompt(random.nextInt(20), 1 + random.nextInt(120)), 1 + random.nextInt(60));
                all.add(g);
                Generation other = all.get(random.nextInt(all.size()));
                switch (random.nextInt(4)) {
                    case 0 -> other.cancel();
                    case 1 -> other.stopAt(random.nextInt(20), FinishReason.STOP);
                    default -> {}
                }
            }
            int[] ends = new int[FinishReason.values().length];
            for (Generation g : all) {
                ends[EngineHarness.result(g, 20).reason().ordinal()]++;
            }
            // An end is told at once; the pages of a run that is in flight come back with it.
            h.engine.drain();
            assertThat(h.engine.awaitDrained(TimeUnit.SECONDS.toNanos(20))).isTrue();
            EngineStats stats = h.engine.stats();
            assertThat(stats.running() + stats.waiting()).isZero();
            assertThat(stats.finished() + stats.cancelled() + stats.failed()).isEqualTo(200);
            assertThat(stats.kv().pools()).allMatch(p -> p.held() == 0);
            assertThat(ends[FinishReason.LENGTH.ordinal()]).isPositive();
            assertThat(ends[FinishReason.STOP.ordinal()]).isPositive();
            assertThat(ends[FinishReason.CANCELLED.ordinal()]).isPositive();
            assertThat(ends[FinishReason.ERROR.ordinal()]).isPositive();
        }
        assertThat(rondoThreads()).isEqualTo(threads);
    }

    @Test
    void manyThreadsMaySubmitTakeAndCancelAtOnce() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(8, 64, 256)).start()) {
            List<Thread> clients = new ArrayList<>();
            List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
            for (int c = 0; c < 8; c++) {
                int seed = c;
                clients.add(Thread.startVirtualThread(() -> {
                    try {
                        for (int i = 0; i < 40; i++) {
                            int[] prompt = prompt(100 * seed + i, 1 + (seed * 7 + i) % 50);
                            Generation g = h.submit(prompt, 20);
                            if (i % 5 == 4) {
                                g.cancel();
                                EngineHarness.result(g, 20);
                            } else {
                                assertThat(EngineHarness.result(g, 20).tokens())
                                        .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt, 20));
                            }
                        }
                    } catch (Throwable e) {
                        wrong.add(e);
                    }
                }));
            }
            for (Thread client : clients) {
                client.join();
            }
            assertThat(wrong).isEmpty();
        }
    }

    private static int rondoThreads() {
        int count = 0;
        for (Thread t : Thread.getAllStackTraces().keySet()) {
            count += t.getName().startsWith("rondo-engine") ? 1 : 0;
        }
        return count;
    }

    // ---- limits

    /** R121: by requests and by tokens. */
    @Test
    void aFullQueueRefuses() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 16, 512).withQueue(EngineOptions.QueueOrder.FCFS, 2, 50))
                .open()) {
            Generation running = h.submit(prompt(1, 5), 100);
            h.tick(1);
            h.submit(prompt(2, 5), 10);
            assertThatThrownBy(() -> h.submit(prompt(3, 46), 10))
                    .isInstanceOf(QueueFull.class)
                    .hasMessage("the waiting queue is full (rondo.max_queued_tokens=50)");
            h.submit(prompt(3, 45), 10);
            assertThatThrownBy(() -> h.submit(prompt(4, 1), 10))
                    .isInstanceOf(QueueFull.class)
                    .hasMessage("the waiting queue is full (rondo.max_queue_size=2)");
            running.cancel();
            h.tick(2);
            h.submit(prompt(4, 1), 10);
            h.runUntilIdle();
            assertThat(h.engine.stats().finished()).isEqualTo(3);
        }
    }

    @Test
    void whoWaitsOrRunsTooLongIsEnded() throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 16, 512).withTimeouts(100, 300))
                .time(clock)
                .open()) {
            Generation running = h.submit(prompt(1, 5), 400);
            Generation waiting = h.submit(prompt(2, 5), 400);
            h.tick(5);
            clock.advanceMillis(101);
            h.tick(1);
            assertThat(EngineHarness.result(waiting).reason()).isEqualTo(FinishReason.TIMEOUT);
            assertThat(h.engine.stats().running()).isEqualTo(1);
            clock.advanceMillis(200);
            h.tick(1);
            EngineHarness.Output out = EngineHarness.result(running);
            assertThat(out.reason()).isEqualTo(FinishReason.TIMEOUT);
            assertThat(out.tokens()).isNotEmpty();
            assertThat(h.heldPages()).isZero();
        }
    }

    @Test
    void timesAreThoseOfTheClock() throws Exception {
        ManualClock clock = new ManualClock();
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 4, 512))
                .time(clock)
                .open()) {
            Generation g = h.submit(prompt(1, 8), 3);
            for (int i = 0; i < 4; i++) {
                clock.advanceMillis(10);
                h.tick(1);
            }
            TokenBatch batch = new TokenBatch();
            assertThat(g.take(batch, 0)).isTrue();
            assertThat(batch.finished).isTrue();
            assertThat(batch.firstScheduledNanos - batch.arrivalNanos).isEqualTo(10_000_000);
            assertThat(batch.firstTokenNanos - batch.arrivalNanos).isEqualTo(20_000_000);
            assertThat(batch.lastTokenNanos - batch.arrivalNanos).isEqualTo(40_000_000);
        }
    }

    // ---- failures

    @Test
    void failedRowsFailTheirRequestOnly() {
        Seeds.forEach(10, random -> {
            int bad = 3 + random.nextInt(30);
            try (EngineHarness h =
                    EngineHarness.setup().options(EngineOptions.of(4, 16, 512)).open()) {
                int[] victim = {-1};
                h.executor.onStep((step, plan) -> {
                    if (step != bad || plan.runs == 0) {
                        return new boolean[0];
                    }
                    boolean[] failed = new boolean[plan.runs];
                    failed[random.nextInt(plan.runs)] = true;
                    victim[0] = 1;
                    return failed;
                });
                List<Generation> all = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    all.add(h.submit(prompt(i, 60), 30));
                }
                h.runUntilIdle();
                int errors = 0;
                for (int i = 0; i < 4; i++) {
                    EngineHarness.Output out = EngineHarness.result(all.get(i));
                    int[] right = EngineHarness.expected(NextToken.hashed(), 1000, prompt(i, 60), 30);
                    errors += out.reason() == FinishReason.ERROR ? 1 : 0;
                    assertThat(out.tokens()).isEqualTo(Arrays.copyOf(right, out.tokens().length));
                    assertThat(out.reason() == FinishReason.ERROR || out.tokens().length == 30)
                            .isTrue();
                }
                assertThat(errors).isEqualTo(1);
                assertThat(h.heldPages()).isZero();
                // What the failed step may have written is not found by the next one with the same prompt.
                for (int i = 0; i < 4; i++) {
                    Generation again = h.submit(prompt(i, 60), 30);
                    h.runUntilIdle();
                    assertThat(EngineHarness.result(again).tokens())
                            .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompt(i, 60), 30));
                }
            }
        });
    }

    @Test
    void aLostDeviceEndsEverybodyAndServesNoMore() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(1, 16, 512)).open()) {
            h.executor.onStep((step, plan) -> {
                if (step == 5) {
                    throw new StepFailure.DeviceLost("it is gone", new IllegalStateException("test"));
                }
                return new boolean[0];
            });
            Generation running = h.submit(prompt(1, 5), 100);
            Generation waiting = h.submit(prompt(2, 5), 100);
            h.runUntilIdle();
            assertThat(EngineHarness.result(running).error()).isEqualTo("the device was lost: it is gone");
            assertThat(EngineHarness.result(waiting).reason()).isEqualTo(FinishReason.ERROR);
            assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.FAILED);
            assertThat(h.heldPages()).isZero();
            assertThatThrownBy(() -> h.submit(prompt(3, 5), 1))
                    .isInstanceOf(NotServing.class)
                    .hasMessage("the engine is failed");
        }
    }

    /** R123: a dead loop is told. */
    @Test
    void anUnexpectedExceptionLeavesNobodyWaiting() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(1, 16, 512)).start()) {
            CountDownLatch bothAreThere = new CountDownLatch(1);
            h.executor.onStep((step, plan) -> {
                if (step == 20) {
                    awaitQuietly(bothAreThere);
                    throw new IllegalStateException("a bug");
                }
                return new boolean[0];
            });
            Generation running = h.submit(prompt(1, 5), 400);
            Generation waiting = h.submit(prompt(2, 5), 400);
            bothAreThere.countDown();
            assertThat(EngineHarness.result(running, 20).error()).contains("a bug");
            assertThat(EngineHarness.result(waiting, 20).error()).contains("a bug");
            assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.FAILED);
        }
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aListenerThatThrowsHurtsNobodyElse() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            Generation bad = h.engine.submit(h.request(prompt(1, 5), 5), g -> {
                throw new IllegalStateException("a bug of the listener");
            });
            Generation good = h.submit(prompt(2, 5), 5);
            h.runUntilIdle();
            assertThat(EngineHarness.result(good).tokens()).hasSize(5);
            assertThat(EngineHarness.result(bad).tokens()).hasSize(5);
        }
    }

    // ---- the end of the engine

    @Test
    void drainingFinishesWhatWasTakenAndTakesNoMore() throws Exception {
        try (EngineHarness h =
                EngineHarness.setup().options(EngineOptions.of(1, 16, 512)).start()) {
            Generation first = h.submit(prompt(1, 5), 100);
            Generation second = h.submit(prompt(2, 5), 100);
            h.engine.drain();
            assertThatThrownBy(() -> h.submit(prompt(3, 5), 1)).isInstanceOf(NotServing.class);
            assertThat(h.engine.awaitDrained(TimeUnit.SECONDS.toNanos(20))).isTrue();
            assertThat(EngineHarness.result(first).tokens()).hasSize(100);
            assertThat(EngineHarness.result(second).tokens()).hasSize(100);
        }
    }

    @Test
    void closingCancelsWhatIsLeft() throws Exception {
        EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(1, 16, 100_000))
                .pages(30_000)
                .start();
        Generation running = h.submit(prompt(1, 5), 90_000);
        Generation waiting = h.submit(prompt(2, 5), 100);
        TokenBatch batch = new TokenBatch();
        assertThat(running.take(batch, TimeUnit.SECONDS.toNanos(20))).isTrue();
        h.close();
        assertThat(EngineHarness.result(running, 20).reason()).isEqualTo(FinishReason.CANCELLED);
        assertThat(EngineHarness.result(waiting, 20).reason()).isEqualTo(FinishReason.CANCELLED);
        assertThat(h.engine.stats().state()).isEqualTo(EngineStats.State.STOPPED);
        assertThatThrownBy(() -> h.submit(prompt(3, 5), 1)).isInstanceOf(NotServing.class);
    }

    @Test
    void takeWaitsForTokensAndGivesUpAfterItsTime() throws Exception {
        try (EngineHarness h = EngineHarness.setup().open()) {
            Generation g = h.submit(prompt(1, 5), 3);
            TokenBatch batch = new TokenBatch();
            assertThat(g.take(batch, 0)).isFalse();
            assertThat(g.take(batch, 1_000)).isFalse();
            Thread engine = Thread.startVirtualThread(h::runUntilIdle);
            EngineHarness.Output out = EngineHarness.result(g, 20);
            assertThat(out.tokens()).hasSize(3);
            engine.join();
        }
    }
}
