package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static rondo.kv.Play.hybrid;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** What the policy per_conversation keeps and drops (kv-cache.md, §6). */
class ConversationsTest {
    private static final int S = 0;
    private static final int F = 1;
    private static final CacheScope NOBODY = CacheScope.unsalted();
    private static final long HOUR = 3_600_000_000_000L;

    private static KvOptions turns(int most) {
        return new KvOptions(true, true, true, KvOptions.ReusePolicy.PER_CONVERSATION, most, 0, 35, 0.95, 0, 64);
    }

    @Test
    void withoutAConversationItIsPerRequest() {
        Play p = hybrid(64, 64, turns(1));
        p.playInChunks(8, "A", range(0, 16), range(90, 95));
        p.playInChunks(8, "B", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S", "B6S", "B7S");
        assertThat(p.kv.conversations().size()).isZero();
    }

    @Test
    void aPageOfAnotherConversationsRecordStays() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        p.conversation = "d";
        Play.Seq d = p.play("D", join(range(0, 16), range(90, 95)), 500); // holds the same window at its end
        assertThat(d.cached).isEqualTo(20);
        p.conversation = "c";
        p.play("B", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        assertThat(p.queue(S)).contains("A3S", "A4S").doesNotContain("A2S");
        assertThat(p.lookup(join(range(0, 16), range(90, 94), range(900, 904)))).isEqualTo(20);
    }

    @Test
    void aPageThatIsHeldWhenItsRecordGoesIsDroppedOnceNobodyHoldsIt() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        p.conversation = "";
        Play.Seq reader = p.admit("R", join(range(0, 16), range(90, 94), range(700, 720)), 500);
        assertThat(reader.cached).isEqualTo(20);
        p.conversation = "c";
        p.play("B", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        assertThat(p.kv.cached().pages.exists(page(p, "A4S")))
                .as("held by the reader")
                .isTrue();
        assertThat(p.queue(S)).doesNotContain("A2S", "A3S", "A4S");
        p.prefill(reader, 100); // its window moves on
        assertThat(p.queue(S)).doesNotContain("A2S", "A3S", "A4S");
        p.end(reader);
        assertThat(p.lookup(join(range(0, 16), range(90, 94), range(700, 720))))
                .as("the reader's own end")
                .isEqualTo(40);
    }

    @Test
    void aConversationAtRestForAnHourForgetsItsRecordsButKeepsItsPages() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        p.kv.now(HOUR);
        assertThat(p.kv.conversations().recordsOf(NOBODY, "c")).hasSize(1);
        p.kv.now(HOUR + 1);
        assertThat(p.kv.conversations().size()).isZero();
        assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S");
        p.play("B", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        assertThat(p.queue(S)).as("A's are nobody's any more").contains("A2S", "A3S", "A4S");
    }

    @Test
    void aTurnThatRunsIsNotAtRest() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        Play.Seq b = p.admit("B", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        p.kv.now(3 * HOUR);
        assertThat(p.kv.conversations().recordsOf(NOBODY, "c")).hasSize(1);
        p.prefill(b, 100);
        p.end(b);
        assertThat(p.queue(S)).containsExactlyInAnyOrder("B6S", "B7S");
        p.kv.now(4 * HOUR);
        assertThat(p.kv.conversations().size()).isEqualTo(1);
        p.kv.now(4 * HOUR + 1);
        assertThat(p.kv.conversations().size()).isZero();
    }

    @Test
    void theSameIdUnderAnotherSaltIsAnotherConversation() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        CacheScope alice = CacheScope.salted("alice");
        Play.Seq a = p.tryAdmit("A", alice, range(0, 16), 500);
        p.prefill(a, 100);
        p.end(a);
        p.play("B", range(500, 516), 500);
        assertThat(p.lookup(alice, range(0, 16))).isEqualTo(16);
        assertThat(p.kv.conversations().recordsOf(alice, "c")).hasSize(1);
        assertThat(p.kv.conversations().recordsOf(NOBODY, "c")).hasSize(1);
    }

