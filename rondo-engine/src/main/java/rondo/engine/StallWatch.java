package rondo.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.kv.KvCache;

/** Notices when there are sequences and yet no plan moves any, says so, and at last gives up the youngest. */
final class StallWatch {
    private static final Logger LOG = LoggerFactory.getLogger(StallWatch.class);
    /** Plans in a row with sequences but without progress after which the youngest is given up. */
    private static final int STALL = 1000;

    private final Scheduler scheduler;
    private final KvCache kv;
    private final Outcomes outcomes;
    private final Counters counters;
    private int stalls;

    StallWatch(Scheduler scheduler, KvCache kv, Outcomes outcomes, Counters counters) {
        this.scheduler = scheduler;
        this.kv = kv;
        this.outcomes = outcomes;
        this.counters = counters;
    }

    void planned(boolean progress) {
        if (progress || !scheduler.hasWork()) {
            stalls = 0;
            return;
        }
        stalls++;
        if (stalls % (STALL / 4) != 0) {
            return;
        }
        LOG.warn(
                "scheduler stalled: plans={} active={} waiting={} kv={}",
                stalls,
                scheduler.active.size(),
                scheduler.waiting.size(),
                kv.stats().pools());
        if (stalls >= STALL) {
            stalls = 0;
            counters.add(Counters.STALLS, 1);
            SequenceList stuck = scheduler.active.isEmpty() ? scheduler.waiting : scheduler.active;
            Sequence youngest = stuck.get(stuck.size() - 1);
            outcomes.end(
                    youngest, Ending.error("the scheduler is stuck: the KV cache has no room for this request"), true);
        }
    }
}
