package rondo.engine;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvCache;
import rondo.kv.KvStats;
import rondo.kv.Match;
import rondo.kv.Tier;

/**
 * Decides what runs in each step: decodes first, then prefill chunks in arrival order, within the budgets; when pages
 * run out, the youngest give way. The step before may be in flight while it plans. Engine thread only.
 */
final class Scheduler {
    /** Consecutive plans for which a sequence may wait for another one to compute the prefix that they share. */
    private static final int MAX_DEFERRALS = 8;

    private enum Admission {
        ADMITTED,
        DEFERRED,
        BLOCKED,
        REFUSED
    }

    private final EngineOptions options;
    private final KvCache kv;
    private final int tokensPerBlock;
    private final QueueLimits queue;

    /** Admitted and unfinished. */
    final SequenceList active;
    /** Not admitted, or paused. */
    final SequenceList waiting;
    /** Those that this plan found impossible; they are no longer waiting. */
    final SequenceList refused = new SequenceList(false);

    final Slots slots;
    final Preemptor preemptor;

    private final SequenceList prefills = new SequenceList(false);
    private final SequenceList decodes = new SequenceList(false);
    private final SequenceList order = new SequenceList(false);
    private final FirstBlocks firstBlocks;

    // Of the plan at hand:
    private long nextStep;
    private int tokens;
    private boolean paused;
    private boolean deferred;
    private boolean drain;
    /** The oldest active sequence that could not go on: nobody after it is admitted. */
    private @Nullable Sequence blocked;

    /** Plans in a row in which nobody could move. */
    private int stuck;

    // Counters: they only grow.
    long promptTokens;
    long cachedTokens;

    Scheduler(EngineOptions options, KvCache kv, int tokensPerBlock, QueueLimits queue) {
        this.options = options;
        this.kv = kv;
        this.tokensPerBlock = tokensPerBlock;
        this.queue = queue;
        boolean byPriority = options.queueOrder() == EngineOptions.QueueOrder.PRIORITY;
        active = new SequenceList(byPriority);
        waiting = new SequenceList(byPriority);
        firstBlocks = new FirstBlocks(2 * options.maxBatchSize() + 1);
        slots = new Slots(options.maxBatchSize(), kv);
        preemptor = new Preemptor(kv, options.preemption(), hasHostTier(kv), slots, active, waiting);
    }

