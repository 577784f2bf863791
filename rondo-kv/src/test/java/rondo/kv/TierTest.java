package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static rondo.kv.Play.full;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;
import static rondo.kv.Play.tiered;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;

/** The host tier, one behaviour at a time: what goes, what comes back, who waits, and what is never lost. */
class TierTest {
    private static KvOptions options(int offloadMinPriority, double maxUtilForResume, int maxStepTokens) {
        return new KvOptions(
                true,
                true,
                true,
                KvOptions.ReusePolicy.ALL_REUSABLE,
                1,
                0,
                offloadMinPriority,
                maxUtilForResume,
                0,
                maxStepTokens);
    }

    /** A's three pages are on the host: its third block has two tokens. The device holds four pages of B. */
    private static Play prefixOnHost(KvOptions options) {
        Play p = tiered(4, 8, options);
        p.play("A", range(0, 10), 500);
        p.play("B", range(100, 116), 500);
        assertThat(p.hostQueue(0)).containsExactly("A2F", "A1F", "A0F");
        return p;
    }

    private static KvStats.Counters counters(Play p) {
        return p.kv.stats().counters();
    }

    private static int hostFree(Play p) {
        return p.kv.cached().pages.slots(Tier.HOST, 0).free();
    }

    @Test
    void aPartOfABlockOnTheHostIsCopiedFromThereAndTheBlockStays() {
        Play p = prefixOnHost(Play.onDemand(0));
        p.landsAtOnce = false;
        Play.Seq c = p.admit("C", range(0, 12), 500);
        assertThat(c.cached).isEqualTo(10);
        p.submit();
        p.settle();
        p.land(p.batches); // B's pages have made room
        p.settle();
        p.submit();
        assertThat(counters(p).copiedFromHost()).isEqualTo(1);
        assertThat(counters(p).onboarded()).isEqualTo(2);
        assertThat(p.hostQueue(0)).as("held while it is read").doesNotContain("A2F");
        p.land(p.batches);
        assertThat(p.hostQueue(0)).contains("A2F");
        assertThat(p.ready(c)).isTrue();
        p.prefill(c, 100); // the shadow memory checks what was copied
        p.end(c);
        assertThat(p.lookup(range(0, 12))).isEqualTo(12);
    }

    @Test
    void withoutCopiesAPartOnTheHostComesBackAsTheSequencesOwn() {
        Play p = prefixOnHost(
                new KvOptions(true, true, false, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, 0, 0));
        Play.Seq c = p.admit("C", range(0, 12), 500);
        assertThat(c.cached).isEqualTo(10);
        p.arrive(c);
        assertThat(counters(p).onboarded()).isEqualTo(3);
        assertThat(counters(p).copiedFromHost() + counters(p).copied()).isZero();
        p.prefill(c, 100);
        p.end(c);
        assertThat(p.lookup(range(0, 12))).isEqualTo(12);
    }

    /** R030 of the user reports: a request is cancelled while its pages are on their way from the host. */
    @Test
    void cancelledWhileItsPagesComeBackLeaksNothing() {
        Seeds.forEach(200, random -> {
            Play p = prefixOnHost(Play.onDemand(0));
            p.landsAtOnce = random.nextBoolean();
            Play.Seq c = p.admit("C", range(0, 12), 500);
            for (int i = random.nextInt(4); i > 0; i--) {
                p.submit();
                p.settle();
                if (random.nextBoolean()) {
                    p.land(p.batches);
                }
            }
            p.release(c, random.nextBoolean());
            Play.Seq again = null;
            if (random.nextBoolean()) {
                again = p.admit("c", range(0, 12), 500); // hits what is on its way
            }
            p.submit();
            p.land(p.batches);
            p.settle();
            if (again != null) {
                p.landsAtOnce = true;
                p.arrive(again);
                p.prefill(again, 100);
                p.end(again);
            }
            for (KvStats.Pool pool : p.kv.stats().pools()) {
                assertThat(pool.held()).as("%s", pool).isZero();
            }
            assertThat(p.lookup(range(0, 10))).isEqualTo(10);
            assertThat(p.kv.clear()).isTrue();
        });
    }

