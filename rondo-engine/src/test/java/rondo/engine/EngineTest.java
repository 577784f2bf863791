package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

class EngineTest {
    private static int[] randomPrompt(java.util.SplittableRandom random, int most) {
        return random.ints(1 + random.nextInt(most), 0, 1000).toArray();
    }

    @Test
    void batchedPromptsGiveWhatEachGivesAlone() {
        Seeds.forEach(10, random -> {
            try (EngineHarness h = EngineHarness.setup().open()) {
                List<int[]> prompts = new ArrayList<>();
                List<Generation> generations = new ArrayList<>();
                List<Integer> counts = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    prompts.add(randomPrompt(random, 150));
                    counts.add(1 + random.nextInt(30));
                    generations.add(h.submit(prompts.get(i), counts.get(i)));
                    h.tick(random.nextInt(4));
                }
                h.runUntilIdle();
                for (int i = 0; i < 20; i++) {
                    EngineHarness.Output out = EngineHarness.result(generations.get(i));
                    assertThat(out.reason()).isEqualTo(FinishReason.LENGTH);
                    assertThat(out.tokens())
                            .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, prompts.get(i), counts.get(i)));
                }
                assertThat(h.heldPages()).isZero();
            }
        });
    }

    @Test
    void theEngineThreadServesAndStops() throws Exception {
        Thread[] before = threads();
        try (EngineHarness h = EngineHarness.setup().start()) {
            Generation g = h.submit(new int[] {1, 2, 3}, 50);
            EngineHarness.Output out = EngineHarness.result(g, 10);
            assertThat(out.tokens())
                    .isEqualTo(EngineHarness.expected(NextToken.hashed(), 1000, new int[] {1, 2, 3}, 50));
            assertThat(h.engine.stats().generatedTokens()).isEqualTo(50);
            assertThat(h.engine.stats().running()).isZero();
        }
        assertThat(threads().length).isEqualTo(before.length);
    }

    private static Thread[] threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("rondo"))
                .toArray(Thread[]::new);
    }
}
