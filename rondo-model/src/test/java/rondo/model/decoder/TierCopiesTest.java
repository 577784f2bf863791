package rondo.model.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.base.Seeds;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;
import rondo.kv.PageCopies;
import rondo.kv.Tier;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;

/** Copies between the tiers: in order, after their step, and beside the steps where they are large. */
@Timeout(30)
class TierCopiesTest {
    private static final int DEVICE_PAGES = 8;
    private static final int HOST_PAGES = 16;
    private static final KvSpec SPEC =
            new KvSpec(ElementType.BF16, 4, List.of(new KvSpec.Group(1, 1, 2, 0), new KvSpec.Group(1, 1, 2, 8)));

    /** Pages as one number each; every copy takes a permit, where there is a gate. */
    private static final class Pages implements KvMemory {
        final int[][] pages = new int[2][DEVICE_PAGES + HOST_PAGES];
        final Semaphore gate = new Semaphore(0);
        final CountDownLatch waiting = new CountDownLatch(1);
        volatile boolean gated;
        volatile boolean broken;
        volatile Thread copier = Thread.currentThread();

        @Override
        public KvSpec spec() {
            return SPEC;
        }

        @Override
        public void table(int slot, int group, int block, int page) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void copyPage(int group, int from, int to) {
            copier = Thread.currentThread();
            if (broken) {
                throw new IllegalStateException("broken");
            }
            if (gated) {
                waiting.countDown();
                gate.acquireUninterruptibly();
            }
            pages[group][to] = pages[group][from];
        }

        @Override
        public void close() {}
    }

    private final Pages pages = new Pages();
    private TierCopies copies = copies(1 << 20);

    private TierCopies copies(long pageBytes) {
        KvLayout layout =
                new KvLayout(4, List.of(LifeCycle.full(), LifeCycle.sliding(8)), List.of(pageBytes, pageBytes));
        return new TierCopies(pages, layout, new int[] {DEVICE_PAGES, DEVICE_PAGES});
    }

    @AfterEach
    void close() {
        pages.gated = false;
        pages.gate.release(1000);
        copies.close();
    }

    private static PageCopies out(int devicePage, int hostPage) {
        PageCopies list = new PageCopies();
        list.add(0, Tier.DEVICE, devicePage, Tier.HOST, hostPage);
        return list;
    }

    private static PageCopies in(int hostPage, int devicePage) {
        PageCopies list = new PageCopies();
        list.add(0, Tier.HOST, hostPage, Tier.DEVICE, devicePage);
        return list;
    }

    @Test
    void aLargeCopyRunsBesideItsCaller() throws InterruptedException {
        pages.gated = true;
        pages.pages[0][3] = 77;
        assertThat(copies.add(out(3, 5), 0, 0)).isEqualTo(1);
        pages.waiting.await();
        // It is under way, and the caller is here.
        assertThat(pages.copier).isNotSameAs(Thread.currentThread());
        assertThat(copies.landed()).isZero();
        assertThat(pages.pages[0][DEVICE_PAGES + 5]).isZero();
        pages.gate.release();
        copies.await();
        assertThat(copies.landed()).isEqualTo(1);
        assertThat(pages.pages[0][DEVICE_PAGES + 5]).isEqualTo(77);
    }

    @Test
    void aSmallCopyIsDoneAtOnceUnlessALargeOneIsBeforeIt() throws InterruptedException {
        copies.close();
        copies = copies(1000);
        assertThat(copies.add(out(1, 0), 0, 0)).isEqualTo(1);
        assertThat(copies.landed()).isEqualTo(1);
        PageCopies many = new PageCopies();
        for (int i = 0; i < 300; i++) {
            many.add(i % 2, Tier.DEVICE, 1 + i % 7, Tier.HOST, i % HOST_PAGES);
        }
        pages.gated = true;
        assertThat(copies.add(many, 0, 0)).isEqualTo(2);
        assertThat(copies.add(out(2, 0), 0, 0)).isEqualTo(3);
        pages.waiting.await();
        assertThat(copies.landed()).isEqualTo(1);
        pages.gate.release(301);
        copies.await();
        assertThat(copies.landed()).isEqualTo(3);
    }

