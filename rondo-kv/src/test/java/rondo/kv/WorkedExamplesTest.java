package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static rondo.kv.Play.full;
import static rondo.kv.Play.hybrid;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;
import static rondo.kv.Play.tiered;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The worked examples of the cache's rules, by their numbers there (kv-cache.md, §14). */
class WorkedExamplesTest {
    private static final int S = 0;
    private static final int F = 1;

    @Test
    void example1ExactRepeat() {
        Play p = full(64, Play.options());
        p.play("A", range(0, 10), 90, 91, 92);
        assertThat(p.prompt(range(0, 10))).isEqualTo(9);
        assertThat(p.prompt(join(range(0, 10), range(90, 94)))).isEqualTo(12);
        assertThat(p.prompt(range(0, 4))).isEqualTo(3);
        assertThat(p.prompt(range(0, 5))).isEqualTo(4);
    }

    @Test
    void example2Divergence() {
        Play p = full(64, Play.options());
        p.play("A", range(0, 10), 90, 91, 92);
        assertThat(p.prompt(0, 1, 2, 3, 4, 5, 77, 78, 79)).isEqualTo(6);

        KvOptions whole = new KvOptions(true, false, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, 0, 64);
        Play q = full(64, whole);
        q.play("A", range(0, 10), 90, 91, 92);
        assertThat(q.prompt(range(0, 10))).isEqualTo(8);
        assertThat(q.prompt(join(range(0, 10), range(90, 94)))).isEqualTo(12);
        assertThat(q.prompt(0, 1, 2, 3, 4, 5, 77, 78, 79)).isEqualTo(4);
    }

    @Test
    void example3HybridEverythingResident() {
        Play p = hybrid(64, 64, Play.options());
        p.play("A", range(0, 20), 500);
        for (int m : new int[] {20, 18, 17, 16, 13, 12, 9}) {
            assertThat(p.lookup(range(0, m))).isEqualTo(m);
        }
        assertThat(p.queue(S)).containsExactly("A0S", "A1S", "A2S", "A4S", "A3S");
        assertThat(p.queue(F)).containsExactly("A4F", "A3F", "A2F", "A1F", "A0F");
    }

    /** R017: a page that one life cycle lacks shortens the match for all. */
    @Test
    void example4HolesInTheWindow() {
        int[] shared = {20, 16, 14, 12, 10, 8, 6};
        Object[][] table = {
            {new String[] {"A0S"}, new int[] {20, 16, 14, 12, 0, 0, 0}},
            {new String[] {"A1S"}, new int[] {20, 16, 4, 4, 4, 4, 4}},
            {new String[] {"A2S"}, new int[] {20, 8, 8, 8, 8, 8, 6}},
            {new String[] {"A3S"}, new int[] {12, 12, 12, 12, 10, 8, 6}},
            {new String[] {"A4S"}, new int[] {16, 16, 14, 12, 10, 8, 6}},
            {new String[] {"A0S", "A1S"}, new int[] {20, 16, 0, 0, 0, 0, 0}},
            {new String[] {"A1S", "A3S"}, new int[] {4, 4, 4, 4, 4, 4, 4}},
        };
        for (Object[] row : table) {
            Play p = hybrid(64, 64, Play.options());
            p.play("A", range(0, 20), 500);
            for (String page : (String[]) row[0]) {
                p.drop(page);
            }
            int[] expected = (int[]) row[1];
            for (int i = 0; i < shared.length; i++) {
                assertThat(p.lookup(join(range(0, shared[i]), range(900, 904))))
                        .as("missing %s, shared %d", String.join(",", (String[]) row[0]), shared[i])
                        .isEqualTo(expected[i]);
            }
            if (((String[]) row[0])[0].equals("A4S")) {
                assertThat(p.used(F)).as("A4F went with its leaf").isEqualTo(4);
            }
        }
    }

    @Test
    void example5LeastRecentlyUsedLeafFirst() {
        Play p = full(5, Play.options());
        p.play("A", range(0, 9), 500);
        p.play("B", range(100, 105), 500);
        p.play("C", range(200, 206), 500);
        assertThat(p.queue(0)).containsExactly("A0F", "B1F", "B0F", "C1F", "C0F");
        assertThat(p.prompt(range(0, 9))).isEqualTo(4);
    }

