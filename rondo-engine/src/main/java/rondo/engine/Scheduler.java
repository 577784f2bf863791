package rondo.engine;

import java.util.OptionalInt;
import rondo.base.TokenIds;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvCache;
import rondo.kv.Match;

/**
 * Decides what runs in each step: decodes first, then prefill chunks in arrival order, within the budgets; when pages
 * run out, the youngest sequence is paused and computed again later. Engine thread only; nothing is in flight when it
 * plans.
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
    /** The runs of the plan at hand, in the order of the plan's runs. */
    final SequenceList runs = new SequenceList(false);

    /** Those that this plan found impossible; they are no longer waiting. */
    final SequenceList refused = new SequenceList(false);

    private final SequenceList prefills = new SequenceList(false);
    private final SequenceList decodes = new SequenceList(false);
    private final SequenceList order = new SequenceList(false);
    private final FirstBlocks firstBlocks;
    private final int[] freeSlots;
    private int freeCount;

    private long submittedStep;
    private int tokens;
    private boolean paused;
    private boolean deferred;

    // Counters: they only grow.
    long recomputes;
    long recomputedTokens;
    long reusedTokens;
    long promptTokens;
    long cachedTokens;
    long queueNanos;

    Scheduler(EngineOptions options, KvCache kv, int tokensPerBlock, QueueLimits queue) {
        this.options = options;
        this.kv = kv;
        this.tokensPerBlock = tokensPerBlock;
        this.queue = queue;
        boolean byPriority = options.queueOrder() == EngineOptions.QueueOrder.PRIORITY;
        active = new SequenceList(byPriority);
        waiting = new SequenceList(byPriority);
        firstBlocks = new FirstBlocks(options.maxBatchSize() + 1);
        freeSlots = new int[options.maxBatchSize()];
        while (freeCount < freeSlots.length) {
            freeSlots[freeCount] = freeSlots.length - 1 - freeCount;
            freeCount++;
        }
    }

    /**
     * Fills the plan; {@link #runs} holds its sequences.
     *
     * @param lastSubmitted number of the last submitted step
     * @return whether anything moved: something runs, was paused, refused or put off
     */
    boolean plan(StepPlan plan, long lastSubmitted, long now) {
        submittedStep = lastSubmitted;
        tokens = 0;
        paused = false;
        deferred = false;
        prefills.clear();
        decodes.clear();
        runs.clear();
        refused.clear();
        for (int i = 0; i < active.size(); i++) {
            active.get(i).planned = 0;
        }
        firstBlocks.clear();
        int waitingBefore = waiting.size();
        planDecodes(plan);
        continuePrefills(plan);
        // What a pause has freed is for those that are active already.
        if (!paused) {
            admit(plan, now);
        }
        kv.demoteAhead(plan.pages);
        emit(plan, prefills);
        emit(plan, decodes);
        return !runs.isEmpty() || paused || deferred || waiting.size() != waitingBefore;
    }

    // ---- phase 1: decodes

    /** All of them, one token each: nobody is admitted beyond the token budget, so it is never short here. */
    private void planDecodes(StepPlan plan) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).state == Sequence.State.DECODE) {
                order.add(active.get(i));
            }
        }
        for (int i = 0; i < order.size(); i++) {
            Sequence s = order.get(i);
            // It may have been paused for an older one a moment ago.
            if (s.state == Sequence.State.DECODE && kv.ready(s.reservation) && growDecode(s, plan)) {
                s.planned = 1;
                tokens++;
                decodes.add(s);
            }
        }
    }

    private boolean growDecode(Sequence s, StepPlan plan) {
        while (kv.grow(s.reservation, 1, 1, plan.pages) == 0) {
            if (!pauseYoungestAfter(s)) {
                return false;
            }
        }
        return true;
    }

    // ---- phase 2: prefills

    private void continuePrefills(StepPlan plan) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            if (active.get(i).state == Sequence.State.PREFILL) {
                order.add(active.get(i));
            }
        }
        for (int i = 0; i < order.size() && tokens < options.maxNumTokens(); i++) {
            Sequence s = order.get(i);
            if (s.state != Sequence.State.PREFILL || !kv.ready(s.reservation)) {
                continue;
            }
            int chunk = chunk(s.history, s.remaining());
            if (chunk == 0) {
                continue;
            }
            int granted = kv.grow(s.reservation, chunk, least(s.history, chunk), plan.pages);
            if (granted == 0) {
                if (pauseYoungestAfter(s)) {
                    // The freed pages are for s, in the next plan: a later prefill must not take them.
                    return;
                }
                continue;
            }
            addPrefill(s, granted);
        }
    }

    private void admit(StepPlan plan, long now) {
        int i = 0;
        while (i < waiting.size() && freeCount > 0 && tokens < options.maxNumTokens()) {
            Sequence s = waiting.get(i);
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
        int slot = freeSlots[freeCount - 1];
        OptionalInt admitted = kv.admit(match, s.request.retention(), slot, plan.pages);
        if (admitted.isEmpty()) {
            pauseYoungestAfter(s);
            return Admission.BLOCKED;
        }
        int reservation = admitted.getAsInt();
        boolean ready = kv.ready(reservation);
        int granted = ready ? kv.grow(reservation, chunk, least(history, chunk), plan.pages) : 0;
        if (ready && granted == 0) {
            // The plan at hand may carry a copy into its pages, hence the next step's number.
            kv.release(reservation, submittedStep + 1, false);
            pauseYoungestAfter(s);
            return Admission.BLOCKED;
        }
        activate(s, reservation, history, now);
        if (granted > 0) {
            addPrefill(s, granted);
        }
        return Admission.ADMITTED;
    }

    private void activate(Sequence s, int reservation, int history, long now) {
        s.slot = freeSlots[--freeCount];
        s.reservation = reservation;
        s.history = history;
        s.begun = false;
        s.state = Sequence.State.PREFILL;
        if (!s.scheduledOnce) {
            s.scheduledOnce = true;
            s.cachedTokens = history;
            s.handle.scheduled(now, history);
            queue.leave(s);
            queueNanos += now - s.handle.arrivalNanos;
            promptTokens += s.promptTokens();
            cachedTokens += history;
        } else {
            // What it finds of its own is no prefix hit of the request.
            reusedTokens += history;
            recomputedTokens += Math.max(0, s.lostTokens - history);
        }
        active.insert(s);
    }

    private void addPrefill(Sequence s, int length) {
        s.planned = length;
        tokens += length;
        prefills.add(s);
        if (options.prefixAware()) {
            firstBlocks.add(s.keys, s.history);
        }
    }

    /** The chunk that this step's budget allows: ends on a block border unless it is the last or nothing would be left. */
    private int chunk(int history, int remaining) {
        int budget = options.maxNumTokens() - tokens;
        if (remaining <= budget) {
            return remaining;
        }
        if (!options.chunkedPrefill()) {
            return 0;
        }
        int aligned = (history + budget) / tokensPerBlock * tokensPerBlock - history;
        return aligned > 0 ? aligned : budget;
    }

    /** The shortest part of a chunk worth granting: up to its first block border; all of it where chunks are off. */
    private int least(int history, int chunk) {
        return options.chunkedPrefill() ? Math.min(chunk, tokensPerBlock - history % tokensPerBlock) : chunk;
    }

    // ---- pages run out

    /** Pauses the youngest active sequence that comes after {@code s}; its run in this plan, if any, is dropped. */
    private boolean pauseYoungestAfter(Sequence s) {
        if (active.isEmpty()) {
            return false;
        }
        Sequence victim = active.get(active.size() - 1);
        if (victim == s || active.before(victim, s)) {
            return false;
        }
        tokens -= victim.planned;
        victim.planned = 0;
        leave(victim, submittedStep, true);
        victim.state = Sequence.State.WAITING;
        victim.lostTokens = victim.history;
        victim.history = 0;
        victim.handle.preempted(++victim.preemptions);
        waiting.insert(victim);
        recomputes++;
        paused = true;
        return true;
    }

    /** Gives back an active sequence's pages and slot. */
    void leave(Sequence s, long lastStep, boolean commit) {
        active.remove(s);
        freeSlots[freeCount++] = s.slot;
        int reservation = s.reservation;
        s.slot = -1;
        s.reservation = -1;
        kv.release(reservation, lastStep, commit);
    }

    /** Paused sequences, which wait to be computed again. */
    int paused() {
        int count = 0;
        for (int i = 0; i < waiting.size(); i++) {
            count += waiting.get(i).queued ? 0 : 1;
        }
        return count;
    }

    // ---- the plan's arrays

    private void emit(StepPlan plan, SequenceList list) {
        for (int i = 0; i < list.size(); i++) {
            Sequence s = list.get(i);
            if (s.planned == 0) {
                continue;
            }
            if (!s.begun) {
                begin(plan, s);
            }
            boolean sampled = s.planned == s.remaining();
            int run = plan.addRun(s.slot, s.history, s.planned, sampled ? 1 : 0);
            s.keys.copyTokens(s.history, plan.tokenIds, plan.start[run], s.planned);
            s.row = -1;
            if (sampled) {
                s.row = plan.firstRow[run];
                plan.samples.wanted[s.row] = true;
                plan.samples.position[s.row] = s.keys.outputTokens();
                plan.samples.forced[s.row] = SamplePlan.NONE;
                plan.samples.topLogprobs[s.row] = s.request.topLogprobs();
                plan.samples.masked[s.row] = false;
            }
            runs.add(s);
        }
    }

    private static void begin(StepPlan plan, Sequence s) {
        s.begun = true;
        boolean history = s.request.sampling().penalizes();
        plan.begin(
                s.slot,
                s.request.sampling(),
                history ? s.request.prompt().ids() : TokenIds.empty(),
                history ? TokenIds.of(s.keys.outputIds()) : TokenIds.empty());
    }
}