    @Test
    void noCopyStartsBeforeItsStepHasBeenComputed() {
        pages.pages[0][2] = 1;
        assertThat(copies.add(out(2, 0), 7, 5)).isEqualTo(1);
        // The list is the caller's again, and what the page holds now is not what the step will have written.
        pages.pages[0][2] = 2;
        // A later one that waits for nothing does not pass it: a batch that has landed stands for all before it.
        assertThat(copies.add(out(3, 1), 0, 5)).isEqualTo(2);
        copies.computed(6);
        copies.await();
        assertThat(copies.landed()).isZero();
        copies.computed(7);
        copies.await();
        assertThat(copies.landed()).isEqualTo(2);
        assertThat(pages.pages[0][DEVICE_PAGES]).isEqualTo(2);
    }

    @Test
    void theListBelongsToTheCallerAtOnce() {
        PageCopies list = out(1, 4);
        pages.pages[0][1] = 9;
        copies.add(list, 3, 0);
        list.clear();
        list.add(1, Tier.HOST, 9, Tier.DEVICE, 1);
        copies.computed(3);
        copies.await();
        assertThat(pages.pages[0][DEVICE_PAGES + 4]).isEqualTo(9);
    }

    @Test
    void aFailedCopyIsHeardOf() {
        pages.broken = true;
        copies.add(out(1, 1), 0, 0);
        assertThatThrownBy(() -> copies.await()).hasMessageContaining("copies between the tiers failed");
        assertThatThrownBy(() -> copies.landed()).hasMessageContaining("broken");
        assertThatThrownBy(() -> copies.add(out(1, 1), 0, 0)).hasMessageContaining("broken");
    }

    @Test
    void closingWaitsForTheCopyUnderWayAndStartsNoOther() throws InterruptedException {
        pages.gated = true;
        pages.pages[0][1] = 5;
        copies.add(out(1, 1), 0, 0);
        copies.add(out(1, 2), 0, 0);
        pages.waiting.await();
        Thread closer = Thread.ofPlatform().start(copies::close);
        pages.gated = false;
        pages.gate.release();
        closer.join();
        assertThat(pages.pages[0][DEVICE_PAGES + 1]).isEqualTo(5);
        assertThat(copies.landed()).isLessThanOrEqualTo(2);
    }

    /** Any mixture of sizes, orders and steps moves pages as a list of copies done one by one would. */
    @Test
    void anyMixtureEndsAsIfDoneOneByOne() {
        Seeds.forEach(40, random -> {
            copies.close();
            Arrays.fill(pages.pages[0], 0);
            copies = copies(random.nextBoolean() ? 1000 : 200_000);
            int[] expected = new int[DEVICE_PAGES + HOST_PAGES];
            for (int i = 0; i < DEVICE_PAGES; i++) {
                pages.pages[0][i] = expected[i] = 100 + i;
            }
            long computed = 0;
            long number = 0;
            for (int i = 0; i < 60; i++) {
                number = copies.add(list(random, expected), computed + random.nextInt(3), computed);
                if (random.nextInt(3) == 0) {
                    copies.computed(++computed);
                }
            }
            copies.computed(computed + 3);
            copies.await();
            assertThat(copies.landed()).isEqualTo(number).isEqualTo(60);
            assertThat(pages.pages[0]).isEqualTo(expected);
        });
    }

    private static PageCopies list(SplittableRandom random, int[] expected) {
        PageCopies list = new PageCopies();
        for (int i = random.nextInt(5); i >= 0; i--) {
            int device = random.nextInt(DEVICE_PAGES);
            int host = random.nextInt(HOST_PAGES);
            boolean down = random.nextBoolean();
            PageCopies one = down ? out(device, host) : in(host, device);
            list.add(0, one.fromTier[0], one.fromPage[0], one.toTier[0], one.toPage[0]);
            if (down) {
                expected[DEVICE_PAGES + host] = expected[device];
            } else {
                expected[device] = expected[DEVICE_PAGES + host];
            }
        }
        return list;
    }
}