    @Test
    void example6PriorityBeatsLeastRecentlyUsed() {
        Play p = hybrid(6, 20, Play.rewind(4));
        p.playInChunks(8, "A", range(0, 25), 500);
        assertThat(p.queue(S)).containsExactly("A1S", "A2S", "A6S", "A3S", "A5S", "A4S");
        p.playInChunks(8, "B", range(100, 109), 500);
        assertThat(p.queue(S)).containsExactly("B2S", "A3S", "A5S", "A4S", "B1S", "B0S");
        assertThat(p.queue(F)).doesNotContain("A6F").hasSize(9);
        assertThat(p.prompt(range(0, 25))).isEqualTo(24);
        assertThat(p.lookup(join(range(0, 20), range(900, 905)))).isEqualTo(20);
        assertThat(p.lookup(join(range(0, 22), range(900, 905)))).isEqualTo(22);
        assertThat(p.lookup(join(range(0, 17), range(900, 905)))).isZero();
    }

    @Test
    void example7TheSameWithoutRewind() {
        Play p = hybrid(6, 20, Play.options());
        p.playInChunks(8, "A", range(0, 25), 500);
        p.playInChunks(8, "B", range(100, 109), 500);
        assertThat(p.queue(S)).containsExactly("A6S", "A5S", "A4S", "B2S", "B1S", "B0S");
        assertThat(p.prompt(range(0, 25))).isEqualTo(24);
        assertThat(p.lookup(join(range(0, 20), range(900, 905)))).isZero();
        assertThat(p.lookup(join(range(0, 22), range(900, 905)))).isZero();
    }

    @Test
    void example8OffloadAndOnboard() {
        Play p = tiered(4, 2, Play.onDemand(0));
        p.play("A", range(0, 8), 500);
        p.play("B", range(100, 112), 500);
        assertThat(p.queue(0)).containsExactly("A0F", "B2F", "B1F", "B0F");
        assertThat(p.hostQueue(0)).containsExactly("A1F");
        int[] prompt = join(range(0, 8), new int[] {70, 71});
        assertThat(p.kv.match(p.keys(prompt, CacheScope.unsalted()), 9).hostPages())
                .isEqualTo(1);
        Play.Seq c = p.admit("C", prompt, 500);
        assertThat(c.cached).isEqualTo(8);
        p.arrive(c);
        assertThat(p.queue(0)).containsExactly("B1F", "B0F");
        assertThat(p.hostQueue(0)).containsExactly("B2F");
        p.prefill(c, 100);
        p.end(c);
        assertThat(p.queue(0)).containsExactly("B0F", "C2F", "A1F", "A0F");
        assertThat(p.hostQueue(0)).containsExactly("B2F", "B1F");
        KvStats.Counters n = p.kv.stats().counters();
        assertThat(n.offloadedOnDemand()).isEqualTo(3);
        assertThat(n.offloadedAhead() + n.dropped()).isZero();
        assertThat(n.onboarded()).isEqualTo(1);
        assertThat(p.memory.tierCopies).isEqualTo(4);
    }

    @Test
    void example9ThresholdAndHostPressure() {
        Play p = new Play(
                4,
                List.of(LifeCycle.sliding(8), LifeCycle.full()),
                List.of(4, 20),
                List.of(2, 0),
                Play.onDemand(4),
                BlockHasher::new);
        p.playInChunks(4, "A", range(0, 21), 500);
        assertThat(p.kv.stats().lifeCycles().get(S).dropped()).isEqualTo(2);
        assertThat(p.queue(S)).containsExactly("A5S", "A2S", "A4S", "A3S");
        assertThat(p.hostQueue(S)).isEmpty();
        p.playInChunks(4, "B", range(100, 113), 500);
        assertThat(p.queue(F)).doesNotContain("A5F");
        assertThat(p.hostQueue(S)).containsExactly("A4S", "A3S");
        assertThat(p.kv.stats().lifeCycles().get(S).droppedFromHost()).isEqualTo(1);
        Play.Seq again = p.admit("a", range(0, 21), 500);
        assertThat(again.cached).isEqualTo(20);
        p.arrive(again);
        assertThat(p.kv.stats().counters().onboarded()).isEqualTo(2);
        p.prefill(again, 4);
    }

