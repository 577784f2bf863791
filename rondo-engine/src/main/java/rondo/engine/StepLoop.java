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
import rondo.engine.spi.StepResult;
import rondo.kv.KvCache;

/**
 * One turn of the engine: take commands, plan and submit step n + 1, await step n, apply its tokens, fill the masks of
 * n + 1, sample n + 1, publish. Without overlap each step is awaited in its own turn. Everything here belongs to the
 * engine thread, except what is volatile.
 */
final class StepLoop {
    private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);
    /** Plans in a row with sequences but without progress after which the youngest is given up. */
    private static final int STALL = 1000;
    /** How often the cache is told the time. */
    private static final long KV_NOW_NANOS = 1_000_000_000;
    /** How often an engine without work looks whether the last copies have landed. */
    private static final long COPY_POLL_NANOS = 500_000;

    private final Executor executor;
    private final KvCache kv;
    private final EngineOptions options;
    private final TimeSource time;
    private final Queue<Command> commands;
    private final QueueLimits queue;
    private final Scheduler scheduler;
    private final RowMasks masks;
    private final StepEvents events;
    private final SequenceList touched = new SequenceList(false);
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
    private int stalls;
    private boolean changed;
    private long kvNowAt;
    private long recomputedTokens;
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
        this.queue = queue;
        this.events = events;
        this.scheduler = new Scheduler(options, kv, executor.model().layout(), queue);
        this.masks = new RowMasks(executor.model().vocabulary());
        this.stats = new StepStats(options, executor.model().layout(), kv, scheduler, counters, time);
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
        expire(now);
        if (clearWanted) {
            clear();
        }
        if (scheduler.active.isEmpty() && scheduler.waiting.isEmpty() && flying == null) {
            settle();
            publish();
            return !commands.isEmpty() ? now : fences.copiesUnderWay() ? now + COPY_POLL_NANOS : EngineLoop.IDLE;
        }
        boolean progress = step(now);
        watchForStall(progress);
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
                        end(s, Ending.error(failure), false);
                    } else {
                        scheduler.waiting.insert(s);
                    }
                }
                case Command.Cancel(Sequence s) -> {
                    if (s.state != Sequence.State.DONE) {
                        end(s, Ending.CANCELLED, true);
                    }
                }
                case Command.StopAt(Sequence s, int outputTokens, FinishReason why) -> stopAt(s, outputTokens, why);
                case Command.ClearCache() -> clearWanted = true;
                case Command.Wake() -> {}
            }
        }
    }

    private void stopAt(Sequence s, int outputTokens, FinishReason why) {
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

    private void expire(long now) {
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
        boolean submits = runs || (flying == null && hasWork());
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
            if (!runs || !options.overlap()) {
                land(next);
            }
        }
        return progress;
    }

    private boolean hasWork() {
        return !scheduler.active.isEmpty() || !scheduler.waiting.isEmpty();
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
        changed |= progress && scheduler.active.size() != before;
        for (int i = 0; i < scheduler.refused.size(); i++) {
            Sequence s = scheduler.refused.get(i);
            end(s, s.ending == null ? Ending.refused("refused") : s.ending, false);
        }
        for (int i = 0; i < scheduler.exhausted.size(); i++) {
            exhausted(scheduler.exhausted.get(i));
        }
        return progress || waited || fences.copiesUnderWay();
    }

    /** It has the cache to itself, and that is not enough. */
    private void exhausted(Sequence s) {
        int output = s.keys.outputTokens();
        LOG.warn(
                "the KV cache is exhausted by one request: request={} prompt_tokens={} output_tokens={}",
                s.request.id(),
                s.promptTokens(),
                output);
        end(s, output > 0 ? Ending.LENGTH : Ending.refused("the KV cache has no room for this prompt"), true);
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
                masks.fill(s, row, plan.samples);
            }
        }
        executor.sample(plan);
        next.hostNanos = time.nanoTime() - begin;
    }

    /** Awaits the step in flight and applies what it gave; false if everything has failed. */
    private boolean land(Flight f) {
        try {
            apply(f, executor.await(f.step), null);
        } catch (StepFailure e) {
            switch (e) {
                case StepFailure.RowsFailed rows -> {
                    LOG.warn("step failed in part: step={} reason={}", f.step, rows.getMessage());
                    apply(f, rows.result(), rows);
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

    private void apply(Flight f, StepResult result, StepFailure.@Nullable RowsFailed failure) {
        long now = time.nanoTime();
        f.deviceNanos = result.deviceNanos;
        for (int i = 0; i < f.runs.size(); i++) {
            Sequence s = f.runs.get(i);
            boolean sampled = f.row[i] != Flight.NO_ROW;
            s.inFlight--;
            s.samplesInFlight -= sampled ? 1 : 0;
            boolean failed = failure != null && failure.failed(i);
            if (s.state == Sequence.State.DONE) {
                // A superfluous run: what it wrote is never committed.
                kv.completed(s.reservation, 0, s.keys);
                if (s.inFlight == 0) {
                    scheduler.slots.landed(s);
                    changed = true;
                }
            } else if (failed) {
                kv.completed(s.reservation, 0, s.keys);
                end(s, Ending.error("the step failed: " + (failure == null ? "" : failure.getMessage())), false);
            } else {
                kv.completed(s.reservation, f.length[i], s.keys);
                advance(s, f.length[i]);
                if (sampled) {
                    sampled(s, result, f.row[i], now);
                }
            }
        }
        f.hostNanos += time.nanoTime() - now;
    }

    private void advance(Sequence s, int tokens) {
        int again = Math.min(tokens, s.computed - s.history);
        if (again > 0) {
            recomputedTokens += again;
        }
        s.history += tokens;
        s.computed = Math.max(s.computed, s.history);
    }

    private void sampled(Sequence s, StepResult result, int row, long now) {
        int token = result.token[row];
        if (token == StepResult.EMPTY_MASK) {
            LOG.warn("empty mask: request={} output_tokens={}", s.request.id(), s.keys.outputTokens());
            end(
                    s,
                    Ending.error("empty_mask: no token is allowed after " + s.keys.outputTokens() + " output tokens"),
                    true);
            return;
        }
        if (token < 0) {
            LOG.warn("bad logits: request={} output_tokens={}", s.request.id(), s.keys.outputTokens());
            end(s, Ending.error("the model gave no finite logits"), false);
            return;
        }
        if (!s.request.constraint().accept(token)) {
            end(s, Ending.error("the grammar does not allow token " + token + ", which was sampled"), true);
            return;
        }
        StopRules stop = s.request.stop();
        boolean ends = s.keys.outputTokens() >= stop.minTokens() && stop.ends(token);
        s.handle.token(now, s.keys.outputTokens() == 0);
        s.keys.append(token);
        s.handle.output().append(result, row);
        counters.add(Counters.GENERATED_TOKENS, 1);
        touch(s);
        if (s.request.constraint().finished()) {
            end(s, Ending.STOP, true);
        } else if (ends) {
            end(s, stop.isStopToken(token) ? new Ending(FinishReason.STOP, token, "") : Ending.STOP, true);
        } else if (s.keys.outputTokens() >= s.limit) {
            end(s, s.limitReason == FinishReason.LENGTH ? Ending.LENGTH : new Ending(s.limitReason, -1, ""), true);
        }
    }

    /** Nothing may be in flight while cached pages go. */
    private void clear() {
        clearWanted = false;
        if ((flying != null && !land(flying)) || !stepWithoutRuns()) {
            return;
        }
        tellFences();
        kv.clear();
        changed = true;
    }

    /** Nobody is left: what was held for copies is let go once they have landed. */
    private void settle() {
        if (unused != null && !unused.pages.isEmpty() && !stepWithoutRuns()) {
            return;
        }
        changed |= toldRetired < fences.retired();
        tellFences();
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

    // ---- ends

    private void end(Sequence s, Ending ending, boolean commit) {
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

    private void touch(Sequence s) {
        if (!s.touched) {
            s.touched = true;
            touched.add(s);
        }
    }

    private void watchForStall(boolean progress) {
        boolean candidates = !scheduler.active.isEmpty() || !scheduler.waiting.isEmpty();
        if (progress || !candidates) {
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
            end(youngest, Ending.error("the scheduler is stuck: the KV cache has no room for this request"), true);
        }
    }

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
            release(() -> end(s, ending, false));
        }
        while (!scheduler.waiting.isEmpty()) {
            end(scheduler.waiting.get(scheduler.waiting.size() - 1), ending, false);
        }
    }

    // ---- what others see

    private void refreshKvStats() {
        try {
            stats.refreshKv();
        } catch (RuntimeException e) {
            // After a failure the cache may be broken too; the ends must still reach their owners.
            if (state != EngineStats.State.FAILED) {
                throw e;
            }
        }
    }

    /** Numbers and events first, then the tokens and ends: whoever has taken an end sees numbers that include it. */
    void publish() {
        counters.set(Counters.RUNNING, scheduler.active.size());
        counters.set(Counters.PAUSED, scheduler.paused());
        counters.set(Counters.WAITING_AGAIN, scheduler.waitingAgain());
        counters.set(Counters.PROMPT_TOKENS, scheduler.promptTokens);
        counters.set(Counters.CACHED_TOKENS, scheduler.cachedTokens);
        counters.set(Counters.SUSPENSIONS, scheduler.preemptor.suspensions);
        counters.set(Counters.RECOMPUTATIONS, scheduler.preemptor.recomputations);
        counters.set(Counters.RECOMPUTED_TOKENS, recomputedTokens);
        counters.set(Counters.DRAINS, drains);
        counters.set(Counters.REUSED_TOKENS, scheduler.reusedTokens);
        if (changed) {
            changed = false;
            refreshKvStats();
        }
        handOverEvents();
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
        if (state == EngineStats.State.DRAINING
                && scheduler.active.isEmpty()
                && scheduler.waiting.isEmpty()
                && flying == null
                && commands.isEmpty()) {
            drained.countDown();
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
