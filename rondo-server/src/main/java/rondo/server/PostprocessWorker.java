package rondo.server;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Threads;
import rondo.engine.TokenBatch;

/**
 * A thread that turns tokens into text and JSON (serve-config.md §3.2). Whoever has news for a task, the engine thread
 * above all, only links it into a list: no lock, no allocation, no waiting.
 */
final class PostprocessWorker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PostprocessWorker.class);

    /** Work that is pinned to a worker and is in its list at most once. */
    abstract static class Task {
        private final AtomicBoolean queued = new AtomicBoolean();
        private @Nullable Task next;

        /** Looks at everything that may be new. Called by the worker only. */
        abstract void run(TokenBatch scratch);

        /** {@link #run} has thrown: a fault of ours. */
        abstract void broken(Throwable fault);
    }

    private final AtomicReference<@Nullable Task> head = new AtomicReference<>();
    private final TokenBatch scratch = new TokenBatch();
    private final Thread thread;
    private volatile boolean parked;
    private volatile boolean closed;

    PostprocessWorker(int index) {
        thread = Threads.start("rondo-post-" + index, this::loop);
    }

    /** There is news for the task; from any thread. */
    void signal(Task task) {
        if (!task.queued.compareAndSet(false, true)) {
            return;
        }
        Task first;
        do {
            first = head.get();
            task.next = first;
        } while (!head.compareAndSet(first, task));
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    private void loop() {
        while (!closed) {
            Task newest = head.getAndSet(null);
            if (newest == null) {
                park();
            } else {
                runAll(newest);
            }
        }
    }

    private void park() {
        parked = true;
        if (head.get() == null && !closed) {
            LockSupport.park(this);
        }
        parked = false;
    }

    /** The list is newest first; it is turned round so that tasks run in the order of their signals. */
    private void runAll(Task newest) {
        Task first = null;
        for (Task t = newest; t != null; ) {
            Task older = t.next;
            t.next = first;
            first = t;
            t = older;
        }
        for (Task t = first; t != null; ) {
            Task following = t.next;
            t.next = null;
            // Cleared before the look: what comes during it signals again.
            t.queued.set(false);
            try {
                t.run(scratch);
            } catch (RuntimeException | Error e) {
                LOG.error("postprocessing failed", e);
                t.broken(e);
            }
            t = following;
        }
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }

    /** Whether its thread has ended. */
    boolean join(long millis) throws InterruptedException {
        thread.join(millis);
        return !thread.isAlive();
    }
}
