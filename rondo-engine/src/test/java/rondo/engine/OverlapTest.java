package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** The step in flight: nothing that a client sees depends on it. */
class OverlapTest {
    private static final int BLOCK = 4;

    private static int[] prompt(int seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 200).toArray();
    }

    @Test
    void everyRequestGivesWhatItGivesAloneWithAndWithoutAStepInFlight() {
        long[] seen = new long[4];
        Seeds.forEach(60, random -> {
            Workload work = new Workload(random, 14, 60, 30, BLOCK);
            int pages = 28 + random.nextInt(60);
            EngineOptions options = EngineOptions.of(1 + random.nextInt(6), 3 + random.nextInt(40), 96)
                    .withPrefixAware(random.nextBoolean());
            boolean reuse = random.nextInt(4) > 0;
            for (boolean overlap : new boolean[] {true, false}) {
                Workload again = work.again();
                try (EngineHarness h = EngineHarness.setup()
                        .options(options)
                        .overlap(overlap)
                        .vocabulary(work.vocabulary())
                        .pages(pages)
                        .reuse(reuse)
                        .open()) {
                    again.runAndCheck(h);
                    if (overlap) {
                        seen[0] += h.executor.overlappedSteps();
                        seen[1] += h.executor.superfluousRows();
                        seen[2] += h.engine.stats().preemption().recomputations();
                        seen[3] += h.engine.stats().preemption().drains();
                    } else {
                        assertThat(h.executor.overlappedSteps()).isZero();
                        assertThat(h.executor.superfluousRows()).isZero();
                        assertThat(h.engine.stats().preemption().drains()).isZero();
                    }
                }
            }
        });
        assertThat(seen).doesNotContain(0);
    }
}