    @Test
    void example10DroppingAFullPageTakesTheSubtree() {
        Play p = full(64, Play.options());
        p.play("A", range(0, 12), 500);
        Play.Seq b = p.play("B", new int[] {0, 1, 2, 3, 50, 51, 52, 53, 54}, 500);
        assertThat(b.cached).isEqualTo(4);
        p.drop("A1F");
        assertThat(p.queue(0)).containsExactlyInAnyOrder("A0F", "B1F", "B2F");
        assertThat(p.prompt(range(0, 12))).isEqualTo(4);
        assertThat(p.lookup(0, 1, 2, 3, 50, 51, 52, 53, 54)).isEqualTo(9);
        p.drop("A0F");
        assertThat(p.used(0)).isZero();
        assertThat(p.kv.cached().tree.count()).isZero();
    }

    @Test
    void example11Salt() {
        Play p = full(64, Play.options());
        CacheScope alice = CacheScope.salted("alice");
        Play.Seq a = p.tryAdmit("A", alice, range(0, 9), 500);
        p.prefill(a, 100);
        p.end(a);
        assertThat(p.lookup(alice, range(0, 8))).isEqualTo(8);
        assertThat(p.lookup(CacheScope.salted("bob"), range(0, 8))).isZero();
        assertThat(p.lookup(range(0, 8))).isZero();
    }

    @Test
    void example12PerRequestOverTwoTurns() {
        KvOptions perRequest =
                new KvOptions(true, true, true, KvOptions.ReusePolicy.PER_REQUEST, 1, 0, 35, 0.95, 0, 64);
        for (KvOptions options : new KvOptions[] {Play.options(), perRequest}) {
            boolean all = options.policy() == KvOptions.ReusePolicy.ALL_REUSABLE;
            Play p = hybrid(64, 64, options);
            p.playInChunks(8, "A", range(0, 16), range(90, 95));
            if (all) {
                assertThat(p.queue(S)).containsExactlyInAnyOrder("A0S", "A1S", "A2S", "A3S", "A4S");
            } else {
                assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S");
            }
            int[] turn2 = join(range(0, 16), range(90, 95), range(200, 211));
            Play.Seq b = p.playInChunks(8, "B", turn2, 500);
            assertThat(b.cached).isEqualTo(20);
            if (all) {
                assertThat(p.queue(S)).hasSize(8);
            } else {
                assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S", "B6S", "B7S");
            }
            assertThat(p.lookup(join(range(0, 16), range(90, 94), new int[] {7, 7})))
                    .isEqualTo(20);
            assertThat(p.lookup(join(range(0, 16), range(900, 904)))).isEqualTo(16);
            assertThat(p.lookup(join(turn2, range(900, 904)))).isEqualTo(32);
        }
    }

    @Test
    void example12PerConversationOverTwoTurns() {
        for (int turns : new int[] {1, 2}) {
            KvOptions options =
                    new KvOptions(true, true, true, KvOptions.ReusePolicy.PER_CONVERSATION, turns, 0, 35, 0.95, 0, 64);
            Play p = hybrid(64, 64, options);
            p.conversation = "c";
            p.playInChunks(8, "A", range(0, 16), range(90, 95));
            assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S");
            int[] turn2 = join(range(0, 16), range(90, 95), range(200, 211));
            Play.Seq b = p.playInChunks(8, "B", turn2, 500);
            assertThat(b.cached).isEqualTo(20);
            if (turns == 1) {
                assertThat(p.queue(S)).as("A2S to A4S are dropped actively").containsExactlyInAnyOrder("B6S", "B7S");
            } else {
                assertThat(p.queue(S)).containsExactlyInAnyOrder("A2S", "A3S", "A4S", "B6S", "B7S");
            }
            assertThat(p.lookup(join(range(0, 16), range(90, 94), new int[] {7, 7})))
                    .isEqualTo(turns == 1 ? 0 : 20);
            assertThat(p.lookup(join(range(0, 16), range(900, 904)))).isEqualTo(turns == 1 ? 0 : 16);
            assertThat(p.lookup(join(turn2, range(900, 904)))).isEqualTo(32);
        }
    }

