package rondo.server;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import rondo.base.Threads;

/** The few threads that parse, render, tokenize and hash; what waits for them is bounded in number and in bytes. */
final class RequestPool implements AutoCloseable {
    private static final int MAX_WAITING = 4096;

    private final ThreadPoolExecutor executor;
    private final long maxBytes;
    private final AtomicLong bytes = new AtomicLong();

    /**
     * @param threads  0 = half the processors, 1 to 8
     * @param maxBytes of all bodies that wait or are being read
     */
    RequestPool(int threads, long maxBytes) {
        int n = threads > 0 ? threads : Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 8);
        this.maxBytes = maxBytes;
        executor = new ThreadPoolExecutor(
                n, n, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(MAX_WAITING), Threads.platform("rondo-parse"));
    }

    /** Runs it soon, or refuses with a 429. */
    void run(int bodyBytes, Runnable work) throws ApiError {
        if (bytes.addAndGet(bodyBytes) > maxBytes && bytes.get() > bodyBytes) {
            bytes.addAndGet(-bodyBytes);
            throw ApiError.queueFull("too many request bytes are waiting to be read, try again");
        }
        try {
            executor.execute(() -> {
                try {
                    work.run();
                } finally {
                    bytes.addAndGet(-bodyBytes);
                }
            });
        } catch (RejectedExecutionException e) {
            bytes.addAndGet(-bodyBytes);
            throw ApiError.queueFull("too many requests are waiting to be read, try again");
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
