package rondo.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the requests that wait for their first admission, from any thread, and refuses what passes the limits. */
final class QueueLimits {
    private final int maxRequests;
    private final long maxTokens;
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicLong tokens = new AtomicLong();

    QueueLimits(int maxRequests, long maxTokens) {
        this.maxRequests = maxRequests;
        this.maxTokens = maxTokens;
    }

    void enter(int promptTokens) throws QueueFull {
        if (requests.incrementAndGet() > maxRequests) {
            requests.decrementAndGet();
            throw new QueueFull("the waiting queue is full (rondo.max_queue_size=" + maxRequests + ")");
        }
        if (tokens.addAndGet(promptTokens) > maxTokens) {
            tokens.addAndGet(-promptTokens);
            requests.decrementAndGet();
            throw new QueueFull("the waiting queue is full (rondo.max_queued_tokens=" + maxTokens + ")");
        }
    }

    /** The sequence waits no longer; no effect the second time. */
    void leave(Sequence s) {
        if (s.queued) {
            s.queued = false;
            requests.decrementAndGet();
            tokens.addAndGet(-s.promptTokens());
        }
    }

    int requests() {
        return requests.get();
    }

    long tokens() {
        return tokens.get();
    }
}
