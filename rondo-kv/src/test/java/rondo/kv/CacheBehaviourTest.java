package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static rondo.kv.Play.full;
import static rondo.kv.Play.hybrid;
import static rondo.kv.Play.join;
import static rondo.kv.Play.range;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import rondo.base.TokenIds;

class CacheBehaviourTest {
    private static final int S = 0;
    private static final int F = 1;
    /** Output tokens for which a sequence has room from the start. */
    private static final int OUTPUT = 500;

    private static final KvOptions PER_REQUEST =
            new KvOptions(true, true, true, KvOptions.ReusePolicy.PER_REQUEST, 1, 0, 35, 0.95, 0, 64);
    private static final KvOptions WITHOUT_COPY =
            new KvOptions(true, true, false, KvOptions.ReusePolicy.ALL_REUSABLE, 1, 0, 35, 0.95, 0, 64);

    @Test
    void theWindowTableHolds() {
        int[][] table = { // history, stale end, first and last needed block
            {8, 0, 0, 1}, {10, 0, 0, 2}, {11, 1, 1, 2}, {12, 1, 1, 2}, {13, 1, 1, 3},
            {15, 2, 2, 3}, {16, 2, 2, 3}, {19, 3, 3, 4}, {20, 3, 3, 4}, {23, 4, 4, 5},
        };
        LifeCycle cycle = LifeCycle.sliding(8);
        for (int[] row : table) {
            assertThat(cycle.staleEnd(row[0], 4)).as("history %d", row[0]).isEqualTo(row[1]);
            Play p = hybrid(64, 64, Play.options());
            Play.Seq s = p.admit("A", range(0, row[0]), 500);
            p.prefill(s, 100);
            for (int b = 0; b * 4 < row[0]; b++) {
                boolean needed = b >= row[2] && b <= row[3];
                assertThat(p.kv.reservations().page(s.r, S, b) >= 0).isEqualTo(needed);
                assertThat(p.kv.reservations().page(s.r, F, b) >= 0).isTrue();
            }
        }
    }

    @Test
    void aTailTakesThePlaceOfPagesThatHoldLessOfALongerBlock() {
        Play p = hybrid(64, 64, PER_REQUEST);
        p.play("A", range(0, 10), 90);
        p.playInChunks(8, "B", range(0, 40), 91); // takes over A's window page of block 2, which holds two tokens
        assertThat(p.lookup(range(0, 11))).isEqualTo(10);
        p.play("C", range(0, 11), 92);
        assertThat(p.lookup(range(0, 11))).isEqualTo(11);
    }

    @Test
    void sinkBlocksNeverLeaveTheWindowAndTakeTheirSubtreeWithThem() {
        Play p = new Play(List.of(new LifeCycle(8, 1), LifeCycle.full()), List.of(64, 64), Play.options());
        Play.Seq s = p.admit("A", range(0, 40), 500);
        p.prefill(s, 8);
        assertThat(p.kv.reservations().page(s.r, S, 0)).isNotNegative();
        assertThat(p.kv.reservations().page(s.r, S, 1)).isNegative();
        p.end(s);
        assertThat(p.lookup(range(0, 40))).isEqualTo(40);
        p.drop("A0S");
        assertThat(p.lookup(range(0, 40))).isZero();
        assertThat(p.used(F)).isZero();
    }

    @Test
    void aLongPromptRunsInASlidingPoolOfWindowAndChunk() {
        int chunk = 12;
        int slots = (8 + chunk + 3) / 4 + 1;
        Play p = hybrid(slots, 300, Play.options());
        Play.Seq s = p.admit("A", range(0, 1000), 500);
        p.prefill(s, chunk); // every chunk is granted in full, or prefill fails
        p.end(s);
        assertThat(p.kv.stats().counters().dropped()).isPositive();
    }

    @Test
    void growGrantsABlockBorderWhenRoomIsShort() {
        Play p = full(5, Play.options());
        Play.Seq a = p.admit("A", range(0, 6), 500);
        p.prefill(a, 100);
        Play.Seq b = p.admit("B", range(100, 130), 500);
        assertThat(p.grow(b, 30, 13)).isZero();
        assertThat(p.used(0)).isEqualTo(2);
        assertThat(p.grow(b, 30, 4)).isEqualTo(12);
        p.submit(b);
        p.await(b);
        assertThat(p.grow(b, 18, 1)).isZero();
        assertThat(p.grow(a, 2, 2)).as("its last block has room").isEqualTo(2);
    }

    @Test
    void aPlanThatIsGivenUpKeepsItsPagesForTheNext() {
        Play p = full(8, Play.options());
        Play.Seq a = p.admit("A", range(0, 6), 500);
        assertThat(p.grow(a, 6, 6)).isEqualTo(6);
        assertThat(p.grow(a, 6, 6)).isEqualTo(6);
        assertThat(p.used(0)).isEqualTo(2);
        p.kv.shrink(a.r, 3);
        assertThat(p.used(0)).isEqualTo(1);
    }