    @Test
    void aPauseIsNotATurnAndItsPagesAreOfTheTurnThatGoesOn() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        int[] turn2 = join(range(0, 16), range(90, 95), range(200, 211));
        Play.Seq b = p.admit("B", turn2, range(300, 310));
        p.prefill(b, 100);
        p.kv.pause(b.r, b.lastStep);
        p.settle();
        assertThat(p.kv.conversations().recordsOf(NOBODY, "c")).hasSize(1);
        assertThat(p.queue(S)).as("turn 1 is still the last one").contains("A2S", "A3S", "A4S");
        Play.Seq again = p.admit("b", turn2, range(300, 310));
        p.prefill(again, 100);
        p.decode(again);
        p.end(again);
        assertThat(p.queue(S)).doesNotContain("A2S", "A3S", "A4S").contains("B6S", "B7S");
        assertThat(p.lookup(join(turn2, range(900, 904))))
                .as("what it committed before the pause")
                .isEqualTo(32);
    }

    @Test
    void whatFailsBeforeItBeginsPushesNothingOut() {
        Play p = hybrid(64, 64, turns(1));
        p.conversation = "c";
        p.play("A", range(0, 16), range(90, 95));
        Play.Seq failed = p.admit("X", join(range(0, 16), range(90, 95), range(200, 211)), 500);
        p.release(failed, false);
        Play.Seq cancelled = p.admit("Y", range(800, 816), 500);
        p.end(cancelled);
        assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S");
    }

    @Test
    void conversationsOfWhichNothingIsLeftAreForgottenInTime() {
        Play p = hybrid(16, 16, turns(1));
        for (int i = 0; i < 5000; i++) {
            p.conversation = "c" + i;
            p.play("A", range(10 * i, 10 * i + 9), 500);
        }
        assertThat(p.kv.conversations().size()).isBetween(1, 1100);
    }

    /** Invariant 28, against a list of sets. */
    @Test
    void neverMoreRecordsThanTurnsAndNothingOfAnOlderTurnRemainsUnheld() {
        Seeds.forEach(30, random -> new Dialogues(random).go(100));
    }

    private static int page(Play p, String name) {
        Pages pages = p.kv.cached().pages;
        for (int page = 0; page < pages.limit(); page++) {
            if (pages.exists(page) && p.nameOf(page).equals(name)) {
                return page;
            }
        }
        throw new AssertionError("no page " + name);
    }

    /** Random turns of a few conversations, some beside each other; who may know what is told by page and generation. */
    private static final class Dialogues {
        final SplittableRandom random;
        final int most;
        final Play play;
        final Audit audit;
        final Map<String, int[]> text = new HashMap<>();
        /** Records of each conversation, oldest first, as "page:generation". */
        final Map<String, List<List<String>>> records = new HashMap<>();
        /** All that was ever in a record that went. */
        final List<String> gone = new ArrayList<>();

        final Map<Play.Seq, String> conversations = new HashMap<>();
        final List<Play.Seq> live = new ArrayList<>();

        Dialogues(SplittableRandom random) {
            this.random = random;
            most = 1 + random.nextInt(3);
            play = hybrid(24 + random.nextInt(60), 30 + random.nextInt(60), turns(most));
            audit = new Audit(play.kv, play.layout(), new BlockHasher());
        }

        void go(int operations) {
            for (int i = 0; i < operations; i++) {
                if (live.size() < 3 && random.nextBoolean()) {
                    admit();
                } else if (!live.isEmpty()) {
                    run(live.get(random.nextInt(live.size())));
                }
                play.settle();
                check();
            }
        }

        private void admit() {
            String c = "c" + random.nextInt(3);
            int[] before = text.getOrDefault(c, range(0, 6));
            int keep = random.nextInt(3) == 0 ? random.nextInt(before.length + 1) : before.length;
            int[] prompt = join(
                    Arrays.copyOf(before, keep),
                    random.ints(1 + random.nextInt(14), 0, 3).toArray());
            if (prompt.length > 80) {
                text.remove(c);
                return;
            }
            play.conversation = c;
            Play.Seq s = play.tryAdmit(
                    "s",
                    NOBODY,
                    prompt,
                    random.ints(1 + random.nextInt(12), 0, 3).toArray());
            if (s != null) {
                live.add(s);
                conversations.put(s, c);
                text.put(c, s.tokens);
            }
        }

        private void run(Play.Seq s) {
            int rest = s.promptTokens - s.history;
            int wanted = rest > 0 ? Math.min(rest, 8) : s.history < s.tokens.length - 1 ? 1 : 0;
            if (wanted == 0 || play.grow(s, wanted, wanted) == 0) {
                finish(s, wanted == 0 || random.nextBoolean());
                return;
            }
            play.submit(s);
            play.await(s);
        }

        private void finish(Play.Seq s, boolean over) {
            live.remove(s);
            String c = conversations.remove(s);
            if (over) {
                play.release(s, true);
            } else {
                play.kv.pause(s.r, s.lastStep);
                play.freeSlot(s);
            }
            List<List<String>> of = records.computeIfAbsent(c, k -> new ArrayList<>());
            List<List<String>> now = play.kv.conversations().recordsOf(NOBODY, c);
            assertThat(now.size()).isLessThanOrEqualTo(most);
            if (!over) {
                assertThat(now).isEqualTo(of);
                return;
            }
            // What is new is at the end; what is missing at the front is gone.
            int added = now.isEmpty() || (of.size() == now.size() && now.equals(of)) ? 0 : 1;
            assertThat(now.subList(0, now.size() - added))
                    .isEqualTo(of.subList(of.size() + added - now.size(), of.size()));
            of.subList(0, of.size() + added - now.size()).forEach(gone::addAll);
            records.put(c, now);
        }

        private void check() {
            audit.check(live);
            List<String> kept = new ArrayList<>();
            records.values().forEach(list -> list.forEach(kept::addAll));
            Pages pages = play.kv.cached().pages;
            for (int page = 0; page < pages.limit(); page++) {
                String name = page + ":" + pages.generation[page];
                if (pages.exists(page) && pages.node[page] >= 0 && gone.contains(name) && !kept.contains(name)) {
                    assertThat(pages.holders[page])
                            .as("an older turn's page in no record")
                            .isPositive();
                }
            }
        }
    }
}
