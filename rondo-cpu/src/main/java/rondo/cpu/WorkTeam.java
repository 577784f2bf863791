package rondo.cpu;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import rondo.base.Threads;

/**
 * A few persistent threads that share the tiles of one parallel region after another. The calling thread is worker 0 and
 * never waits for a helper that has not joined: helpers spin for about 2,000 turns after a region and then park, and a
 * region too small to be worth a wake-up is simply done by the caller and whoever is still awake.
 *
 * <p>A region is published by opening {@link #next}; it is closed by moving {@code next} out of reach. A helper counts
 * itself into {@link #inside} before it takes a tile and out after its last one, and the caller closes the region before it
 * waits for {@code inside} to become 0: so a late helper either takes tiles of an open region or none.
 */
final class WorkTeam implements AutoCloseable {
    /** Work that is cut into tiles; called with different tiles from all workers at once. */
    interface Region {
        void tile(int tile, int worker);
    }

    /** Below this a region is done by the caller alone: handing over costs about a microsecond. */
    static final long SHARE_NANOS = 8_000;

    /** Below this no parked helper is woken: that costs the caller some microseconds and the helper tens of them. */
    static final long WAKE_NANOS = 40_000;

    private static final int SPINS = 2_000;
    private static final long CLOSED = 1L << 40;

    private final AtomicLong next = new AtomicLong(CLOSED);
    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final List<Helper> helpers = new ArrayList<>();
    private @Nullable Region region;
    private long tiles;
    private volatile boolean stopped;

    /** @param threads workers in all, the calling thread included */
    WorkTeam(int threads) {
        ThreadFactory factory = Threads.platform("rondo-cpu");
        for (int i = 1; i < threads; i++) {
            Helper helper = new Helper(i);
            helper.thread = factory.newThread(helper);
            helpers.add(helper);
        }
        helpers.forEach(helper -> helper.thread.start());
    }

    int threads() {
        return helpers.size() + 1;
    }

    /**
     * Runs all tiles and returns when they are done.
     *
     * @param nanos about how long one thread would take; decides who is asked
     */
    void run(Region work, int count, long nanos) {
        if (stopped) {
            throw new IllegalStateException("the work team is closed");
        }
        if (count <= 1 || helpers.isEmpty() || nanos < SHARE_NANOS) {
            for (int i = 0; i < count; i++) {
                work.tile(i, 0);
            }
            return;
        }
        region = work;
        tiles = count;
        next.set(0);
        if (nanos >= WAKE_NANOS) {
            wake();
        }
        try {
            take(work, count, 0);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
        next.set(CLOSED);
        awaitHelpers();
        Throwable failed = failure.get();
        if (failed != null) {
            failure.set(null);
            WorkTeam.<RuntimeException>rethrow(failed);
        }
    }

    private void take(Region work, long count, int worker) {
        for (long tile = next.getAndIncrement(); tile < count; tile = next.getAndIncrement()) {
            work.tile((int) tile, worker);
        }
    }

    private void wake() {
        for (int i = 0; i < helpers.size(); i++) {
            Helper helper = helpers.get(i);
            if (helper.parked) {
                LockSupport.unpark(helper.thread);
            }
        }
    }

    /** A helper inside is at work on a tile; if it does not finish soon it may need this very core, so give way. */
    private void awaitHelpers() {
        for (int spins = 0; inside.get() != 0; spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    @SuppressWarnings("unchecked") // the usual trick: the caller sees the helper's own exception, checked or not
    private static <E extends Throwable> void rethrow(Throwable e) throws E {
        throw (E) e;
    }

    /** Ends the helpers and waits until they are gone. */
    @Override
    public void close() {
        stopped = true;
        for (Helper helper : helpers) {
            LockSupport.unpark(helper.thread);
        }
        boolean interrupted = false;
        for (Helper helper : helpers) {
            while (helper.thread.isAlive()) {
                try {
                    helper.thread.join();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private final class Helper implements Runnable {
        private final int worker;
        private volatile boolean parked;

        @SuppressWarnings("NullAway.Init") // set once, before the thread starts
        private Thread thread;

        Helper(int worker) {
            this.worker = worker;
        }

        @Override
        public void run() {
            int idle = 0;
            while (!stopped) {
                if (next.get() < CLOSED) {
                    join();
                    idle = 0;
                } else if (idle++ < SPINS) {
                    Thread.onSpinWait();
                } else {
                    parked = true;
                    if (next.get() >= CLOSED && !stopped) {
                        LockSupport.park(WorkTeam.this);
                    }
                    parked = false;
                    idle = 0;
                }
            }
        }

        private void join() {
            inside.incrementAndGet();
            try {
                long tile = next.getAndIncrement();
                if (tile < CLOSED) {
                    // read after the tile was taken: they belong to the region that is open now
                    Region work = region;
                    long count = tiles;
                    if (work != null && tile < count) {
                        work.tile((int) tile, worker);
                        take(work, count, worker);
                    }
                }
            } catch (Throwable e) {
                failure.compareAndSet(null, e);
                next.set(CLOSED);
            } finally {
                inside.decrementAndGet();
            }
        }
    }
}
