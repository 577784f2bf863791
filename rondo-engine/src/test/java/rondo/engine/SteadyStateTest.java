package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
    @Test
    void decodingAllocatesNextToNothing() throws Exception {
        int sequences = 64;
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(sequences, 4096, 8192))
                .tokensPerBlock(32)
                .pages(sequences * 260)
                .time(new ManualClock())
                .model((tokens, count, position, vocabulary) -> tokens[count - 1] + 1 & 511)
                .open()) {
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < sequences; i++) {
                all.add(h.submit(new SplittableRandom(i).ints(50, 0, 500).toArray(), 8000));
            }
            TokenBatch batch = new TokenBatch();
            h.tick(200);
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int step = 0; step < 1000; step++) {
                h.engine.tick();
                if (step % 16 == 15) {
                    for (Generation g : all) {
                        g.take(batch, 0);
                    }
                }
            }
            long bytes = threads.getCurrentThreadAllocatedBytes() - before;
            // The growth of the sequences themselves: their tokens and keys, the tree's nodes.
            assertThat(bytes / 1000 / sequences).isLessThan(64);
        }
    }
}
