package rondo.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How sequences end, and what their owners learn of each turn: tokens and ends become visible together. */
final class Outcomes {
    private static final Logger LOG = LoggerFactory.getLogger(Outcomes.class);

    private final EngineOptions options;
    private final Scheduler scheduler;
    private final QueueLimits queue;
    private final Counters counters;
    private final StepStats stats;
    private final SequenceList touched = new SequenceList(false);

    /** Whether the cache's numbers have changed enough to be read again. */
    boolean changed;

    Outcomes(EngineOptions options, Scheduler scheduler, QueueLimits queue, Counters counters, StepStats stats) {
        this.options = options;
        this.scheduler = scheduler;
        this.queue = queue;
        this.counters = counters;
        this.stats = stats;
    }

    /**
     * The owner hears of it with the next {@link #publish}; slot and pages follow when nothing of it is in flight.
     *
     * @param commit whether what it has written may be reused
     */
    void end(Sequence s, Ending ending, boolean commit) {
        s.state = Sequence.State.DONE;
        s.ending = ending;
        queue.leave(s);
        changed = true;
        counters.add(
                switch (ending.reason()) {
                    case STOP, LENGTH -> Counters.FINISHED;
                    case CANCELLED -> Counters.CANCELLED;
                    case TIMEOUT, REFUSED, ERROR -> Counters.FAILED;
                },
                1);
        touch(s);
        stats.ended(s);
        // Last, so that the owner hears of the end even if the cache should be broken.
        if (s.admitted()) {
            scheduler.retire(s, commit);
        } else {
            scheduler.waiting.remove(s);
        }
    }

    /** There is something to publish. */
    void touch(Sequence s) {
        if (!s.touched) {
            s.touched = true;
            touched.add(s);
        }
    }

    /** Its owner has found that it ends at this output length. */
    void stopAt(Sequence s, int outputTokens, FinishReason why) {
        if (s.state == Sequence.State.DONE) {
            return;
        }
        if (outputTokens < s.limit) {
            s.limit = outputTokens;
            s.limitReason = why;
        }
        if (s.keys.outputTokens() >= s.limit) {
            end(s, new Ending(s.limitReason, -1, ""), true);
        }
    }

    /** Ends those whose time is over. */
    void expire(long now) {
        long queueLimit = options.queueTimeoutMillis() * 1_000_000;
        long requestLimit = options.requestTimeoutMillis() * 1_000_000;
        if (queueLimit == 0 && requestLimit == 0) {
            return;
        }
        for (int i = scheduler.waiting.size() - 1; i >= 0; i--) {
            Sequence s = scheduler.waiting.get(i);
            long age = now - s.handle.arrivalNanos;
            if ((queueLimit > 0 && s.queued && age > queueLimit) || (requestLimit > 0 && age > requestLimit)) {
                end(s, Ending.TIMEOUT, true);
            }
        }
        for (int i = scheduler.active.size() - 1; requestLimit > 0 && i >= 0; i--) {
            Sequence s = scheduler.active.get(i);
            if (now - s.handle.arrivalNanos > requestLimit) {
                end(s, Ending.TIMEOUT, true);
            }
        }
    }

    /** It has the cache to itself, and that is not enough. */
    void exhausted(Sequence s) {
        int output = s.keys.outputTokens();
        LOG.warn(
                "the KV cache is exhausted by one request: request={} prompt_tokens={} output_tokens={}",
                s.request.id(),
                s.promptTokens(),
                output);
        end(s, output > 0 ? Ending.LENGTH : Ending.refused("the KV cache has no room for this prompt"), true);
    }

    /** Tokens and ends of this turn become visible. */
    void publish() {
        for (int i = 0; i < touched.size(); i++) {
            Sequence s = touched.get(i);
            s.touched = false;
            try {
                s.handle.publish(s.state == Sequence.State.DONE ? s.ending : null);
            } catch (RuntimeException e) {
                LOG.error("listener failed: request={}", s.request.id(), e);
            }
        }
        touched.clear();
    }
}