    private static boolean hasHostTier(KvCache kv) {
        for (KvStats.Pool pool : kv.stats().pools()) {
            if (pool.tier() == Tier.HOST && pool.total() > 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Fills the plan and {@code next}, which holds its runs.
     *
     * @param submitted number of the last submitted step; the plan becomes the one after it
     * @param settled   whether nothing is in flight, neither a step nor a copy
     * @return whether anything moved: something runs, gave way, was refused or put off. Nothing runs where
     *     {@link #wantsDrain}
     */
    boolean plan(StepPlan plan, Flight next, long submitted, boolean settled, long now) {
        begin(submitted);
        next.clear();
        int waitingBefore = waiting.size();
        planDecodes(plan);
        if (!drain) {
            continueActive(plan);
        }
        if (!drain && !paused) {
            // What a pause has freed is for those that are active already.
            admit(plan, now);
        }
        if (drain) {
            return true;
        }
        unstick(plan, settled);
        kv.demoteAhead(plan.pages);
        PlanWriter.write(prefills, false, plan, next);
        PlanWriter.write(decodes, true, plan, next);
        return !next.runs.isEmpty() || paused || deferred || waiting.size() != waitingBefore;
    }

    /** Whether the plan was given up because who could give way has a run in flight; pages that it has grown stay. */
    boolean wantsDrain() {
        return drain;
    }

    /** The second time in a row, since the first may have left slots that the next step has to retire. */
    private void unstick(StepPlan plan, boolean settled) {
        boolean moves = tokens > 0 || paused || deferred || plan.pages.tierCopies.count > 0;
        stuck = settled && !moves && !active.isEmpty() ? stuck + 1 : 0;
        if (stuck > 1) {
            stuck = 0;
            paused = preemptor.unstick();
        }
    }

    private void begin(long submitted) {
        nextStep = submitted + 1;
        preemptor.begin(submitted);
        tokens = 0;
        paused = false;
        deferred = false;
        drain = false;
        blocked = null;
        prefills.clear();
        decodes.clear();
        refused.clear();
        firstBlocks.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            s.planned = 0;
            if (options.prefixAware() && s.inFlight > 0) {
                firstBlocks.add(s.keys, s.history);
            }
        }
    }

    // ---- phase 1: decodes

    private void planDecodes(StepPlan plan) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            // Whoever is known to end with the step in flight runs no more.
            if (s.state == Sequence.State.DECODE && !s.endsInFlight()) {
                order.add(s);
            }
        }
        for (int i = 0; i < order.size() && tokens < options.maxNumTokens(); i++) {
            Sequence s = order.get(i);
            // It may have given way to an older one a moment ago.
            if (s.state != Sequence.State.DECODE || !kv.ready(s.reservation)) {
                continue;
            }
            if (!growDecode(s, plan)) {
                blocked = s;
                return;
            }
            s.planned = 1;
            tokens++;
            decodes.add(s);
        }
    }

    private boolean growDecode(Sequence s, StepPlan plan) {
        while (kv.grow(s.reservation, 1, 1, plan.pages) == 0) {
            switch (preemptor.makeRoom(s, plan.pages)) {
                case FREED -> gaveWay();
                case DRAIN -> {
                    drain = true;
                    return false;
                }
                case NONE -> {
                    stepAside(s, plan);
                    return false;
                }
            }
        }
        s.workStep = nextStep;
        return true;
    }

    /** All that come after it have given way and there is no room yet: it makes some for those before it. */
    private void stepAside(Sequence s, StepPlan plan) {
        if (!preemptor.maySuspendSelf(s)) {
            return;
        }
        if (s.inFlight > 0) {
            drain = true;
        } else {
            preemptor.suspend(s, plan.pages);
        }
    }

    private void gaveWay() {
        paused = true;
        tokens -= preemptor.takeDroppedTokens();
    }

    // ---- phase 2: prefills, and those that come back

    private void continueActive(StepPlan plan) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence.State state = active.get(i).state;
            if (state == Sequence.State.PREFILL || state == Sequence.State.SUSPENDED) {
                order.add(active.get(i));
            }
        }
        for (int i = 0; i < order.size() && tokens < options.maxNumTokens() && !drain; i++) {
            Sequence s = order.get(i);
            if (s.state == Sequence.State.SUSPENDED && !resume(s, plan)) {
                continue;
            }
            // It may have given way to an older one a moment ago.
            if (s.state == Sequence.State.WAITING || !kv.ready(s.reservation)) {
                continue;
            }
            if (s.state == Sequence.State.DECODE) {
                growResumed(s, plan);
            } else if (!growPrefill(s, plan)) {
                return;
            }
        }
    }

    /** Oldest first: who comes after one that cannot resume does not either, and what a pause has freed is not theirs. */
    private boolean resume(Sequence s, StepPlan plan) {
        if (paused || (blocked != null && active.before(blocked, s)) || !kv.resume(s.reservation, plan.pages)) {
            block(s);
            return false;
        }
        s.state = s.suspendedFrom;
        s.workStep = nextStep;
        s.filledStep = nextStep;
        return true;
    }

    private void growResumed(Sequence s, StepPlan plan) {
        if (kv.grow(s.reservation, 1, 1, plan.pages) > 0) {
            s.workStep = nextStep;
            s.planned = 1;
            tokens++;
            decodes.add(s);
        } else {
            block(s);
        }
    }

    /** Returns whether the phase goes on. */
    private boolean growPrefill(Sequence s, StepPlan plan) {
        int chunk = chunk(s.submitted, s.remaining());
        if (chunk == 0) {
            return true;
        }
        int least = least(s.submitted, chunk);
        int granted = kv.grow(s.reservation, chunk, least, plan.pages);
        if (granted > 0) {
            addPrefill(s, granted);
            return true;
        }
        block(s);
        switch (preemptor.makeRoomForPrefill(s)) {
            case FREED -> {
                gaveWay();
                granted = kv.grow(s.reservation, chunk, least, plan.pages);
                if (granted > 0) {
                    addPrefill(s, granted);
                }
                // A later prefill must not take what is left of the freed pages.
                return false;
            }
            case DRAIN -> {
                drain = true;
                return false;
            }
            case NONE -> {
                return true;
            }
        }
        throw new AssertionError("not reached");
    }

    private void block(Sequence s) {
        if (blocked == null || active.before(s, blocked)) {
            blocked = s;
        }
    }

    private void admit(StepPlan plan, long now) {
        int i = 0;
        while (i < waiting.size() && slots.hasFree() && tokens < options.maxNumTokens()) {
            Sequence s = waiting.get(i);
            if (blocked != null && waiting.before(blocked, s)) {
                return;
            }
            switch (tryAdmit(s, plan, now)) {
                case ADMITTED -> waiting.remove(s);
                case REFUSED -> {
                    waiting.remove(s);
                    refused.add(s);
                }
                case DEFERRED -> i++;
                case BLOCKED -> {
                    return;
                }
            }
        }
    }

    private Admission tryAdmit(Sequence s, StepPlan plan, long now) {
        // At least one token is computed even on a full hit: its logits are needed.
        Match match = kv.match(s.keys, s.keys.tokens() - 1);
        int history = match.tokens();
        if (options.prefixAware() && s.deferrals < MAX_DEFERRALS && firstBlocks.contains(s.keys, history)) {
            s.deferrals++;
            deferred = true;
            return Admission.DEFERRED;
        }
        s.deferrals = 0;
        int remaining = s.keys.tokens() - history;
        if (!options.chunkedPrefill() && remaining > options.maxNumTokens()) {
            s.ending = Ending.error("the prompt has " + remaining + " tokens to compute, more than max_num_tokens="
                    + options.maxNumTokens() + ", and enable_chunked_prefill is false");
            return Admission.REFUSED;
        }
        int chunk = chunk(history, remaining);
        if (chunk == 0) {
            return Admission.BLOCKED;
        }
        OptionalInt admitted = kv.admit(match, s.request.retention(), slots.next(), plan.pages);
        if (admitted.isEmpty()) {
            makeRoomFor(s);
            return Admission.BLOCKED;
        }
        int reservation = admitted.getAsInt();
        boolean ready = kv.ready(reservation);
        int granted = ready ? kv.grow(reservation, chunk, least(history, chunk), plan.pages) : 0;
        if (ready && granted == 0) {
            // The plan at hand may carry a copy into its pages, hence the next step's number.
            kv.release(reservation, nextStep, false);
            makeRoomFor(s);
            return Admission.BLOCKED;
        }
        slots.enter(s, reservation, history);
        s.workStep = nextStep;
        s.filledStep = nextStep;
        count(s, history, now);
        active.insert(s);
        if (granted > 0) {
            addPrefill(s, granted);
        }
        return Admission.ADMITTED;
    }

    private void makeRoomFor(Sequence s) {
        switch (preemptor.makeRoomForPrefill(s)) {
            case FREED -> gaveWay();
            case DRAIN -> drain = true;
            case NONE -> {}
        }
    }

    /** The first admission fixes what the request has found in the cache. */
    private void count(Sequence s, int history, long now) {
        if (!s.scheduledOnce) {
            s.scheduledOnce = true;
            s.keys.reserve();
            s.handle.scheduled(now, history);
            queue.leave(s);
            promptTokens += s.promptTokens();
            cachedTokens += history;
        }
    }

    private void addPrefill(Sequence s, int length) {
        s.workStep = nextStep;
        s.planned = length;
        tokens += length;
        prefills.add(s);
        if (options.prefixAware() && s.inFlight == 0) {
            firstBlocks.add(s.keys, s.history);
        }
    }
    /** The chunk that this step's budget allows: ends on a block border unless it is the last or nothing would be left. */
    private int chunk(int from, int remaining) {
        int budget = options.maxNumTokens() - tokens;
        if (remaining <= budget) {
            return remaining;
        }
        if (!options.chunkedPrefill()) {
            return 0;
        }
        int aligned = (from + budget) / tokensPerBlock * tokensPerBlock - from;
        return aligned > 0 ? aligned : budget;
    }

    /** The shortest part of a chunk worth granting: up to its first block border; all of it where chunks are off. */
    private int least(int from, int chunk) {
        return options.chunkedPrefill() ? Math.min(chunk, tokensPerBlock - from % tokensPerBlock) : chunk;
    }

    // ---- ends

    /** Takes a sequence out that is done; its slot and pages follow when nothing of it is in flight. */
    void retire(Sequence s, boolean commit) {
        active.remove(s);
        slots.retire(s, commit);
    }

    /** Sequences that were preempted and do not run yet. */
    int paused() {
        int count = 0;
        for (int i = 0; i < waiting.size(); i++) {
            count += waiting.get(i).queued ? 0 : 1;
        }
        return count;
    }
}
