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

    @Test
    void withTrackDecodeTheWindowBeforeTheReplysEndIsKeptToo() {
        for (boolean track : new boolean[] {false, true}) {
            KvOptions options = new KvOptions(
                    true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 4, 35, 0.95, 1000, 64, track);
            Play play = hybrid(64, 64, options);
            play.playInChunks(8, "A", Play.range(0, 25), Play.range(500, 530)); // 54 tokens with KV, window from 47
            List<Integer> kept = new ArrayList<>();
            Pages pages = play.kv.cached().pages;
            EvictionQueue queue = pages.evictable(0);
            for (int page = queue.first(); page >= 0; page = queue.after(page)) {
                if (pages.priority[page] == 70) {
                    kept.add(play.kv.cached().tree.depth[pages.node[page]]);
                }
            }
            if (track) {
                assertThat(kept).containsExactlyInAnyOrder(3, 4, 5, 11, 12, 13);
            } else {
                assertThat(kept).containsExactlyInAnyOrder(3, 4, 5);
            }
            List<KvEvent> raised = new ArrayList<>();
            play.kv.drainEvents((id, e) -> {
                if (e instanceof KvEvent.Raised) {
                    raised.add(e);
                }
            });
            assertThat(raised).hasSize(track ? 3 : 0);
            while (pages.priority[queue.first()] < 70) {
                play.kv.cached().drop(queue.first());
            }
            int[] reply = join(Play.range(0, 25), Play.range(500, 529), new int[] {5000});
            assertThat(play.prompt(reply)).isEqualTo(track ? 54 : 24);
        }
    }

    @Test
    void trackDecodeLeavesPausedAndFailedRequestsAlone() {
        Play play = hybrid(64, 64, Play.rewind(1).withTrackDecode(true));
        Play.Seq a = play.admit("A", Play.range(0, 9), Play.range(500, 520));
        play.prefill(a, 100);
        play.decode(a);
        play.kv.pause(a.r, a.lastStep);
        Play.Seq b = play.admit("B", Play.range(100, 109), Play.range(600, 620));
        play.prefill(b, 100);
        play.decode(b);
        play.release(b, false);
        Pages pages = play.kv.cached().pages;
        for (int page = pages.evictable(0).first();
                page >= 0;
                page = pages.evictable(0).after(page)) {
            int block = play.kv.cached().tree.depth[pages.node[page]];
            assertThat((int) pages.priority[page]).isEqualTo(block < 2 ? 70 : 0);
        }
    }

    @Test
    void anEndPointThatALongerPromptHasGoneOnFromTakesTheOrdinaryRank() {
        for (boolean supersede : new boolean[] {false, true}) {
            Play play = hybrid(64, 64, Play.rewind(4).withSupersede(supersede));
            play.playInChunks(8, "A", Play.range(0, 25), 500);
            play.playInChunks(8, "X", Play.range(1000, 1025), 500);
            play.playInChunks(8, "B", join(Play.range(0, 24), Play.range(600, 620)), 501);
            // Its own window before the end point 43 begins with block 7; X has not been gone on from.
            assertThat(blocksOf(play, "B", 70)).containsExactly(7, 8, 9, 10);
            assertThat(blocksOf(play, "X", 70)).containsExactly(3, 4, 5);
            assertThat(blocksOf(play, "A", supersede ? 35 : 70)).containsExactly(3, 4, 5);
        }
    }

    @Test
    void pagesOfTheEndPointThatTheLongerPromptStillNeedsKeepTheirRank() {
        Play play = hybrid(64, 64, Play.rewind(4).withSupersede(true));
        play.playInChunks(8, "A", Play.range(0, 25), 500);
        play.playInChunks(8, "B", join(Play.range(0, 24), Play.range(600, 605)), 501); // E = 28, from 16
        assertThat(blocksOf(play, "A", 70)).containsExactly(4, 5);
        assertThat(blocksOf(play, "A", 35)).containsExactly(3);
        for (int m = 24; m <= 28; m++) {
            int[] text = join(Arrays.copyOf(join(Play.range(0, 24), Play.range(600, 605)), m), new int[] {7, 7});
            assertThat(play.prompt(text)).isEqualTo(m);
        }
    }

    @Test
    void aPromptThatIsNotWholeYetTakesNobodysRank() {
        Play play = hybrid(64, 64, Play.rewind(4).withSupersede(true));
        play.playInChunks(8, "A", Play.range(0, 25), 500);
        Play.Seq b = play.admit("B", join(Play.range(0, 24), Play.range(600, 640)), 501);
        play.step(b, 8);
        play.release(b, true);
        assertThat(blocksOf(play, "A", 70)).containsExactly(3, 4, 5);
    }

    @Test
    void aLoweredPriorityIsAnEvent() {
        KvOptions options = Play.rewind(4).withSupersede(true).withEventBuffer(1000);
        Play play = hybrid(64, 64, options);
        play.playInChunks(8, "A", Play.range(0, 25), 500);
        play.playInChunks(8, "B", join(Play.range(0, 24), Play.range(600, 620)), 501);
        List<Integer> to = new ArrayList<>();
        play.kv.drainEvents((id, e) -> {
            if (e instanceof KvEvent.Raised r) {
                to.add(r.to());
            }
        });
        assertThat(to).containsExactly(35, 35, 35);
    }

    /** Blocks of a sequence whose window pages have a priority and may be evicted. */
    private static List<Integer> blocksOf(Play play, String sequence, int priority) {
        List<Integer> out = new ArrayList<>();
        Pages pages = play.kv.cached().pages;
        EvictionQueue queue = pages.evictable(0);
        for (int page = queue.first(); page >= 0; page = queue.after(page)) {
            if (pages.priority[page] == priority && play.nameOf(page).startsWith(sequence)) {
                out.add(play.kv.cached().tree.depth[pages.node[page]]);
            }
        }
        out.sort(Integer::compare);
        return out;
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
