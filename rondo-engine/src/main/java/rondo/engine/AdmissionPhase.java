package rondo.engine;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import rondo.kv.KvCache;
import rondo.kv.KvLayout;
import rondo.kv.Match;
import rondo.kv.PageWork;

/** Phase 3 of a plan: those that wait get a slot, what the cache has of their prompts, and their first chunk. */
final class AdmissionPhase {
    /** Consecutive plans for which a sequence may wait for another one to compute the prefix that they share. */
    private static final int MAX_DEFERRALS = 8;
    /** Plans that may admit younger ones before the oldest that waits goes first. */
    private static final int MAX_PASSED_OVER = 64;

    private enum Outcome {
        ADMITTED,
        DEFERRED,
        BLOCKED,
        REFUSED
    }

    private final EngineOptions options;
    private final KvCache kv;
    private final int lifeCycles;
    private final long starvationNanos;
    private final QueueLimits queue;
    private final PlanAtHand plan;
    private final PrefillShares shares;
    private final Slots slots;
    private final Preemptor preemptor;
    private final SequenceList active;
    private final SequenceList waiting;
    private final @Nullable Promises promises;

    // Counters: they only grow.
    long promptTokens;
    long cachedTokens;
    long reusedTokens;
    long queueNanos;

    AdmissionPhase(
            EngineOptions options,
            KvCache kv,
            KvLayout layout,
            QueueLimits queue,
            PlanAtHand plan,
            PrefillShares shares,
            Slots slots,
            Preemptor preemptor,
            SequenceList active,
            SequenceList waiting) {
        this.options = options;
        this.kv = kv;
        this.queue = queue;
        this.plan = plan;
        this.shares = shares;
        this.slots = slots;
        this.preemptor = preemptor;
        this.active = active;
        this.waiting = waiting;
        promises = plan.promises;
        lifeCycles = layout.lifeCycles().size();
        starvationNanos = options.starvationMillis() * 1_000_000;
    }

    void run(PageWork pages) {
        Sequence oldest = oldestWaiting();
        if (oldest == null || promises != null && slots.leaving() > 0) {
            return;
        }
        promote(oldest);
        if (waiting.get(0).promoted && !slots.hasFree()) {
            makeRoomForStarving(waiting.get(0));
            return;
        }
        boolean passed = false;
        int i = 0;
        while (i < waiting.size() && slots.hasFree() && plan.budget.hasRoom()) {
            Sequence s = waiting.get(i);
            if (plan.isAfterBlocked(s)) {
                break;
            }
            Outcome outcome = tryAdmit(s, pages);
            if (outcome == Outcome.BLOCKED) {
                makeRoomForStarving(s);
                break;
            }
            passed |= outcome == Outcome.ADMITTED && s.arrival > oldest.arrival;
            i += outcome == Outcome.DEFERRED ? 1 : 0;
        }
        if (passed && oldest.state == Sequence.State.WAITING) {
            oldest.passedOver++;
        }
    }

    // ---- who has waited too long

    private @Nullable Sequence oldestWaiting() {
        Sequence oldest = null;
        for (int i = 0; i < waiting.size(); i++) {
            Sequence s = waiting.get(i);
            if (oldest == null || s.arrival < oldest.arrival) {
                oldest = s;
            }
        }
        return oldest;
    }

    /** The oldest has waited too long: it goes before all that came after it, and keeps that place to its end. */
    private void promote(Sequence s) {
        boolean starves = plan.now - s.waitingSince > starvationNanos || s.passedOver > MAX_PASSED_OVER;
        if (starves && !s.promoted) {
            waiting.remove(s);
            s.promoted = true;
            waiting.insert(s);
        }
    }

    private void makeRoomForStarving(Sequence s) {
        if (s.promoted && plan.isBeforeBlocked(s) && promises == null && !plan.paused && !plan.drain) {
            plan.note(preemptor.makeRoomForStarving(s));
        }
    }

    // ---- one of them

