package rondo.engine;

import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;
import rondo.engine.spi.Executor;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvCache;

/**
 * One turn of the engine: take commands, plan and submit step n + 1, await step n, apply its tokens, fill the masks of
 * n + 1, sample n + 1, publish. Without overlap each step is awaited in its own turn. Everything here belongs to the
 * engine thread, except what is volatile.
 */
final class StepLoop {
    private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);
    /** How often the cache is told the time. */
    private static final long KV_NOW_NANOS = 1_000_000_000;
    /** How often an engine without work looks whether the last copies have landed. */
    private static final long COPY_POLL_NANOS = 500_000;

    private final Executor executor;
    private final KvCache kv;
    private final EngineOptions options;
    private final TimeSource time;
    private final Queue<Command> commands;
    private final Scheduler scheduler;
    private final RowMasks masks;
    private final Outcomes outcomes;
    private final Landing landing;
    private final StallWatch stallWatch;
    private final Publisher publisher;
    private final Fences fences = new Fences();
    private final Flight[] flights;

    final Counters counters = new Counters();
    final StepStats stats;
    volatile EngineStats.State state = EngineStats.State.STARTING;
    /** Zero once a draining engine has nothing left. */
    final CountDownLatch drained = new CountDownLatch(1);

    private String failure = "";
    /** A plan that was not submitted: its page work goes into the next step. */
    private @Nullable StepPlan unused;
    /** The step that is being computed while the next one is planned. */
    private @Nullable Flight flying;

    /** As far as the cache knows. */
    private long toldRetired;

    private boolean clearWanted;
    private long arrivals;
    private long kvNowAt;
    private long drains;

    StepLoop(
            Executor executor,
            KvCache kv,
            EngineOptions options,
            TimeSource time,
            Queue<Command> commands,
            QueueLimits queue,
            StepEvents events) {
        this.executor = executor;
        this.kv = kv;
        this.options = options;
        this.time = time;
        this.commands = commands;
        this.scheduler = new Scheduler(options, kv, executor.model().layout(), queue);
        this.masks = new RowMasks(executor.model().vocabulary());
        this.stats = new StepStats(options, executor.model().layout(), kv, scheduler, counters, time);
        this.outcomes = new Outcomes(options, scheduler, queue, counters, stats);
        this.landing = new Landing(kv, scheduler, outcomes, counters, time);
        this.stallWatch = new StallWatch(scheduler, kv, outcomes, counters);
        this.publisher = new Publisher(scheduler, kv, events, outcomes, counters, stats, fences);
        this.flights = new Flight[] {new Flight(options.maxBatchSize()), new Flight(options.maxBatchSize())};
    }

    /** As {@link EngineLoop#tick}. */
    long turn() {
        takeCommands();
        if (state == EngineStats.State.FAILED) {
            publish();
            return EngineLoop.IDLE;
        }
        long now = time.nanoTime();
        outcomes.expire(now);
        if (clearWanted) {
            clear();
        }
        scheduler.hurries = state != EngineStats.State.READY;
        long held = scheduler.active.isEmpty() ? scheduler.held(now) : 0;
        if ((!scheduler.hasWork() || held > 0) && flying == null) {
            settle();
            publish();
            long due = held > 0 ? now + held : EngineLoop.IDLE;
            due = fences.copiesUnderWay() ? Math.min(due, now + COPY_POLL_NANOS) : due;
            return commands.isEmpty() ? due : now;
        }
        boolean progress = step(now);
        stallWatch.planned(progress);
        publish();
        return now;
    }

    // ---- commands and time limits

    private void takeCommands() {
        for (Command c = commands.poll(); c != null; c = commands.poll()) {
            switch (c) {
                case Command.Submit(Sequence s) -> {
                    s.arrival = ++arrivals;
                    if (state == EngineStats.State.FAILED) {
                        outcomes.end(s, Ending.error(failure), false);
                    } else {
                        scheduler.waiting.insert(s);
                    }
                }
                case Command.Cancel(Sequence s) -> {
                    if (s.state != Sequence.State.DONE) {
                        outcomes.end(s, Ending.CANCELLED, true);
                    }
                }
                case Command.StopAt(Sequence s, int outputTokens, FinishReason why) ->
                    outcomes.stopAt(s, outputTokens, why);
                case Command.ClearCache() -> clearWanted = true;
                case Command.Wake() -> {}
            }
        }
    }

    // ---- one step

    private boolean step(long now) {
        StepPlan plan = plan();
        Flight next = flying == flights[0] ? flights[1] : flights[0];
        next.begunNanos = now;
        if (now - kvNowAt >= KV_NOW_NANOS) {
            kvNowAt = now;
            kv.now(now);
        }
        boolean progress = fill(plan, next, now);
        if (scheduler.wantsDrain() && flying != null) {
            drains++;
            if (!land(flying)) {
                return true;
            }
            plan.clearRuns();
            progress |= fill(plan, next, now);
        }
        boolean runs = !next.runs.isEmpty();
        // With nothing in flight a step without runs waits for the copies that all others wait for.
        boolean submits = runs || (flying == null && scheduler.hasWork());
        if (submits) {
            submit(plan, next);
        }
        if (flying != null) {
            progress = true;
            if (!land(flying)) {
                return true;
            }
        }
        if (submits) {
            sample(plan, next);
            flying = next;
            if (!runs || !overlaps()) {
                land(next);
            }
        }
        return progress;
    }

    /**
     * Whether a step stays in flight while the next one is planned. Once sequences draft, not while one of them does: a
     * draft starts from the newest token, and how much of it is accepted decides the next positions.
     */
    private boolean overlaps() {
        return options.overlap();
    }

    /** The plan that was not submitted, with its page work, or a fresh one. */
    private StepPlan plan() {
        StepPlan plan = unused;
        if (plan == null) {
            plan = executor.plan();
            unused = plan;
        } else {
            plan.clearRuns();
        }
        return plan;
    }

    private boolean fill(StepPlan plan, Flight next, long now) {
        boolean waited = fences.copiesUnderWay();
        tellFences();
        boolean settled = flying == null && !fences.copiesUnderWay();
        int before = scheduler.active.size();
        boolean progress = scheduler.plan(plan, next, fences.submitted(), settled, now);
        if (plan.pages.tierCopies.count > 0) {
            long batch = executor.copy(plan.pages.tierCopies, plan.pages.copiesAfter);
            plan.pages.tierCopies.clear();
            plan.pages.copiesAfter = 0;
            fences.copying(batch);
            kv.copiesStarted(batch);
        }
        outcomes.changed |= progress && scheduler.active.size() != before;
        for (int i = 0; i < scheduler.refused.size(); i++) {
            Sequence s = scheduler.refused.get(i);
            outcomes.end(s, s.ending == null ? Ending.refused("refused") : s.ending, false);
        }
        for (int i = 0; i < scheduler.exhausted.size(); i++) {
            outcomes.exhausted(scheduler.exhausted.get(i));
        }
        return progress || waited || fences.copiesUnderWay();
    }

    private void tellFences() {
        long landed = executor.pollCopies();
        if (fences.landed(landed)) {
            kv.copied(landed);
        }
        toldRetired = fences.retired();
        kv.fences(fences.submitted(), fences.completed(), toldRetired);
    }

    private void submit(StepPlan plan, Flight next) {
        unused = null;
        long number = executor.submit(plan);
        fences.submit(number);
        for (int i = 0; i < next.runs.size(); i++) {
            kv.submitted(next.runs.get(i).reservation, next.length[i], number);
        }
        next.submitted(number);
        stats.submitted(next, time.nanoTime());
    }

    /** Late: by now the tokens of the step before are known, and who has ended with it. */
    private void sample(StepPlan plan, Flight next) {
        long begin = time.nanoTime();
        for (int i = 0; i < next.runs.size(); i++) {
            int row = next.row[i];
            if (row == Flight.NO_ROW) {
                continue;
            }
            Sequence s = next.runs.get(i);
            if (s.state == Sequence.State.DONE) {
                plan.samples.wanted[row] = false;
            } else {
                mask(s, row, plan);
            }
        }
        executor.sample(plan);
        next.hostNanos = time.nanoTime() - begin;
    }

    /** A grammar that cannot be followed ends its own sequence, and no other one. */
    private void mask(Sequence s, int row, StepPlan plan) {
        try {
            masks.fill(s, row, plan.samples);
        } catch (RuntimeException e) { // grammars come from strangers
            LOG.warn("grammar failed: request={} reason={}", s.request.id(), e.toString());
            plan.samples.wanted[row] = false;
            outcomes.end(s, Ending.error("the grammar cannot be followed: " + e.getMessage()), true);
        }
    }

    /** Awaits the step in flight and applies what it gave; false if everything has failed. */
    private boolean land(Flight f) {
        try {
            landing.apply(f, executor.await(f.step), null);
        } catch (StepFailure e) {
            switch (e) {
                case StepFailure.RowsFailed rows -> {
                    LOG.warn("step failed in part: step={} reason={}", f.step, rows.getMessage());
                    landing.apply(f, rows.result(), rows);
                }
                case StepFailure.DeviceLost lost -> {
                    LOG.error("device lost: step={} reason={}", f.step, lost.getMessage(), lost);
                    fail("the device was lost: " + lost.getMessage());
                    return false;
                }
            }
        }
        flying = null;
        fences.complete(f.step);
        counters.add(Counters.STEPS, 1);
        stats.completed(f, time.nanoTime());
        return true;
    }

    /** Nothing may be in flight while cached pages go. */
    private void clear() {
        clearWanted = false;
        if ((flying != null && !land(flying)) || !stepWithoutRuns()) {
            return;
        }
        tellFences();
        kv.clear();
        outcomes.changed = true;
    }

    /** Nobody is left: what was held for copies is let go once they have landed. */
    private void settle() {
        if (unused != null && !unused.pages.isEmpty() && !stepWithoutRuns()) {
            return;
        }
        long told = toldRetired;
        boolean copying = fences.copiesUnderWay();
        tellFences();
        outcomes.changed |= told < toldRetired || copying;
    }

    /** Does the page work that is left, and waits for all copies; false if everything has failed. */
    private boolean stepWithoutRuns() {
        StepPlan plan = plan();
        Flight next = flights[0];
        next.clear();
        submit(plan, next);
        sample(plan, next);
        return land(next);
    }

    // ---- the end of the engine

    /** Everybody gets the error; nothing runs any more. */
    void fail(String why) {
        failure = why;
        state = EngineStats.State.FAILED;
        abandonFlights();
        endAll(Ending.error(why));
        drained.countDown();
    }

    /** The engine stops: whoever is left is cancelled. */
    void stop() {
        state = EngineStats.State.STOPPED;
        takeCommands();
        if (flying != null) {
            try {
                land(flying);
            } catch (RuntimeException e) {
                LOG.error("the last step failed: reason={}", e.toString(), e);
            }
        }
        abandonFlights();
        endAll(Ending.CANCELLED);
        publish();
        drained.countDown();
    }

    /** Nothing is awaited any more, so nothing is in flight. */
    private void abandonFlights() {
        flying = null;
        for (Flight f : flights) {
            for (int i = 0; i < f.runs.size(); i++) {
                Sequence s = f.runs.get(i);
                boolean leaving = s.state == Sequence.State.DONE && s.inFlight > 0;
                s.inFlight = 0;
                s.samplesInFlight = 0;
                if (leaving) {
                    s.commitAtEnd = false;
                    release(() -> scheduler.slots.landed(s));
                }
            }
        }
    }

    private void release(Runnable last) {
        try {
            last.run();
        } catch (RuntimeException e) {
            LOG.error("pages of a sequence could not be released: active={}", scheduler.active.size(), e);
        }
    }

    private void endAll(Ending ending) {
        while (!scheduler.active.isEmpty()) {
            Sequence s = scheduler.active.get(scheduler.active.size() - 1);
            release(() -> outcomes.end(s, ending, false));
        }
        while (!scheduler.waiting.isEmpty()) {
            outcomes.end(scheduler.waiting.get(scheduler.waiting.size() - 1), ending, false);
        }
    }

    /** Others see what the turn gave; a draining engine may be done. */
    void publish() {
        publisher.publish(drains, state == EngineStats.State.FAILED);
        if (state == EngineStats.State.DRAINING
                && !scheduler.hasWork()
                && toldRetired == fences.submitted()
                && commands.isEmpty()) {
            drained.countDown();
        }
    }
}
