package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code batch_wait_timeout_ms}: new requests wait for others, and never in vain. */
class BatchWaitTest {
    private final ManualClock clock = new ManualClock();
    /** Runs of each step. */
    private final List<Integer> runs = new ArrayList<>();

    private EngineHarness open(int batch, int tokens, long waitMillis) {
        EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(batch, tokens, 512).withBatchWait(waitMillis * 1000))
                .time(clock)
                .open();
        h.executor.onStep((step, plan) -> {
            runs.add(plan.runs);
            return new boolean[0];
        });
        return h;
    }

    private static int[] prompt(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 1000).toArray();
    }

    @Test
    void theyBeginTogetherWhenTheFirstHasWaitedSoLong() throws Exception {
        try (EngineHarness h = open(8, 64, 50)) {
            long start = clock.nanoTime();
            h.submit(prompt(1, 6), 2);
            assertThat(h.engine.tick()).as("the next turn is due then").isEqualTo(start + 50_000_000);
            clock.advanceMillis(30);
            h.submit(prompt(2, 6), 2);
            assertThat(h.engine.tick()).isEqualTo(start + 50_000_000);
            assertThat(h.engine.stats().waiting()).isEqualTo(2);
            assertThat(runs).isEmpty();
            clock.advanceMillis(20);
            h.tick(1);
            assertThat(runs).containsExactly(2);
            h.runUntilIdle();
            assertThat(h.engine.stats().finished()).isEqualTo(2);
            h.booksBalance();
        }
    }

    @Test
    void whoRunsIsNotHeldUp() throws Exception {
        try (EngineHarness h = open(8, 64, 50)) {
            h.submit(prompt(1, 6), 100);
            h.engine.tick();
            clock.advanceMillis(50);
            h.tick(3);
            h.submit(prompt(2, 6), 2);
            int before = runs.size();
            h.tick(3);
            assertThat(runs.subList(before, runs.size())).containsExactly(1, 1, 1);
            clock.advanceMillis(50);
            h.tick(1);
            assertThat(runs.getLast()).isEqualTo(2);
        }
    }

    @Test
    void aFullBatchWaitsForNobody() throws Exception {
        try (EngineHarness h = open(2, 64, 50)) {
            h.submit(prompt(1, 6), 2);
            h.submit(prompt(2, 6), 2);
            h.tick(1);
            assertThat(runs).containsExactly(2);
        }
    }

    @Test
    void aPromptThatFillsAStepWaitsForNobody() throws Exception {
        try (EngineHarness h = open(8, 16, 50)) {
            h.submit(prompt(1, 16), 2);
            h.tick(1);
            assertThat(runs).containsExactly(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatIsHeldCanLeaveAndAnEngineThatDrainsHoldsNobody(boolean cancel) throws Exception {
        try (EngineHarness h = open(8, 64, 50)) {
            Generation g = h.submit(prompt(1, 6), 2);
            h.tick(1);
            assertThat(runs).isEmpty();
            if (cancel) {
                g.cancel();
                assertThat(h.engine.tick()).isEqualTo(EngineLoop.IDLE);
                assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
            } else {
                h.engine.drain();
                h.tick(1);
                assertThat(runs).containsExactly(1);
            }
        }
    }

    @Test
    void withoutItNobodyWaits() throws Exception {
        try (EngineHarness h = open(8, 64, 0)) {
            h.submit(prompt(1, 6), 2);
            h.tick(1);
            assertThat(runs).containsExactly(1);
        }
    }

    /** The engine's own thread sleeps until then and no longer. */
    @Test
    void theEngineThreadWakesByItself() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(8, 64, 512).withBatchWait(5_000))
                .start()) {
            Generation g = h.submit(prompt(1, 6), 3);
            assertThat(EngineHarness.result(g, 20).tokens()).hasSize(3);
        }
    }
}