    private Outcome tryAdmit(Sequence s, PageWork pages) {
        // With nobody active there is nothing to wait for: whatever was in its way may be gone.
        if (promises != null && !active.isEmpty() && !promises.isWorthTrying(s)) {
            return Outcome.BLOCKED;
        }
        if (!mayHaveRoom()) {
            // Whatever it would find, its next token has nowhere to go: the walk along a long prompt is spared.
            makeRoomFor(s);
            return Outcome.BLOCKED;
        }
        Match match = match(s);
        int history = match.tokens();
        if (s.deferrals < MAX_DEFERRALS && plan.computesBlockAfter(s, history)) {
            s.deferrals++;
            plan.deferred = true;
            return Outcome.DEFERRED;
        }
        s.deferrals = 0;
        int remaining = s.keys.tokens() - history;
        boolean tooLong = !plan.budget.everFits(remaining);
        if (tooLong && !s.scheduledOnce) {
            refuse(
                    s,
                    "the prompt has " + remaining + " tokens to compute, more than max_num_tokens="
                            + options.maxNumTokens() + ", and enable_chunked_prefill is false");
            return Outcome.REFUSED;
        }
        int chunk = shares.chunk(s, history, remaining, tooLong);
        if (chunk == 0 || !chargesFit(s, remaining)) {
            return Outcome.BLOCKED;
        }
        int least = plan.budget.least(history, chunk, tooLong);
        return enter(s, match, chunk, least, pages) ? Outcome.ADMITTED : Outcome.BLOCKED;
    }

    /** Whether every life cycle has a page to give, or pages of suspended sequences that might move out. */
    private boolean mayHaveRoom() {
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (kv.available(lc) == 0) {
                return preemptor.anySuspended();
            }
        }
        return true;
    }

    private Match match(Sequence s) {
        // At least one token is computed even on a full hit: its logits are needed.
        Match match = kv.match(s.keys, s.keys.tokens() - 1);
        if (plan.stuck && active.isEmpty()) {
            // What it would share may be what takes its room.
            match = kv.match(s.keys, 0);
        }
        return match;
    }

    /** Where prompts are not cut and hits are not counted on, the whole prompt must fit beside what is planned (T). */
    private boolean chargesFit(Sequence s, int remaining) {
        boolean charged = !options.chunkedPrefill() && !options.prefixAware() && !plan.budget.isEmpty();
        return !charged || Math.max(remaining, s.keys.tokens()) <= plan.budget.left();
    }

    /** It takes slot and pages and becomes active; false, and it holds nothing, where there is no room. */
    private boolean enter(Sequence s, Match match, int chunk, int least, PageWork pages) {
        OptionalInt admitted = kv.admit(match, s.request.retention(), slots.next(), pages);
        if (admitted.isEmpty()) {
            makeRoomFor(s);
            return false;
        }
        int history = match.tokens();
        slots.enter(s, admitted.getAsInt(), history);
        boolean promised = promises == null || promises.make(s);
        boolean ready = kv.ready(s.reservation);
        int granted = promised && ready ? plan.grow(s, chunk, least, pages) : 0;
        if (!promised || ready && granted == 0) {
            giveUp(s);
            return false;
        }
        s.workStep = plan.nextStep;
        s.filledStep = plan.nextStep;
        s.passedOver = 0;
        count(s, history);
        waiting.remove(s);
        active.insert(s);
        if (granted > 0) {
            plan.addPrefill(s, granted);
        }
        return true;
    }

    /** A failed admission gives back all that it held. */
    private void giveUp(Sequence s) {
        // The plan at hand may carry a copy into its pages, hence the next step's number.
        s.workStep = plan.nextStep;
        slots.retire(s, false);
        s.state = Sequence.State.WAITING;
        s.history = 0;
        s.submitted = 0;
        if (promises == null) {
            makeRoomFor(s);
        } else {
            promises.begin(active);
            promises.failed(s);
        }
    }

    private void makeRoomFor(Sequence s) {
        if (promises == null) {
            plan.note(preemptor.makeRoomForPrefill(s));
        }
    }

    /** The first admission fixes what the request has found in the cache. */
    private void count(Sequence s, int history) {
        if (!s.scheduledOnce) {
            s.scheduledOnce = true;
            s.keys.reserve();
            s.cachedTokens = history;
            s.handle.scheduled(plan.now, history);
            queue.leave(s);
            queueNanos += plan.now - s.handle.arrivalNanos;
            promptTokens += s.promptTokens();
            cachedTokens += history;
        } else {
            // What it finds of its own is no prefix hit of the request.
            reusedTokens += history;
        }
    }

    /** It can never run: it waits no longer. */
    void refuse(Sequence s, String why) {
        waiting.remove(s);
        s.ending = Ending.refused(why);
        plan.refused.add(s);
    }
}
