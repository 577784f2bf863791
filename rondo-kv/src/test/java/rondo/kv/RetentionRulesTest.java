package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static rondo.kv.Play.hybrid;
import static rondo.kv.Play.join;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** The rewind rule; the numbers are those of kv-cache.md §8.1. */
class RetentionRulesTest {
    @Test
    void theWorkedNumbers() {
        assertThat(kept(8, 4, 41, 4)).containsExactly(7, 8, 9);
        assertThat(kept(8, 4, 42, 4)).containsExactly(7, 8, 9, 10);
        assertThat(kept(8, 4, 25, 4)).containsExactly(3, 4, 5);
        assertThat(kept(8, 4, 13, 4)).containsExactly(0, 1, 2);
        assertThat(kept(8, 4, 9, 4)).containsExactly(0, 1);
        assertThat(kept(8, 4, 21, 1)).containsExactly(2, 3, 4);
        assertThat(kept(8, 4, 100, 16)).startsWith(18).endsWith(24).hasSize(7);
        assertThat(kept(2048, 32, 50_001, 1024)).startsWith(1466).endsWith(1562).hasSize(97);
        assertThat(kept(2048, 32, 200_000, 1024))
                .startsWith(6153)
                .endsWith(6249)
                .hasSize(97);
    }

    @Test
    void fullPagesAndPagesWithoutRewindAreOrdinaryAndSinksAreKept() {
        assertThat(RetentionRules.priority(LifeCycle.full(), 3, 4, 100, 16)).isEqualTo(35);
        assertThat(RetentionRules.priority(LifeCycle.sliding(8), 3, 4, 100, 0)).isEqualTo(35);
        assertThat(RetentionRules.priority(new LifeCycle(8, 1), 0, 4, 100, 16)).isEqualTo(70);
    }

    @Test
    void everyEndPointWithinTheRewindIsUsableWhileTheKeptPagesLive() {
        Seeds.forEach(40, random -> {
            int r = 1 + random.nextInt(9);
            int p = 2 + random.nextInt(60);
            Play play = hybrid(64, 64, Play.rewind(r));
            int[] prompt = random.ints(p, 0, 1000).toArray();
            play.playInChunks(
                    8, "A", prompt, random.ints(1 + random.nextInt(9), 0, 1000).toArray());
            Pages pages = play.kv.cached().pages;
            for (int page = pages.evictable(0).first();
                    page >= 0;
                    page = pages.evictable(0).first()) {
                if (pages.priority[page] == 70) {
                    break;
                }
                play.kv.cached().drop(page);
            }
            for (int m = Math.max(0, p - 1 - r); m < p; m++) {
                int[] text = join(Arrays.copyOf(prompt, m), new int[] {5000, 5001});
                assertThat(play.prompt(text)).isEqualTo(m);
            }
        });
    }

    private static List<Integer> kept(int window, int tokensPerBlock, int promptTokens, int rewind) {
        List<Integer> out = new ArrayList<>();
        for (int b = 0; b * tokensPerBlock < promptTokens; b++) {
            int priority = RetentionRules.priority(LifeCycle.sliding(window), b, tokensPerBlock, promptTokens, rewind);
            assertThat(priority).isIn(0, 70);
            if (priority == 70) {
                out.add(b);
            }
        }
        return out;
    }
}
