package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class WorkTeamTest {
    private static final long BIG = 1_000_000;

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 8})
    void everyTileOfEveryRegionIsDoneOnce(int threads) {
        SplittableRandom random = new SplittableRandom(threads);
        AtomicIntegerArray done = new AtomicIntegerArray(64);
        WorkTeam.Region count = (tile, worker) -> done.incrementAndGet(tile);
        WorkTeam.Region other = (tile, worker) -> done.addAndGet(tile, 100);
        try (WorkTeam team = new WorkTeam(threads)) {
            for (int i = 0; i < 4_000; i++) {
                int tiles = random.nextInt(65);
                // now and then nobody is woken, so that parked, late and spinning helpers all occur
                boolean first = random.nextBoolean();
                team.run(first ? count : other, tiles, random.nextInt(4) == 0 ? WorkTeam.SHARE_NANOS : BIG);
                for (int t = 0; t < 64; t++) {
                    int wanted = t >= tiles ? 0 : first ? 1 : 100;
                    if (done.getAndSet(t, 0) != wanted) {
                        fail("region %d tile %d of %d", i, t, tiles);
                    }
                }
            }
        }
    }

    @Test
    void resultsOfHelpersAreVisibleToTheCaller() {
        int[] plain = new int[1000];
        try (WorkTeam team = new WorkTeam(4)) {
            for (int round = 1; round < 500; round++) {
                int value = round;
                team.run((tile, worker) -> plain[tile] = value, plain.length, BIG);
                assertThat(plain).containsOnly(value);
            }
        }
    }

    @Test
    void aHelperTakesPartInBigRegions() {
        try (WorkTeam team = new WorkTeam(2)) {
            CountDownLatch both = new CountDownLatch(2);
            // each tile waits for the other: only two threads can finish this
            team.run(
                    (tile, worker) -> {
                        both.countDown();
                        await(both);
                    },
                    2,
                    BIG);
            assertThat(both.getCount()).isZero();
        }
    }

    @Test
    void smallRegionsStayWithTheCaller() {
        Thread caller = Thread.currentThread();
        try (WorkTeam team = new WorkTeam(2)) {
            for (int i = 0; i < 1000; i++) {
                team.run((tile, worker) -> assertThat(Thread.currentThread()).isSameAs(caller), 8, 100);
            }
        }
    }

    @Test
    void anExceptionInAHelperReachesTheCallerAndTheTeamGoesOn() {
        try (WorkTeam team = new WorkTeam(2)) {
            for (int i = 0; i < 200; i++) {
                CountDownLatch both = new CountDownLatch(2);
                assertThatThrownBy(() -> team.run(
                                (tile, worker) -> {
                                    both.countDown();
                                    await(both);
                                    if (worker == 1) {
                                        throw new IllegalStateException("from a helper");
                                    }
                                },
                                2,
                                BIG))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("from a helper");
                AtomicInteger done = new AtomicInteger();
                team.run((tile, worker) -> done.incrementAndGet(), 10, BIG);
                assertThat(done).hasValue(10);
            }
        }
    }

    @Test
    void anExceptionInTheCallerWaitsForTheHelpers() {
        try (WorkTeam team = new WorkTeam(2)) {
            CountDownLatch both = new CountDownLatch(2);
            AtomicInteger finished = new AtomicInteger();
            assertThatThrownBy(() -> team.run(
                            (tile, worker) -> {
                                both.countDown();
                                await(both);
                                if (worker == 0) {
                                    throw new IllegalStateException("from the caller");
                                }
                                finished.incrementAndGet();
                            },
                            2,
                            BIG))
                    .hasMessage("from the caller");
            assertThat(finished).hasValue(1);
        }
    }

    @Test
    void idleHelpersPark() {
        try (WorkTeam team = new WorkTeam(3)) {
            team.run((tile, worker) -> {}, 100, BIG);
            for (Thread helper : helpers()) {
                while (helper.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait(); // the test's time limit ends this
                }
            }
        }
    }

    @Test
    void closeEndsTheHelpersAndRefusesMoreWork() {
        WorkTeam team = new WorkTeam(3);
        Thread[] helpers = helpers();
        assertThat(helpers).hasSizeGreaterThanOrEqualTo(2);
        team.close();
        team.close();
        assertThat(helpers()).isEmpty();
        assertThatThrownBy(() -> team.run((tile, worker) -> {}, 1, BIG)).isInstanceOf(IllegalStateException.class);
    }

    private static Thread[] helpers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().startsWith("rondo-cpu-"))
                .toArray(Thread[]::new);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
