package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** What users of other servers report of cancelled requests, as tests on the stub model; each names its row. */
class CancelReportsTest {
    private static final int VOCABULARY = 1000;
    private static final long STAYS = 5 << 20;

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, VOCABULARY).toArray();
    }

    private static int[] expected(int[] prompt, int count) {
        return EngineHarness.expected(NextToken.hashed(), VOCABULARY, prompt, count);
    }

    /** R050: who leaves before it was ever scheduled leaves the queue, and nothing else changes. */
    @Test
    void whoLeavesTheQueueInAnyOrderLeavesItRight() {
        Seeds.forEach(10, random -> {
            try (EngineHarness h =
                    EngineHarness.setup().options(EngineOptions.of(1, 64, 512)).open()) {
                Generation running = h.submit(random(0, 20), 60);
                h.tick(2);
                List<Generation> waiting = new ArrayList<>();
                long tokens = 0;
                for (int i = 1; i <= 10; i++) {
                    waiting.add(h.submit(random(i, 5 + i), 10));
                    tokens += 5 + i;
                }
                while (!waiting.isEmpty()) {
                    int leaves = random.nextInt(waiting.size());
                    Generation g = waiting.remove(leaves);
                    g.cancel();
                    h.tick(1);
                    assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
                    assertThat(h.engine.stats().waiting()).isEqualTo(waiting.size());
                    assertThat(h.engine.stats().waitingTokens()).isLessThan(tokens);
                    assertThat(h.engine.stats().running()).isEqualTo(1);
                }
                assertThat(h.engine.stats().waitingTokens()).isZero();
                h.runUntilIdle();
                assertThat(EngineHarness.result(running).tokens()).isEqualTo(expected(random(0, 20), 60));
                h.booksBalance();
            }
        });
    }

    /** R046: whoever leaves, in whatever phase, is out within two turns, and the next request is served at once. */
    @Test
    void oneHundredLeaveInEachPhaseAndNothingStays() throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(2, 32, 512))
                .pages(300)
                .open()) {
            for (int i = 0; i < 100; i++) {
                int phase = i % 4;
                Generation other = phase == 0 ? h.submit(random(5, 30), 400) : null;
                Generation third = phase == 0 ? h.submit(random(6, 30), 400) : null;
                h.tick(phase == 0 ? 3 : 0);
                // Queued, in its prefill, with its first token, in its decode.
                Generation g = h.submit(random(100 + i, 96), 300);
                h.tick(new int[] {2, 2, 3, 20}[phase]);
                g.cancel();
                if (other != null && third != null) {
                    other.cancel();
                    third.cancel();
                }
                h.tick(2);
                assertThat(EngineHarness.result(g).reason()).isEqualTo(FinishReason.CANCELLED);
                h.runUntilIdle();
                h.booksBalance();
                long steps = h.engine.stats().steps();
                Generation next = h.submit(random(1000 + i, 10), 1);
                h.tick(1);
                assertThat(EngineHarness.result(next).tokens()).hasSize(1);
                assertThat(h.engine.stats().steps()).isEqualTo(steps + 1);
                h.runUntilIdle();
            }
        }
    }

    /** R048: nothing of a request stays when it has ended. */
    @Test
    void twentyThousandRequestsOfWhichHalfLeaveLeaveNoHeap() throws Exception {
        requestsLeaveNoHeap(20_000);
    }

    @Test
    @Tag("long")
    void twoHundredThousandRequestsOfWhichHalfLeaveLeaveNoHeap() throws Exception {
        requestsLeaveNoHeap(200_000);
    }

    private static void requestsLeaveNoHeap(int count) throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(16, 64, 128))
                .pages(200)
                .open()) {
            churn(h, 2_000, 0);
            long before = heap();
            churn(h, count, 2_000);
            assertThat(heap() - before).as("bytes that stay").isLessThan(STAYS);
            assertThat(h.engine.stats().cancelled()).isBetween(count / 4L, (long) count);
            h.booksBalance();
        }
    }

    private static void churn(EngineHarness h, int count, int from) throws Exception {
        SplittableRandom random = new SplittableRandom(48 + from);
        for (int i = 0; i < count; i++) {
            Generation g =
                    h.submit(random.ints(1 + random.nextInt(20), 0, VOCABULARY).toArray(), 1 + random.nextInt(6));
            if (i % 2 == 0) {
                h.tick(random.nextInt(3));
                g.cancel();
            }
            h.tick(1 + random.nextInt(2));
        }
        h.runUntilIdle();
    }

    private static long heap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