    @Test
    void aSequenceThatFailsCommitsNothingOfTheFailedStep() {
        Play p = full(64, Play.options());
        Play.Seq a = p.admit("A", range(0, 20), 500);
        p.step(a, 8);
        p.grow(a, 12, 12);
        p.submit(a);
        p.release(a, false);
        p.settle();
        assertThat(p.lookup(range(0, 20))).isEqualTo(8);
        assertThat(p.used(0)).isEqualTo(2);
    }

    @Test
    void withoutCopiesAPartOfALeafIsTakenAndAPartOfAHeldBlockIsNot() {
        Play p = hybrid(64, 64, WITHOUT_COPY);
        p.play("A", range(0, 10), 500);
        Play.Seq b = p.admit("B", range(0, 15), 500);
        assertThat(b.cached).isEqualTo(10);
        assertThat(p.memory.copies).isZero();
        assertThat(p.lookup(range(0, 10))).as("A's tail is B's now").isEqualTo(8);
        p.prefill(b, 100);
        Play.Seq c = p.admit("C", range(0, 15), 500);
        assertThat(c.cached)
                .as("B holds [8-11] and has nothing behind it in the tree")
                .isEqualTo(12);
        assertThat(p.lookup(range(0, 11))).as("[8-11] is held").isEqualTo(8);
        p.prefill(c, 100);
        p.end(b);
        p.end(c);
        assertThat(p.lookup(range(0, 15))).isEqualTo(15);
    }

    @Test
    void withoutReuseNothingIsKept() {
        Play p = hybrid(64, 64, Play.options().withReuse(false));
        Play.Seq a = p.play("A", range(0, 40), range(50, 60));
        assertThat(a.cached).isZero();
        assertThat(p.used(S) + p.used(F)).isZero();
        assertThat(p.lookup(range(0, 40))).isZero();
    }

    @Test
    void aBlockWithAThinPageTakesTheWholeOneOfALaterSequence() {
        Play p = hybrid(64, 64, PER_REQUEST);
        p.play("A", range(0, 10), 500); // leaf [8,9]
        Play.Seq b = p.admit("B", range(0, 32), 500);
        Play.Seq c = p.admit("C", range(0, 13), 500);
        assertThat(List.of(b.cached, c.cached)).containsExactly(10, 10);
        p.prefill(b, 8); // its own window page of block 2 is gone before it commits: it adopts A2S, two tokens
        assertThat(p.lookup(range(0, 10))).isEqualTo(10);
        assertThat(p.lookup(range(0, 12))).isEqualTo(10);
        p.prefill(c, 100); // brings the whole page
        p.decode(c);
        p.end(c);
        assertThat(p.lookup(range(0, 12))).isEqualTo(12);
        Play.Seq d = p.play("D", join(range(0, 12), range(70, 73)), 500); // the shadow memory checks the bytes
        assertThat(d.cached).isEqualTo(12);
        p.end(b);
    }

    @Test
    void blocksThatLeftTheTreeWhileInUseGoBackWithTheNextCommit() {
        Play p = hybrid(64, 64, PER_REQUEST);
        p.play("A", range(0, 16), 500);
        Play.Seq b = p.admit("B", range(0, 48), 500);
        p.step(b, 48 - 15 - 8 - 1); // most of the prompt, nothing committed yet: A's last window pages are stale
        for (String page : List.of("A3S", "A2S")) {
            p.drop(page);
        }
        assertThat(p.lookup(range(0, 16))).as("no end point is left below").isLessThan(16);
        p.prefill(b, 100);
        p.end(b);
        assertThat(p.lookup(range(0, 48))).isEqualTo(48);
    }

