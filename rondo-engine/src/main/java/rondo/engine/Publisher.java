package rondo.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.kv.KvCache;

/** What others see after a turn: numbers, the cache's events, and last the tokens and ends. */
final class Publisher {
    private static final Logger LOG = LoggerFactory.getLogger(Publisher.class);

    private final Scheduler scheduler;
    private final KvCache kv;
    private final StepEvents events;
    private final Outcomes outcomes;
    private final Counters counters;
    private final StepStats stats;
    private final Fences fences;

    Publisher(
            Scheduler scheduler,
            KvCache kv,
            StepEvents events,
            Outcomes outcomes,
            Counters counters,
            StepStats stats,
            Fences fences) {
        this.scheduler = scheduler;
        this.kv = kv;
        this.events = events;
        this.outcomes = outcomes;
        this.counters = counters;
        this.stats = stats;
        this.fences = fences;
    }

    /**
     * Events and numbers first, then the tokens and ends: whoever has taken an end sees numbers that include it, and
     * whoever has seen numbers can have the events behind them.
     *
     * @param drains plans so far that were given up and made anew
     * @param failed whether the engine has failed
     */
    void publish(long drains, boolean failed) {
        handOverEvents();
        counters.set(Counters.RUNNING, scheduler.active.size());
        counters.set(Counters.PAUSED, scheduler.paused());
        counters.set(Counters.WAITING_AGAIN, scheduler.waitingAgain());
        counters.set(Counters.PROMPT_TOKENS, scheduler.admissions.promptTokens);
        counters.set(Counters.CACHED_TOKENS, scheduler.admissions.cachedTokens);
        counters.set(Counters.SUSPENSIONS, scheduler.preemptor.suspensions);
        counters.set(Counters.RECOMPUTATIONS, scheduler.preemptor.recomputations);
        counters.set(Counters.DRAINS, drains);
        counters.set(Counters.REUSED_TOKENS, scheduler.admissions.reusedTokens);
        if (outcomes.changed) {
            outcomes.changed = false;
            refreshKvStats(failed);
        }
        outcomes.publish();
    }

    private void refreshKvStats(boolean failed) {
        try {
            stats.refreshKv();
        } catch (RuntimeException e) {
            // After a failure the cache may be broken too; the ends must still reach their owners.
            if (!failed) {
                throw e;
            }
        }
    }

    private void handOverEvents() {
        if (events == StepEvents.NONE) {
            return;
        }
        try {
            int lost = kv.drainEvents(events);
            events.stepEnded(lost);
        } catch (RuntimeException e) {
            // Routers may be wrong about this server now, but its answers are right.
            LOG.error("kv events of a step are lost: step={}", fences.completed(), e);
        }
    }
}