    @Test
    void aHostPageOfHigherPriorityIsNotGivenUpForOneOfLower() {
        Play p = new Play(
                4,
                List.of(LifeCycle.sliding(8), LifeCycle.full()),
                List.of(4, 40),
                List.of(2, 0),
                new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 4, 0, 0.95, 0, 0),
                BlockHasher::new);
        p.play("A", range(0, 13), 500); // blocks 0, 1, 2 of the window have priority 70, block 3 has 0
        assertThat(p.queue(0)).containsExactly("A3S", "A0S", "A2S", "A1S");
        p.play("B", range(100, 109), 500); // sends A3S and A0S; then A2S of 70 takes the place of A3S of 0
        assertThat(p.hostQueue(0)).containsExactly("A0S", "A2S");
        p.play("C", range(200, 201), 500); // B2S of 0 finds no place
        assertThat(p.hostQueue(0)).containsExactly("A0S", "A2S");
        assertThat(p.queue(0)).doesNotContain("B2S");
    }

    @Test
    void aHeldPageOnTheHostIsNeverDropped() {
        Play p = tiered(4, 2, options(0, 1, 0));
        Play.Seq a = p.admit("A", range(0, 8), 10, 11);
        p.prefill(a, 100);
        assertThat(p.suspend(a)).isTrue();
        Play.Seq b = p.admit("B", range(100, 116), 500);
        p.step(b, 16);
        assertThat(hostFree(p)).isZero();
        p.end(b);
        p.play("C", range(200, 216), 500); // drops B's pages: the host is full of what is held
        assertThat(counters(p).dropped()).isEqualTo(4);
        assertThat(p.resume(a)).isTrue();
        p.arrive(a);
        p.decode(a);
        p.end(a);
        assertThat(p.lookup(range(0, 8))).isEqualTo(8);
    }

    @Test
    void suspendingNeedsRoomOnTheHostAndNoRunInFlight() {
        Play p = tiered(6, 2, options(0, 1, 0));
        Play.Seq a = p.admit("A", range(0, 8), 10);
        Play.Seq b = p.admit("B", range(100, 107), 10);
        p.grow(a, 8, 8);
        p.submit(a);
        assertThatThrownBy(() -> p.suspend(a)).isInstanceOf(IllegalStateException.class);
        p.await(a);
        p.settle();
        p.prefill(b, 100);
        assertThat(p.suspend(a)).isTrue();
        assertThatThrownBy(() -> p.grow(a, 1, 1)).isInstanceOf(IllegalStateException.class);
        Play.Seq c = p.admit("C", range(200, 216), 10);
        p.step(c, 16);
        assertThat(hostFree(p)).isZero();
        assertThat(p.suspend(b)).as("the host is full").isFalse();
        p.step(b, 1); // nothing has changed for it
    }

    @Test
    void resumeIsRefusedWhileTheDeviceIsTooFullForTheNextStep() {
        Play p = tiered(6, 6, options(0, 0.7, 0));
        Play.Seq a = p.admit("A", range(0, 8), 10);
        p.prefill(a, 100);
        p.suspend(a);
        Play.Seq b = p.admit("B", range(100, 112), 10);
        p.prefill(b, 100);
        assertThat(p.kv.stats().utilisation()).isEqualTo(5 / 6.0);
        assertThat(p.resume(a)).isFalse();
        p.end(b);
        assertThat(p.resume(a)).isTrue();
    }

    @Test
    void suspendedSequencesDoNotLockEachOtherOut() {
        Play p = tiered(4, 8, options(0, 0.5, 0));
        Play.Seq a = p.admit("A", range(0, 16), 10);
        p.prefill(a, 100);
        p.suspend(a);
        Play.Seq b = p.admit("B", range(100, 116), 10);
        p.prefill(b, 100); // sends A's pages out
        assertThat(p.leaving(0).size() + p.resting(0).size()).isZero();
        p.suspend(b);
        boolean resumed = p.resume(a);
        for (int i = 0; i < 4 && !resumed; i++) {
            p.submit(); // B's pages make room
            p.settle();
            resumed = p.resume(a);
        }
        assertThat(resumed).isTrue();
        p.arrive(a);
        p.end(a);
        for (int i = 0; i < 4 && b.suspended; i++) {
            p.resume(b);
            p.submit();
            p.settle();
        }
        p.arrive(b);
        p.end(b);
        assertThat(p.kv.stats().utilisation()).isZero();
    }

    @Test
    void aSuspendedSequenceThatEndsKeepsWhatItHasWrittenForOthers() {
        Play p = tiered(4, 8, options(0, 1, 0));
        Play.Seq a = p.admit("A", range(0, 8), 10, 11);
        p.prefill(a, 100);
        p.decode(a);
        p.suspend(a);
        Play.Seq b = p.admit("B", range(100, 116), 500);
        p.prefill(b, 100);
        assertThat(p.kv.stats().pools().get(1).held()).isPositive();
        p.end(a);
        assertThat(p.kv.stats().pools().get(1).held()).isZero();
        assertThat(p.lookup(0, 1, 2, 3, 4, 5, 6, 7, 10)).isEqualTo(9);
    }

    @Test
    void aDecodeThatIsShortOfPagesTakesTheSlotOfOneOnItsWayAndTheStepWaits() {
        Play p = tiered(4, 4, Play.onDemand(0));
        p.landsAtOnce = false;
        Play.Seq b = p.admit("B", range(100, 104), 110, 111);
        p.prefill(b, 100);
        p.play("A", range(0, 8), 500);
        p.play("X", range(300, 304), 500);
        assertThat(p.grow(b, 1, 1)).isEqualTo(1);
        assertThat(p.work.waitsForCopies).isTrue();
        assertThat(p.work.tierCopies.count).isEqualTo(1);
        // Its slot is promised, so a hit finds it on the host; it comes back when it has arrived.
        Play.Seq a = p.admit("a", range(0, 9), 500);
        assertThat(a.cached).isEqualTo(8);
        assertThat(p.work.tierCopies.count)
                .as("X0F goes; A1F comes in no batch with its going")
                .isEqualTo(2);
        p.submit(b);
        p.await(b);
        p.settle();
        p.release(b, true);
        p.landsAtOnce = true;
        p.arrive(a);
        p.prefill(a, 100);
    }

    @Test
    void aPrefillThatIsShortOfPagesDoesNotWait() {
        Play p = tiered(4, 4, Play.onDemand(0));
        p.landsAtOnce = false;
        p.play("A", range(0, 12), 500);
        Play.Seq b = p.admit("B", range(100, 116), 500);
        assertThat(p.grow(b, 16, 4)).as("the smaller chunk").isEqualTo(4);
        p.submit(b);
        p.await(b);
        p.settle();
        assertThat(p.grow(b, 12, 4)).as("none in this plan").isZero();
        assertThat(p.work.waitsForCopies).isFalse();
        assertThat(counters(p).offloadedOnDemand()).isEqualTo(1);
        p.submit();
        assertThat(p.grow(b, 12, 4)).as("nor while the copy is under way").isZero();
        assertThat(counters(p).offloadedOnDemand()).as("one is enough").isEqualTo(1);
        p.land(p.batches);
        assertThat(p.grow(b, 12, 4)).isEqualTo(4);
    }

    /** kv-cache.md §7.2: while the watermark holds, no step waits for a copy that it does not need. */
    @Test
    void noDecodeStepWaitsWhileTheWatermarkHolds() {
        Play p = tiered(64, 512, options(35, 1, 32));
        p.landsAtOnce = false;
        for (int i = 0; i < 20; i++) {
            p.play("old", range(1000 * i, 1000 * i + 16), 500);
            p.land(p.batches);
        }
        List<Play.Seq> running = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int[] prompt = range(50_000 + 1000 * i, 50_000 + 1000 * i + 8);
            running.add(p.admit("run" + i, prompt, range(0, 50)));
        }
        Play.Seq[] all = running.toArray(new Play.Seq[0]);
        for (int step = 0; step < 50; step++) {
            for (Play.Seq s : all) {
                int n = s.history < s.promptTokens ? 8 : 1;
                assertThat(p.grow(s, n, n)).isEqualTo(n);
            }
            p.handOver();
            assertThat(p.work.waitsForCopies).isFalse();
            p.submit(all);
            p.await(all);
            p.settle();
            p.land(p.batches - 1); // always one step late
            p.settle();
        }
        assertThat(counters(p).offloadedAhead()).isGreaterThan(50);
        assertThat(counters(p).offloadedOnDemand()).isZero();
        assertThat(counters(p).dropped()).isZero();
    }

    @Test
    void aBlockWhosePageIsOnTheHostIsNotRebasedOnto() {
        Play p = tiered(8, 8, Play.onDemand(0));
        Play.Seq a = p.admit("A", range(0, 9), 500);
        Play.Seq b = p.admit("B", range(0, 9), 500);
        p.prefill(a, 100);
        p.end(a);
        Play.Seq c = p.admit("C", range(100, 120), 500);
        p.step(c, 20); // A's pages stay: 3 + 5
        Play.Seq d = p.admit("D", range(200, 208), 500);
        p.step(d, 8); // two of A's pages go to the host
        assertThat(p.hostQueue(0)).hasSize(2);
        p.end(d);
        p.end(c);
        p.prefill(b, 100);
        assertThat(p.kv.cached().pages.tier[p.kv.reservations().page(b.r, 0, 1)])
                .as("its own page, on the device")
                .isEqualTo(Tier.DEVICE);
        p.end(b);
        assertThat(p.lookup(range(0, 9))).isEqualTo(9);
    }

    @Test
    void clearLeavesOnlyWhatIsOnItsWay() {
        Play p = tiered(4, 8, Play.onDemand(0));
        p.play("A", range(0, 16), 500);
        p.landsAtOnce = false;
        Play.Seq b = p.admit("B", range(100, 116), 500);
        assertThat(p.grow(b, 16, 16)).isZero();
        p.handOver();
        assertThat(p.leaving(0)).hasSize(4);
        p.release(b, false);
        assertThat(p.kv.clear()).isFalse();
        assertThat(p.kv.cached().tree.count()).isZero();
        p.submit();
        p.land(p.batches);
        assertThat(p.kv.clear()).isTrue();
        assertThat(hostFree(p)).isEqualTo(8);
        assertThat(p.kv.cached().pages.free(0)).isEqualTo(4);
    }

    @Test
    void batchesThatWereNeverHandedOverCannotLand() {
        Play p = full(4, Play.options());
        assertThatThrownBy(() -> p.kv.copied(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> p.kv.copiesStarted(2)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void statisticsBalanceInBothTiersWhileCopiesAreUnderWay() {
        Play p = tiered(4, 8, Play.onDemand(0));
        p.play("A", range(0, 16), 500);
        p.landsAtOnce = false;
        Play.Seq b = p.admit("B", range(100, 116), 500);
        assertThat(p.grow(b, 16, 8)).isZero();
        p.submit();
        for (KvStats.Pool pool : p.kv.stats().pools()) {
            int onTheWay = 2;
            assertThat(pool.held()).isZero();
            assertThat(pool.evictable()).isEqualTo(pool.tier() == Tier.DEVICE ? 4 : onTheWay);
            assertThat(pool.free() + pool.evictable()).isEqualTo(pool.total());
        }
        KvStats.Counters c = p.kv.stats().lifeCycles().get(0);
        assertThat(c.offloaded()).isEqualTo(2);
        assertThat(p.kv.stats().bytes(KvStats.Counters::offloaded)).isEqualTo(2 * c.pageBytes());
    }

    /** Invariant 29, tiers included. */
    @Test
    void aMirrorFedWithEventsKnowsTheTierOfEveryPage() {
        Seeds.forEach(30, random -> {
            KvOptions o = options(35, 0.95, 8).withEventBuffer(100_000);
            Play p = new Play(
                    4,
                    List.of(LifeCycle.sliding(8), LifeCycle.full()),
                    List.of(8, 12),
                    List.of(random.nextInt(8), 1 + random.nextInt(12)),
                    o,
                    BlockHasher::new);
            Map<String, Tier> mirror = new HashMap<>();
            List<int[]> texts = new ArrayList<>(List.of(range(0, 3)));
            for (int i = 0; i < 40; i++) {
                int[] old = texts.get(random.nextInt(texts.size()));
                int[] start = java.util.Arrays.copyOf(old, random.nextInt(old.length + 1));
                int more = Math.max(1, Math.min(8, 30 - start.length));
                int[] prompt = join(start, random.ints(more, 0, 3).toArray());
                texts.add(prompt);
                p.landsAtOnce = random.nextBoolean();
                p.land(p.batches);
                p.settle();
                Play.Seq s = p.tryAdmit("A", CacheScope.unsalted(), prompt, 7);
                if (s != null) {
                    p.landsAtOnce = true;
                    p.arrive(s);
                    p.prefill(s, 4);
                    p.end(s);
                }
                p.kv.drainEvents((id, e) -> replay(mirror, e));
                assertThat(mirror).isEqualTo(tiers(p));
            }
        });
    }

    private static void replay(Map<String, Tier> mirror, KvEvent event) {
        switch (event) {
            case KvEvent.Stored s ->
                s.blocks().forEach(b -> mirror.put(s.lifeCycle() + b.key().hex(), s.tier()));
            case KvEvent.Removed r ->
                r.blocks()
                        .forEach(b -> assertThat(
                                        mirror.remove(r.lifeCycle() + b.key().hex()))
                                .isEqualTo(b.tier()));
            case KvEvent.Moved m ->
                assertThat(mirror.put(m.lifeCycle() + m.block().key().hex(), m.to()))
                        .isEqualTo(m.from());
            default -> {}
        }
    }

    private static Map<String, Tier> tiers(Play p) {
        RadixTree tree = p.kv.cached().tree;
        Map<String, Tier> out = new HashMap<>();
        byte[] key = new byte[32];
        for (int node = 0; node < tree.idLimit(); node++) {
            for (int lc = 0; lc < 2; lc++) {
                if (tree.exists(node) && tree.page(node, lc) >= 0) {
                    tree.key(node, key);
                    String name = lc + java.util.HexFormat.of().formatHex(key);
                    out.put(name, p.kv.cached().pages.tier[tree.page(node, lc)]);
                }
            }
        }
        return out;
    }
}