    @Test
    void aStaleMatchIsRefused() {
        Play p = full(64, Play.options());
        p.play("A", range(0, 10), 500);
        Match m = p.kv.match(p.keys(range(0, 10), CacheScope.unsalted()), 9);
        p.drop("A1F");
        assertThatThrownBy(() -> p.kv.admit(m, Retention.of(10), 0, new PageWork()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("match again");
    }

    @Test
    void withoutAHostTierNothingIsSuspended() {
        Play p = full(8, Play.options());
        Play.Seq a = p.admit("A", range(0, 6), 500);
        p.prefill(a, 100);
        assertThat(p.kv.suspend(a.r, 1, new PageWork())).isFalse();
        assertThat(p.kv.ready(a.r)).isTrue();
        p.decode(a);
    }

    @Test
    void admissionIsRefusedWhenAllReservationsAreTaken() {
        KvLayout layout = new KvLayout(4, List.of(LifeCycle.full()), List.of(64L));
        KvCacheManager kv =
                new KvCacheManager(new KvPools(layout, List.of(8), List.of(0)), KvOptions.defaults(), 1, 64);
        PromptKeys keys = PromptKeys.of(TokenIds.of(1, 2, 3), CacheScope.unsalted(), 4);
        OptionalInt first = kv.admit(kv.match(keys, 2), Retention.of(3), 0, new PageWork());
        assertThat(first).isPresent();
        assertThat(kv.admit(kv.match(keys, 2), Retention.of(3), 1, new PageWork()))
                .isEmpty();
        kv.release(first.getAsInt(), 0, true);
        assertThat(kv.admit(kv.match(keys, 2), Retention.of(3), 1, new PageWork()))
                .isPresent();
        assertThatThrownBy(() -> kv.release(7, 0, true)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void statisticsCountWhatHappened() {
        Play p = hybrid(64, 64, Play.options());
        p.play("A", range(0, 10), 500);
        KvStats.Counters before = p.kv.stats().counters();
        assertThat(before.missed()).isEqualTo(6);
        assertThat(before.allocated()).isEqualTo(6);
        p.play("B", range(0, 15), 500); // m = 10: two blocks whole, one in part, one new
        KvStats.Counters c = p.kv.stats().counters();
        assertThat(c.reusedFull()).isEqualTo(4);
        assertThat(c.reusedPartial()).isEqualTo(2);
        assertThat(c.copied()).isEqualTo(2);
        assertThat(c.missed()).isEqualTo(8);
        assertThat(c.allocated()).isEqualTo(10);
        assertThat(p.kv.stats().matchedTokens()).isEqualTo(10);
        assertThat(p.kv.stats().promptTokens()).isEqualTo(25);
        assertThat(p.kv.stats().bytes(KvStats.Counters::copied)).isEqualTo(2 * 64);
        assertThat(p.kv.stats().blockHitRate()).isEqualTo(6.0 / 14);
        assertThat(p.kv.stats().utilisation()).isZero();
        KvStats.Pool full = p.kv.stats().pools().get(F);
        assertThat(full.free() + full.evictable() + full.held())
                .isEqualTo(full.total())
                .isEqualTo(64);
    }

    @Test
    void decodingAllocatesNothing() {
        decodeWithoutAllocation(hybrid(64, 1000, Play.options()));
    }

    @Test
    void decodingAllocatesNothingWhilePagesGoToTheHost() {
        Play p = new Play(
                4,
                List.of(LifeCycle.sliding(8), LifeCycle.full()),
                List.of(64, 1000),
                List.of(128, 2000),
                Play.options(),
                BlockHasher::new);
        decodeWithoutAllocation(p);
        assertThat(p.kv.stats().counters().offloadedAhead()).isPositive();
        assertThat(p.kv.stats().counters().offloadedOnDemand()).isZero();
    }

    private static void decodeWithoutAllocation(Play p) {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The first rounds may meet code that is not compiled yet.
        for (int round = 0; round < 80 && (least > 0 || p.kv.stats().counters().dropped() == 0); round++) {
            PromptKeys prompt = p.keys(range(10_000 * round, 10_000 * round + 8), CacheScope.unsalted());
            SequenceKeys keys = new SequenceKeys(prompt, OUTPUT);
            PageWork work = new PageWork();
            int r = p.kv.admit(p.kv.match(prompt, 7), Retention.of(8), 0, work).orElseThrow();
            run(p, keys, r, work, 8);
            for (int i = 0; i < 20; i++) {
                run(p, keys, r, work, 1);
            }
            long before = threads.getCurrentThreadAllocatedBytes();
            long ofMeasuring = threads.getCurrentThreadAllocatedBytes() - before;
            before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OUTPUT - 40; i++) {
                run(p, keys, r, work, 1);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before - ofMeasuring);
            p.kv.release(r, p.submitted, true);
        }
        assertThat(least).isZero();
        assertThat(p.kv.stats().counters().dropped())
                .as("pages were evicted on the way")
                .isPositive();
    }

    private static void run(Play p, SequenceKeys keys, int r, PageWork work, int tokens) {
        p.kv.fences(p.submitted, p.submitted, p.submitted);
        work.clear();
        if (p.kv.grow(r, tokens, tokens, work) != tokens) {
            throw new AssertionError("no room");
        }
        p.kv.submitted(r, tokens, ++p.submitted);
        while (keys.outputTokens() < OUTPUT && keys.tokens() <= p.kv.reservations().submitted[r]) {
            keys.append(keys.tokens());
        }
        p.kv.demoteAhead(work);
        if (work.tierCopies.count > 0) {
            p.kv.copiesStarted(++p.batches);
            p.kv.copied(p.batches);
        }
        p.kv.completed(r, tokens, keys);
    }
}