    @Test
    void example13APartialTailGrows() {
        Play p = hybrid(64, 64, Play.options());
        p.play("A", range(0, 10), 500);
        Play.Seq b = p.admit("B", range(0, 15), 500);
        assertThat(b.cached).isEqualTo(10);
        p.prefill(b, 100);
        assertThat(p.used(F)).as("A0F A1F, B2F B3F; A2F is freed").isEqualTo(4);
        p.end(b);
        assertThat(p.queue(S)).containsExactly("A0S", "A1S", "B3S", "B2S");
        assertThat(p.queue(F)).containsExactly("B3F", "B2F", "A1F", "A0F");
        assertThat(p.lookup(range(0, 15))).isEqualTo(15);
        assertThat(p.memory.copies).isEqualTo(2);
    }

    @Test
    void example14TwoAtOnceWithTheSamePrompt() {
        Play p = full(64, Play.options());
        Play.Seq a = p.admit("A", range(0, 9), 500);
        Play.Seq b = p.admit("B", range(0, 9), 500);
        assertThat(a.cached + b.cached).isZero();
        p.grow(a, 9, 9);
        p.grow(b, 9, 9);
        p.submit(a, b);
        assertThat(p.used(0)).isEqualTo(6);
        p.await(a, b);
        p.settle();
        assertThat(p.used(0)).isEqualTo(4);
        p.end(a);
        p.end(b);
        assertThat(p.queue(0)).containsExactly("A2F", "A1F", "A0F");
        assertThat(p.used(0)).isEqualTo(3);
    }

    @Test
    void example15TwoReadersOfAPartialBlock() {
        Play p = hybrid(64, 64, Play.options());
        p.play("A", range(0, 12), 500);
        Play.Seq b = p.admit("B", join(range(0, 10), range(60, 63)), 500);
        assertThat(b.cached).isEqualTo(10);
        assertThat(p.lookup(range(0, 12))).as("still matchable").isEqualTo(12);
        p.prefill(b, 100);
        assertThat(p.queue(F)).as("evictable again").contains("A2F");
        p.end(b);
        assertThat(p.lookup(range(0, 12))).isEqualTo(12);
        assertThat(p.lookup(join(range(0, 10), range(60, 63)))).isEqualTo(13);
        assertThat(p.used(F)).isEqualTo(5);
    }

    @Test
    void example16PreemptionByRecompute() {
        Play p = full(6, Play.options());
        Play.Seq a = p.admit("A", range(0, 8), range(10, 16));
        Play.Seq b = p.admit("B", range(100, 108), range(110, 116));
        p.prefill(a, 100);
        p.prefill(b, 100);
        for (int i = 0; i < 4; i++) {
            p.step(a, 1);
            p.step(b, 1);
        }
        assertThat(p.used(0)).isEqualTo(6);
        assertThat(p.grow(a, 1, 1)).as("no room").isZero();
        p.end(b); // paused: its second prefill finds what is left
        assertThat(p.queue(0)).containsExactly("B2F", "B1F", "B0F");
        p.step(a, 1);
        assertThat(p.queue(0)).containsExactly("B1F", "B0F");
        p.end(a);
        assertThat(p.queue(0)).containsExactly("B1F", "B0F", "A3F", "A2F", "A1F", "A0F");
        Play.Seq again = p.admit("b", join(range(100, 108), range(110, 115)), 115);
        assertThat(again.cached).isEqualTo(8);
        p.prefill(again, 100);
        assertThat(p.queue(0)).containsExactly("A1F", "A0F");
    }

