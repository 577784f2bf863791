package rondo.model.decoder;

import java.util.ArrayDeque;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import rondo.base.Threads;
import rondo.kv.KvLayout;
import rondo.kv.PageCopies;
import rondo.kv.Tier;
import rondo.model.compute.KvMemory;

/**
 * Copies between tiers where both lie in one memory: host page p of a life cycle is page {@code firstHostPage + p}.
 * Batches land in order, none before its step has been computed. A small batch is copied at once by the caller; a large
 * one by a thread of its own, so that no step waits for a copy that it does not need. The cache sees to it that no step
 * reads or writes a page meanwhile that a copy writes.
 */
final class TierCopies implements AutoCloseable {
    /** About what waking the thread costs, in bytes copied (30 µs). */
    private static final long AT_ONCE_BYTES = 256 << 10;
    /** Batch lists that are kept for the next ones. */
    private static final int SPARE = 16;

    /** A list of copies with its place in the order; reused. */
    private static final class Batch {
        final PageCopies copies = new PageCopies();
        long afterStep;
        long number;
        long bytes;
    }

    private final KvMemory kv;
    private final long[] pageBytes;
    private final int[] firstHostPage;
    private final ArrayDeque<Batch> early = new ArrayDeque<>();
    private final BlockingQueue<Batch> due = new LinkedBlockingQueue<>();
    private final BlockingQueue<Batch> spare = new ArrayBlockingQueue<>(SPARE);
    /** One permit per batch that the thread has done, for {@link #await}. */
    private final Semaphore done = new Semaphore(0);

    private long issued;
    private long handedOver;
    private long awaited;
    private volatile long landed;
    private volatile @Nullable Throwable failure;
    private @Nullable Thread thread;

    TierCopies(KvMemory kv, KvLayout layout, int[] firstHostPage) {
        this.kv = kv;
        this.firstHostPage = firstHostPage;
        pageBytes = layout.pageBytes().stream().mapToLong(Long::longValue).toArray();
    }

    /** Takes a batch and returns its number; the list may be reused at once. */
    long add(PageCopies copies, long afterStep, long computed) {
        requireWhole();
        long bytes = bytes(copies);
        if (afterStep <= computed && bytes <= AT_ONCE_BYTES && landed == issued) {
            copy(copies);
            landed = ++issued;
            return issued;
        }
        Batch batch = spare.poll();
        if (batch == null) {
            batch = new Batch();
        }
        batch.copies.clear();
        for (int i = 0; i < copies.count; i++) {
            batch.copies.add(
                    copies.lifeCycle[i], copies.fromTier[i], copies.fromPage[i], copies.toTier[i], copies.toPage[i]);
        }
        batch.afterStep = afterStep;
        batch.number = ++issued;
        batch.bytes = bytes;
        early.add(batch);
        computed(computed);
        return issued;
    }

    /** Lets go what has waited for this step. */
    void computed(long step) {
        while (!early.isEmpty() && early.element().afterStep <= step) {
            Batch batch = early.remove();
            if (batch.bytes <= AT_ONCE_BYTES && landed == batch.number - 1) {
                copy(batch.copies);
                landed = batch.number;
                boolean unused = spare.offer(batch); // one that finds no room is not kept
            } else {
                if (thread == null) {
                    thread = Threads.start("rondo-copies", this::work);
                }
                handedOver++;
                due.add(batch);
            }
        }
    }

    private void work() {
        try {
            while (true) {
                Batch batch = due.take();
                copy(batch.copies);
                landed = batch.number;
                boolean unused = spare.offer(batch); // one that finds no room is not kept
                done.release();
            }
        } catch (InterruptedException e) {
            // closed: what is left need not be copied any more
        } catch (Throwable e) { // whatever it is, the engine must hear of it
            failure = e;
            done.release(Integer.MAX_VALUE / 2);
        }
    }

    /** The highest batch up to which all have landed. */
    long landed() {
        requireWhole();
        return landed;
    }

    /** Waits until every batch whose step has been computed has landed. */
    void await() {
        int batches = Math.toIntExact(handedOver - awaited);
        awaited = handedOver;
        done.acquireUninterruptibly(batches);
        requireWhole();
    }

    private void requireWhole() {
        Throwable e = failure;
        if (e != null) {
            throw new IllegalStateException("copies between the tiers failed: " + e, e);
        }
    }

    /** Runs a list of copies, between tiers or within the device. */
    private void copy(PageCopies copies) {
        for (int i = 0; i < copies.count; i++) {
            int group = copies.lifeCycle[i];
            kv.copyPage(
                    group,
                    page(group, copies.fromTier[i], copies.fromPage[i]),
                    page(group, copies.toTier[i], copies.toPage[i]));
        }
    }

    private long bytes(PageCopies copies) {
        long bytes = 0;
        for (int i = 0; i < copies.count; i++) {
            bytes += pageBytes[copies.lifeCycle[i]];
        }
        return bytes;
    }

    private int page(int group, Tier tier, int page) {
        return tier == Tier.HOST ? firstHostPage[group] + page : page;
    }

    /** Ends the thread; afterwards no page is touched any more. */
    @Override
    public void close() {
        Thread running = thread;
        if (running == null) {
            return;
        }
        running.interrupt();
        boolean interrupted = false;
        while (running.isAlive()) {
            try {
                running.join();
            } catch (InterruptedException e) {
                interrupted = true; // the pages are about to be unmapped: the copy must be over first
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
