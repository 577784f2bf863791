package rondo.engine;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepResult;
import rondo.kv.KvCache;

/** Applies what a step gave: commits what it wrote, appends its tokens, advances grammars, checks stops. */
final class Landing {
    private static final Logger LOG = LoggerFactory.getLogger(Landing.class);

    private final KvCache kv;
    private final Scheduler scheduler;
    private final Outcomes outcomes;
    private final Counters counters;
    private final TimeSource time;

    Landing(KvCache kv, Scheduler scheduler, Outcomes outcomes, Counters counters, TimeSource time) {
        this.kv = kv;
        this.scheduler = scheduler;
        this.outcomes = outcomes;
        this.counters = counters;
        this.time = time;
    }

    /** {@code failure} names the runs that failed, if any. */
    void apply(Flight f, StepResult result, StepFailure.@Nullable RowsFailed failure) {
        long now = time.nanoTime();
        f.deviceNanos = result.deviceNanos;
        if (!f.runs.isEmpty()) {
            counters.add(Counters.COPY_WAIT_NANOS, result.copyWaitNanos);
        }
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
                    outcomes.changed = true;
                }
            } else if (failed) {
                kv.completed(s.reservation, 0, s.keys);
                outcomes.end(
                        s, Ending.error("the step failed: " + (failure == null ? "" : failure.getMessage())), false);
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
            counters.add(Counters.RECOMPUTED_TOKENS, again);
        }
        s.history += tokens;
        s.computed = Math.max(s.computed, s.history);
    }

    private void sampled(Sequence s, StepResult result, int row, long now) {
        int token = result.token[row];
        if (token == StepResult.EMPTY_MASK) {
            LOG.warn("empty mask: request={} output_tokens={}", s.request.id(), s.keys.outputTokens());
            outcomes.end(
                    s,
                    Ending.error("empty_mask: no token is allowed after " + s.keys.outputTokens() + " output tokens"),
                    true);
            return;
        }
        if (token < 0) {
            LOG.warn("bad logits: request={} output_tokens={}", s.request.id(), s.keys.outputTokens());
            outcomes.end(s, Ending.error("the model gave no finite logits"), false);
            return;
        }
        if (!accepts(s, token)) {
            return;
        }
        StopRules stop = s.request.stop();
        boolean ends = s.keys.outputTokens() >= stop.minTokens() && stop.ends(token);
        s.handle.token(now, s.keys.outputTokens() == 0);
        s.keys.append(token);
        s.handle.output().append(result, row);
        counters.add(Counters.GENERATED_TOKENS, 1);
        outcomes.touch(s);
        if (s.request.constraint().finished()) {
            outcomes.end(s, Ending.STOP, true);
        } else if (ends) {
            outcomes.end(s, stop.isStopToken(token) ? new Ending(FinishReason.STOP, token, "") : Ending.STOP, true);
        } else if (s.keys.outputTokens() >= s.limit) {
            outcomes.end(
                    s, s.limitReason == FinishReason.LENGTH ? Ending.LENGTH : new Ending(s.limitReason, -1, ""), true);
        }
    }

    /** Whether the grammar goes on; if not, the sequence has ended, and no other one with it. */
    private boolean accepts(Sequence s, int token) {
        try {
            if (s.request.constraint().accept(token)) {
                return true;
            }
            outcomes.end(s, Ending.error("the grammar does not allow token " + token + ", which was sampled"), true);
        } catch (RuntimeException e) { // grammars come from strangers
            LOG.warn("grammar failed: request={} reason={}", s.request.id(), e.toString());
            outcomes.end(s, Ending.error("the grammar cannot be followed: " + e.getMessage()), true);
        }
        return false;
    }
}