    @Test
    void example17SuspendWithAHost() {
        Play p = tiered(6, 4, Play.onDemand(0));
        Play.Seq a = p.admit("A", range(0, 8), range(10, 16));
        Play.Seq b = p.admit("B", range(100, 108), range(110, 116));
        p.prefill(a, 100);
        p.prefill(b, 100);
        for (int i = 0; i < 4; i++) {
            p.step(a, 1);
            p.step(b, 1);
        }
        assertThat(p.grow(a, 1, 1)).as("no room").isZero();
        assertThat(p.suspend(b)).isTrue();
        assertThat(p.resting(0)).containsExactly("B2F", "B1F", "B0F");
        assertThat(p.grow(a, 1, 1)).isEqualTo(1);
        assertThat(p.work.waitsForCopies).as("the step waits for B2F's copy").isTrue();
        p.submit(a);
        p.await(a);
        p.settle();
        assertThat(p.resting(0)).containsExactly("B1F", "B0F");
        p.end(a);
        assertThat(p.queue(0)).containsExactly("A3F", "A2F", "A1F", "A0F");
        assertThat(p.kv.stats().utilisation()).isEqualTo(2 / 6.0);
        assertThat(p.resume(b)).isTrue();
        assertThat(p.ready(b)).as("B2F is on the host").isFalse();
        p.arrive(b);
        p.decode(b);
        assertThat(p.hostQueue(0)).containsExactly("A3F", "A2F");
        assertThat(p.queue(0)).containsExactly("A1F", "A0F");
        assertThat(p.kv.stats().counters().onboarded()).isEqualTo(1);
        assertThat(p.kv.stats().counters().dropped()).isZero();
    }

    @Test
    void example18AStepInFlight() {
        Play p = hybrid(3, 10, Play.options());
        Play.Seq a = p.admit("A", range(0, 10), 20, 21, 22, 23);
        p.grow(a, 10, 10);
        p.submit(a);
        counts(p, a, 0, 0, 10, 10);

        p.grow(a, 1, 1);
        p.submit(a);
        counts(p, a, 0, 0, 11, 11);
        p.await(a);
        counts(p, a, 8, 10, 11, 11);
        assertThat(p.queue(S)).isEmpty();
        p.retire(1);
        p.grow(a, 1, 1);
        p.submit(a);
        counts(p, a, 8, 10, 12, 12);
        p.await(a);
        counts(p, a, 8, 11, 12, 12);
        assertThat(p.queue(S)).containsExactly("A0S");
        Pages pages = p.kv.cached().pages;
        int a0 = pages.evictable(S).first();
        assertThat(pages.lastStep[a0]).isEqualTo(3);
        int slot = pages.slot[a0];
        p.retire(2);
        p.grow(a, 1, 1);
        assertThat(p.queue(S)).isEmpty();
        assertThat(pages.slot[p.kv.reservations().page(a.r, S, 3)]).isEqualTo(slot);
        assertThat(pages.slots(Tier.DEVICE, S).lastStep(slot))
                .as("a copy would have to wait for it")
                .isEqualTo(3);
        p.submit(a);
        counts(p, a, 8, 11, 13, 13);
        p.await(a);
        counts(p, a, 12, 12, 13, 13);
        p.retire(3);
        p.kv.release(a.r, 4, true); // the superfluous run is over: its token was never kept
        assertThat(p.queue(S)).containsExactly("A2S", "A1S");
        assertThat(p.queue(F)).containsExactly("A2F", "A1F", "A0F");
        int[] tokens = join(range(0, 10), new int[] {20, 21});
        assertThat(p.lookup(join(tokens, range(900, 904)))).isEqualTo(12);
        assertThat(p.lookup(join(java.util.Arrays.copyOf(tokens, 11), range(900, 904))))
                .isEqualTo(11);
        assertThat(p.lookup(join(java.util.Arrays.copyOf(tokens, 10), range(900, 904))))
                .isZero();
        assertThat(p.lookup(join(java.util.Arrays.copyOf(tokens, 9), range(900, 904))))
                .isZero();
    }

    @Test
    void example18ACopyWaitsForTheStepThatReadsTheSlot() {
        // A0S of the example is a page of A that leaves the window while a step reads it; X1F waits for its slot.
        Play p = tiered(3, 4, Play.onDemand(0));
        p.play("X", range(300, 304), 500);
        Play.Seq a = p.admit("A", range(0, 10), 20, 21);
        p.step(a, 8);
        p.grow(a, 2, 2); // X0F goes to the host
        p.submit();
        p.settle();
        assertThat(p.hostQueue(0)).containsExactly("X0F");
        p.grow(a, 2, 2);
        p.submit(a);
        long inFlight = p.submitted;
        p.release(a, false); // its last step is under way and still reads A2F
        Play.Seq x = p.admit("x", join(range(300, 304), new int[] {1}), 500);
        assertThat(x.cached).isEqualTo(4);
        int slot = p.kv.cached().pages.deviceSlot(p.kv.reservations().page(x.r, 0, 0));
        assertThat(p.kv.cached().pages.slots(Tier.DEVICE, 0).lastStep(slot)).isEqualTo(inFlight);
        assertThat(p.work.tierCopies.count).as("the copy waits").isZero();
        p.submit();
        assertThat(p.kv.stats().counters().onboarded()).isZero();
        p.retire(inFlight);
        p.submit(); // the next plan
        assertThat(p.kv.stats().counters().onboarded()).isEqualTo(1);
        assertThat(p.ready(x)).isTrue();
        p.prefill(x, 100);
    }

