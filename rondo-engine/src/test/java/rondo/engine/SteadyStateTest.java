package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SteadyStateTest {
    private static final int SEQUENCES = 32;
    private static final int STEPS = 10_000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tenThousandDecodeStepsAllocateNothing(boolean overlap) throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(SEQUENCES, 4096, 58_000))
                .overlap(overlap)
                .tokensPerBlock(32)
                .pages(SEQUENCES * 1820)
                .time(new ManualClock())
                .model((tokens, count, position, vocabulary) -> tokens[count - 1] + 1 & 511)
                .open()) {
            h.executor.readNewest(1);
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < SEQUENCES; i++) {
                all.add(h.submit(new SplittableRandom(i).ints(50, 0, 500).toArray(), 57_000));
            }
            TokenBatch batch = new TokenBatch();
            // Until the code is compiled and the takers give their chunks back: the compiler makes objects of its own
            // when
            // it takes code back, on a busy machine late.
            run(h, all, batch, 1000);
            for (int i = 0; i < 10 && allocated(h, all, batch, 2000) > 0; i++) {}
            long least = Long.MAX_VALUE;
            for (int i = 0; i < 3 && least > 0; i++) {
                least = Math.min(least, allocated(h, all, batch, STEPS));
            }
            assertThat(h.engine.stats().running()).isEqualTo(SEQUENCES);
            assertThat(h.engine.stats().generatedTokens()).isGreaterThan((long) STEPS * SEQUENCES);
            assertThat(least).isZero();
        }
    }

    private static long allocated(EngineHarness h, List<Generation> all, TokenBatch batch, int steps) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        run(h, all, batch, steps);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void run(EngineHarness h, List<Generation> all, TokenBatch batch, int steps) {
        for (int step = 0; step < steps; step++) {
            h.engine.tick();
            if (step % 16 == 15) {
                for (int i = 0; i < all.size(); i++) {
                    all.get(i).take(batch, 0);
                }
            }
        }
    }
}
