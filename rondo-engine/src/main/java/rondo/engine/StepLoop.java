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
 * One turn of the engine, strictly in order: take commands, plan, submit, fill masks, sample, await, apply, publish.
 * Everything here belongs to the engine thread, except what is volatile.
 */
final class StepLoop {
    private static final Logger LOG = LoggerFactory.getLogger(StepLoop.class);
    /** Plans in a row with sequences but without progress after which the youngest is given up. */
    private static final int STALL = 1000;

    private final Executor executor;
    private final KvCache kv;
    private final EngineOptions options;
    private final TimeSource time;
    private final Queue<Command> commands;
    private final QueueLimits queue;
    private final Scheduler scheduler;
    private final RowMasks masks;
    private final SequenceList touched = new SequenceList(false);

    final Counters counters = new Counters();
    final StepStats stats;
    volatile EngineStats.State state = EngineStats.State.STARTING;
    /** Zero once a draining engine has nothing left. */
    final CountDownLatch drained = new CountDownLatch(1);

    private String failure = "";
    private @Nullable StepPlan unused;
    private long arrivals;
    private long submitted;
    private long completed;
    private long retired;
    private long lastCopy;
    private long landedCopy;
    private int stalls;
    private boolean changed;

    StepLoop(
            Executor executor,
            KvCache kv,
            EngineOptions options,
            TimeSource time,
            Queue<Command> commands,
            QueueLimits queue) {
        this.executor = executor;
        this.kv = kv;
        this.options = options;
        this.time = time;
        this.commands = commands;
        this.queue = queue;
        this.scheduler = new Scheduler(options, kv, executor.model().layout().tokensPerBlock(), queue);
        this.masks = new RowMasks(executor.model().vocabulary());
        this.stats = new StepStats(options, executor.model().layout(), kv, scheduler, counters, time);
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
        if (scheduler.active.isEmpty() && scheduler.waiting.isEmpty()) {
            publish();
            return commands.isEmpty() ? EngineLoop.IDLE : now;
        }
        boolean progress = planAndRun(now);
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
                case Command.ClearCache() -> {
                    kv.fences(submitted, completed, retired);
                    kv.clear();
                    changed = true;
                }
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

    private boolean planAndRun(long now) {
        long landed = executor.pollCopies();
        if (landed > landedCopy) {
            landedCopy = landed;
            kv.copied(landed);
        }
        if (landedCopy == lastCopy) {
            retired = completed;
        }
        kv.fences(submitted, completed, retired);
        StepPlan plan = unused;
        if (plan == null) {
            plan = executor.plan();
        } else {
            plan.clear();
        }
        unused = plan;
        int before = scheduler.active.size();
        boolean progress = scheduler.plan(plan, submitted, now);
        changed |= progress && scheduler.active.size() != before;
        for (int i = 0; i < scheduler.refused.size(); i++) {
            Sequence s = scheduler.refused.get(i);
            end(s, s.ending == null ? Ending.error("refused") : s.ending, false);
        }
        if (plan.runs > 0 || !plan.pages.isEmpty()) {
            unused = null;
            run(plan, now);
        }
        return progress || landedCopy < lastCopy;
    }

    private void run(StepPlan plan, long begin) {
        if (plan.pages.tierCopies.count > 0) {
            lastCopy = executor.copy(plan.pages.tierCopies, submitted);
        }
        submitted = executor.submit(plan);
        SequenceList runs = scheduler.runs;
        for (int i = 0; i < runs.size(); i++) {
            Sequence s = runs.get(i);
            kv.submitted(s.reservation, s.planned, submitted);
        }
        long afterPlan = time.nanoTime();
        stats.submitted(submitted, runs, begin, afterPlan);
        for (int i = 0; i < runs.size(); i++) {
            masks.fill(runs.get(i), plan.samples);
        }
        executor.sample(plan);
        long host = time.nanoTime() - afterPlan;
        try {
            done(executor.await(submitted), null, host);
        } catch (StepFailure e) {
            switch (e) {
                case StepFailure.RowsFailed rows -> {
                    LOG.warn("step failed in part: step={} reason={}", submitted, rows.getMessage());
                    done(rows.result(), rows, host);
                }
                case StepFailure.DeviceLost lost -> {
                    LOG.error("device lost: step={} reason={}", submitted, lost.getMessage(), lost);
                    counters.add(Counters.STEPS, 1);
                    fail("the device was lost: " + lost.getMessage());
                }
            }
        }
    }

    private void done(StepResult result, StepFailure.@Nullable RowsFailed failure, long hostNanos) {
        completed = submitted;
        long device = result.deviceNanos;
        long begin = time.nanoTime();
        apply(result, failure);
        counters.add(Counters.STEPS, 1);
        long now = time.nanoTime();
        stats.completed(completed, device, hostNanos + now - begin, now);
    }

    private void apply(StepResult result, StepFailure.@Nullable RowsFailed failure) {
        long now = time.nanoTime();
        SequenceList runs = scheduler.runs;
        for (int i = 0; i < runs.size(); i++) {
            Sequence s = runs.get(i);
            if (failure != null && failure.failed(i)) {
                kv.completed(s.reservation, 0, s.keys);
                end(s, Ending.error("the step failed: " + failure.getMessage()), false);
                continue;
            }
            kv.completed(s.reservation, s.planned, s.keys);
            s.history += s.planned;
            if (s.row >= 0) {
                sampled(s, result, now);
            }
        }
    }

    private void sampled(Sequence s, StepResult result, long now) {
        int token = result.token[s.row];
        s.state = Sequence.State.DECODE;
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
        s.handle.output().append(result, s.row);
        counters.add(Counters.GENERATED_TOKENS, 1);
        touch(s);
        if (ends) {
            end(s, stop.isStopToken(token) ? new Ending(FinishReason.STOP, token, "") : Ending.STOP, true);
        } else if (s.keys.outputTokens() >= s.limit) {
            end(s, s.limitReason == FinishReason.LENGTH ? Ending.LENGTH : new Ending(s.limitReason, -1, ""), true);
        }
    }

    // ---- ends

    private void end(Sequence s, Ending ending, boolean commit) {
        boolean active = s.active();
        s.state = Sequence.State.DONE;
        s.ending = ending;
        queue.leave(s);
        changed = true;
        counters.add(
                switch (ending.reason()) {
                    case STOP, LENGTH -> Counters.FINISHED;
                    case CANCELLED -> Counters.CANCELLED;
                    case TIMEOUT, ERROR -> Counters.FAILED;
                },
                1);
        touch(s);
        stats.ended(s);
        // Last, so that the owner hears of the end even if the cache should be broken.
        if (active) {
            scheduler.leave(s, submitted, commit);
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
        endAll(Ending.error(why));
        drained.countDown();
    }

    /** The engine stops: whoever is left is cancelled. */
    void stop() {
        state = EngineStats.State.STOPPED;
        takeCommands();
        endAll(Ending.CANCELLED);
        publish();
        drained.countDown();
    }

    private void endAll(Ending ending) {
        while (!scheduler.active.isEmpty()) {
            try {
                end(scheduler.active.get(scheduler.active.size() - 1), ending, false);
            } catch (RuntimeException e) {
                LOG.error("pages of a sequence could not be released: active={}", scheduler.active.size(), e);
            }
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

    /** Numbers first, then the tokens and ends: whoever has taken an end sees numbers that include it. */
    void publish() {
        counters.set(Counters.RUNNING, scheduler.active.size());
        counters.set(Counters.PAUSED, scheduler.paused());
        counters.set(Counters.PROMPT_TOKENS, scheduler.promptTokens);
        counters.set(Counters.CACHED_TOKENS, scheduler.cachedTokens);
        counters.set(Counters.RECOMPUTED, scheduler.recomputes);
        counters.set(Counters.RECOMPUTED_TOKENS, scheduler.recomputedTokens);
        counters.set(Counters.REUSED_TOKENS, scheduler.reusedTokens);
        if (changed) {
            changed = false;
            refreshKvStats();
        }
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
                && commands.isEmpty()) {
            drained.countDown();
        }
    }
}