    @Test
    void example19DemoteAhead() {
        Play p = demoteAhead();
        Play.Seq c = p.admit("C", range(200, 208), 500, 501, 502);
        p.grow(c, 4, 4);
        p.submit(c);
        state(p, 1, List.of("A2F"), "A1F", List.of());
        p.await(c);
        p.settle();
        p.grow(c, 4, 4);
        p.submit(c);
        state(p, 0, List.of("A2F", "A1F"), "A0F", List.of());
        p.await(c);
        p.settle();
        p.land(p.batches);
        state(p, 2, List.of(), "A0F", List.of("A2F", "A1F"));
        p.grow(c, 1, 1);
        assertThat(p.work.waitsForCopies).as("no step waits for a copy").isFalse();
        p.submit(c);
        state(p, 1, List.of("A0F"), "B2F", List.of("A2F", "A1F"));
        p.land(p.batches);
        state(p, 2, List.of(), "B2F", List.of("A2F", "A1F", "A0F"));
        assertThat(p.kv.stats().counters().offloadedAhead()).isEqualTo(3);
        assertThat(p.kv.stats().counters().offloadedOnDemand()).isZero();
    }

    @Test
    void example19APageOnItsWayOutIsTakenBack() {
        Play p = demoteAhead();
        Play.Seq c = p.admit("C", range(200, 208), 500, 501, 502);
        p.step(c, 4);
        p.step(c, 4);
        assertThat(p.leaving(0)).containsExactly("A2F", "A1F");
        int hostFree = p.kv.cached().pages.slots(Tier.HOST, 0).free();
        Play.Seq again = p.admit("a", join(range(0, 8), new int[] {70}), 500);
        assertThat(again.cached).isEqualTo(8);
        assertThat(p.ready(again)).as("nothing is onboarded").isTrue();
        assertThat(p.leaving(0)).containsExactly("A2F");
        assertThat(p.kv.cached().pages.slots(Tier.HOST, 0).free()).isEqualTo(hostFree);
        p.land(p.batches);
        assertThat(p.hostQueue(0)).containsExactly("A2F");
        assertThat(p.kv.cached().pages.slots(Tier.HOST, 0).free()).isEqualTo(hostFree + 1);
        assertThat(p.kv.stats().counters().takenBack()).isEqualTo(1);
        assertThat(p.kv.stats().counters().onboarded()).isZero();
        p.prefill(again, 100);
        p.end(again);
        assertThat(p.queue(0)).endsWith("a2F", "A1F", "A0F");
    }

    private static Play demoteAhead() {
        Play p =
                tiered(8, 4, new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, 0, 4));
        p.landsAtOnce = false;
        p.play("A", range(0, 12), 500);
        p.play("B", range(100, 112), 500);
        assertThat(p.queue(0)).containsExactly("A2F", "A1F", "A0F", "B2F", "B1F", "B0F");
        state(p, 2, List.of(), "A2F", List.of());
        return p;
    }

    private static void state(Play p, int free, List<String> onTheWay, String front, List<String> host) {
        assertThat(p.kv.cached().pages.free(0)).isEqualTo(free);
        assertThat(p.leaving(0)).isEqualTo(onTheWay);
        assertThat(p.queue(0)).first().isEqualTo(front);
        assertThat(p.hostQueue(0)).isEqualTo(host);
    }

    private static void counts(Play p, Play.Seq s, int committed, int history, int submitted, int capacity) {
        Reservations r = p.kv.reservations();
        assertThat(new int[] {r.committed[s.r], r.history[s.r], r.submitted[s.r], r.capacity[s.r]})
                .containsExactly(committed, history, submitted, capacity);
    }
}
