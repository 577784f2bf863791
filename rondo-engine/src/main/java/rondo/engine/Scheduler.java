package rondo.engine;

import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvCache;
import rondo.kv.KvLayout;
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
    /** Plans that may admit younger ones before the oldest that waits goes first. */
    private static final int MAX_PASSED_OVER = 64;

    private static final int NO_SHARE = -1;

    private enum Admission {
        ADMITTED,
        DEFERRED,
        BLOCKED,
        REFUSED
    }

    private final EngineOptions options;
    private final KvCache kv;
    private final StepBudget budget;
    private final int tokensPerBlock;
    private final int lifeCycles;
    private final long starvationNanos;
    /** Where everybody is promised pages to the end. */
    private final @Nullable Promises promises;

    private final @Nullable FairShare fair;
    private final QueueLimits queue;

    /** Admitted and unfinished. */
    final SequenceList active;
    /** Not admitted, or paused. */
    final SequenceList waiting;
    /** Those that this plan found impossible; they are no longer waiting. */
    final SequenceList refused = new SequenceList(false);
    /** Those that have all pages there are, and would need more; they end here. */
    final SequenceList exhausted = new SequenceList(false);

    final Slots slots;
    final Preemptor preemptor;

    private final SequenceList prefills = new SequenceList(false);
    private final SequenceList decodes = new SequenceList(false);
    private final SequenceList order = new SequenceList(false);
    private final FirstBlocks firstBlocks;

    // Of the plan at hand:
    private long nextStep;
    private boolean paused;
    private boolean deferred;
    private boolean drain;
    /** The oldest active sequence that could not go on: nobody after it is admitted. */
    private @Nullable Sequence blocked;

    /** Plans in a row in which nobody could move. */
    private int stuck;
    /** The last decode that a full step has served: the next step begins behind it; null if the last step had room. */
    private @Nullable Sequence lastServed;

    // Counters: they only grow.
    long promptTokens;
    long cachedTokens;
    long reusedTokens;
    long queueNanos;

    Scheduler(EngineOptions options, KvCache kv, KvLayout layout, QueueLimits queue) {
        this.options = options;
        this.kv = kv;
        this.tokensPerBlock = layout.tokensPerBlock();
        this.lifeCycles = layout.lifeCycles().size();
        budget = new StepBudget(options.maxNumTokens(), tokensPerBlock, options.chunkedPrefill());
        starvationNanos = options.starvationMillis() * 1_000_000;
        promises = options.capacity() == EngineOptions.Capacity.GUARANTEED_NO_EVICT ? new Promises(kv, layout) : null;
        fair = options.chunking() == EngineOptions.Chunking.EQUAL_PROGRESS && options.chunkedPrefill()
                ? new FairShare()
                : null;
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
        begin(submitted, now);
        next.clear();
        int waitingBefore = waiting.size();
        planDecodes(plan);
        if (!drain) {
            shareOut();
            continueActive(plan);
        }
        if (!drain && !paused) {
            // What a pause has freed is for those that are active already.
            admit(plan, now);
        }
        if (drain) {
            return true;
        }
        spread(plan);
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
        boolean moves = !budget.isEmpty()
                || paused
                || deferred
                || !refused.isEmpty()
                || plan.pages.tierCopies.count > 0
                || slots.leaving() > 0;
        boolean candidates = !active.isEmpty() || !waiting.isEmpty();
        stuck = settled && !moves && candidates ? stuck + 1 : 0;
        if (stuck <= 1) {
            return;
        }
        stuck = 0;
        if (active.isEmpty()) {
            refuse(waiting.get(0), "the KV cache has no room for this request");
        } else if (promises == null) {
            paused = preemptor.unstick();
            if (!paused) {
                exhausted.add(active.get(0));
            }
        }
    }

    private void refuse(Sequence s, String why) {
        waiting.remove(s);
        s.ending = Ending.refused(why);
        refused.add(s);
    }

    private void begin(long submitted, long now) {
        nextStep = submitted + 1;
        budget.clear();
        preemptor.begin(submitted, now);
        paused = false;
        deferred = false;
        drain = false;
        blocked = null;
        prefills.clear();
        decodes.clear();
        refused.clear();
        exhausted.clear();
        firstBlocks.clear();
        if (promises != null) {
            promises.begin(active);
        }
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
        int first = afterLastServed();
        Sequence last = lastServed;
        lastServed = null;
        for (int n = 0; n < order.size(); n++) {
            Sequence s = order.get((first + n) % order.size());
            if (!budget.hasRoom()) {
                lastServed = last;
                return;
            }
            // It may have given way to an older one a moment ago.
            if (s.state != Sequence.State.DECODE || !kv.ready(s.reservation)) {
                continue;
            }
            if (growDecode(s, plan)) {
                addDecode(s);
                last = s;
            } else if (promises == null) {
                block(s);
                return;
            }
        }
    }

    /** Where phase 1 begins: behind the one with which the last step was full, so that nobody always comes too late. */
    private int afterLastServed() {
        if (lastServed != null) {
            for (int i = 0; i < order.size(); i++) {
                if (active.before(lastServed, order.get(i))) {
                    return i;
                }
            }
        }
        return 0;
    }

    private void addDecode(Sequence s) {
        s.workStep = nextStep;
        s.planned = 1;
        budget.use(1);
        decodes.add(s);
    }

    private boolean growDecode(Sequence s, StepPlan plan) {
        while (grow(s, 1, 1, plan) == 0) {
            if (promises != null) {
                // A page that it is promised is still on its way back.
                return false;
            }
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
        return true;
    }

    /** Room for so many tokens from {@code s.submitted} on, as far as what others are promised allows. */
    private int grow(Sequence s, int wanted, int least, StepPlan plan) {
        int most = promises == null ? wanted : promises.most(s, s.submitted, wanted);
        if (most < least) {
            return 0;
        }
        int granted = kv.grow(s.reservation, most, least, plan.pages);
        if (promises != null && granted > 0) {
            promises.grown(s, s.submitted + granted);
        }
        return granted;
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
        budget.giveBack(preemptor.takeDroppedTokens());
    }

    // ---- phase 2: prefills, and those that come back

    /** What each prefill may take where all are to progress alike. */
    private void shareOut() {
        if (fair == null) {
            return;
        }
        fair.clear();
        int blocks = budget.left() / tokensPerBlock;
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            s.share = NO_SHARE;
            if (s.state == Sequence.State.PREFILL && fair.count() < blocks) {
                s.share = fair.count();
                fair.add(blocksOf(s.submitted, s.remaining()));
            }
        }
        int free = slots.free();
        for (int i = 0; i < waiting.size(); i++) {
            Sequence s = waiting.get(i);
            s.share = NO_SHARE;
            if (i < free && fair.count() < blocks) {
                s.share = fair.count();
                // What it will find in the cache is not known yet: what it leaves goes to the others.
                fair.add(blocksOf(0, s.keys.tokens()));
            }
        }
        fair.split(blocks);
    }

    private int blocksOf(int from, int tokens) {
        return (from + tokens + tokensPerBlock - 1) / tokensPerBlock - from / tokensPerBlock;
    }

    /** What nobody has taken goes to the oldest that can use it. */
    private void spread(StepPlan plan) {
        if (fair == null || drain || paused) {
            return;
        }
        for (int i = 0; i < prefills.size() && budget.hasRoom(); i++) {
            Sequence s = prefills.get(i);
            int more = budget.extension(s.submitted + s.planned, s.remaining() - s.planned);
            if (s.planned > 0 && more > 0) {
                int granted = grow(s, s.planned + more, s.planned, plan);
                if (granted > s.planned) {
                    budget.use(granted - s.planned);
                    s.planned = granted;
                }
            }
        }
    }

    private void continueActive(StepPlan plan) {
        order.clear();
        for (int i = 0; i < active.size(); i++) {
            Sequence.State state = active.get(i).state;
            if (state == Sequence.State.PREFILL || state == Sequence.State.SUSPENDED) {
                order.add(active.get(i));
            }
        }
        for (int i = 0; i < order.size() && budget.hasRoom() && !drain; i++) {
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
        if (grow(s, 1, 1, plan) > 0) {
            addDecode(s);
        } else {
            block(s);
        }
    }

    /** Returns whether the phase goes on. */
    private boolean growPrefill(Sequence s, StepPlan plan) {
        boolean cut = !budget.everFits(s.remaining());
        int chunk = chunk(s, s.submitted, s.remaining(), cut);
        if (chunk == 0) {
            // Where prompts are not cut a younger one must not take the place that this one waits for.
            block(s);
            return true;
        }
        int least = budget.least(s.submitted, chunk, cut);
        int granted = grow(s, chunk, least, plan);
        if (granted > 0) {
            addPrefill(s, granted);
            return true;
        }
        if (promises != null) {
            return true;
        }
        block(s);
        switch (preemptor.makeRoomForPrefill(s)) {
            case FREED -> {
                gaveWay();
                granted = grow(s, chunk, least, plan);
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
        Sequence oldest = oldestWaiting();
        if (oldest == null || promises != null && slots.leaving() > 0) {
            return;
        }
        promote(oldest, now);
        if (waiting.get(0).promoted && !slots.hasFree()) {
            makeRoomForStarving(waiting.get(0));
            return;
        }
        boolean passed = false;
        int i = 0;
        while (i < waiting.size() && slots.hasFree() && budget.hasRoom()) {
            Sequence s = waiting.get(i);
            if (blocked != null && waiting.before(blocked, s)) {
                break;
            }
            Admission admission = tryAdmit(s, plan, now);
            if (admission == Admission.BLOCKED) {
                makeRoomForStarving(s);
                break;
            }
            passed |= admission == Admission.ADMITTED && s.arrival > oldest.arrival;
            i += admission == Admission.DEFERRED ? 1 : 0;
        }
        if (passed && oldest.state == Sequence.State.WAITING) {
            oldest.passedOver++;
        }
    }

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
    private void promote(Sequence s, long now) {
        boolean starves = now - s.waitingSince > starvationNanos || s.passedOver > MAX_PASSED_OVER;
        if (starves && !s.promoted) {
            waiting.remove(s);
            s.promoted = true;
            waiting.insert(s);
        }
    }

    private void makeRoomForStarving(Sequence s) {
        boolean first = blocked == null || waiting.before(s, blocked);
        if (s.promoted && first && promises == null && !paused && !drain) {
            make(preemptor.makeRoomForStarving(s));
        }
    }

    private Admission tryAdmit(Sequence s, StepPlan plan, long now) {
        if (promises != null && !promises.isWorthTrying(s)) {
            return Admission.BLOCKED;
        }
        if (!mayHaveRoom()) {
            // Whatever it would find, its next token has nowhere to go: the walk along a long prompt is spared.
            makeRoomFor(s);
            return Admission.BLOCKED;
        }
        // At least one token is computed even on a full hit: its logits are needed.
        Match match = kv.match(s.keys, s.keys.tokens() - 1);
        if (stuck > 0 && active.isEmpty()) {
            // What it would share may be what takes its room.
            match = kv.match(s.keys, 0);
        }
        int history = match.tokens();
        if (options.prefixAware() && s.deferrals < MAX_DEFERRALS && firstBlocks.contains(s.keys, history)) {
            s.deferrals++;
            deferred = true;
            return Admission.DEFERRED;
        }
        s.deferrals = 0;
        int remaining = s.keys.tokens() - history;
        boolean tooLong = !budget.everFits(remaining);
        if (tooLong && !s.scheduledOnce) {
            refuse(
                    s,
                    "the prompt has " + remaining + " tokens to compute, more than max_num_tokens="
                            + options.maxNumTokens() + ", and enable_chunked_prefill is false");
            return Admission.REFUSED;
        }
        int chunk = chunk(s, history, remaining, tooLong);
        if (chunk == 0 || !chargesFit(s, remaining)) {
            return Admission.BLOCKED;
        }
        OptionalInt admitted = kv.admit(match, s.request.retention(), slots.next(), plan.pages);
        if (admitted.isEmpty()) {
            makeRoomFor(s);
            return Admission.BLOCKED;
        }
        slots.enter(s, admitted.getAsInt(), history);
        boolean promised = promises == null || promises.make(s);
        boolean ready = kv.ready(s.reservation);
        int granted = promised && ready ? grow(s, chunk, budget.least(history, chunk, tooLong), plan) : 0;
        if (!promised || ready && granted == 0) {
            giveUp(s);
            return Admission.BLOCKED;
        }
        s.workStep = nextStep;
        s.filledStep = nextStep;
        s.passedOver = 0;
        count(s, history, now);
        waiting.remove(s);
        active.insert(s);
        if (granted > 0) {
            addPrefill(s, granted);
        }
        return Admission.ADMITTED;
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

    /** Where prompts are not cut and hits are not counted on, the whole prompt must fit beside what is planned (T). */
    private boolean chargesFit(Sequence s, int remaining) {
        boolean charged = !options.chunkedPrefill() && !options.prefixAware() && !budget.isEmpty();
        return !charged || Math.max(remaining, s.keys.tokens()) <= budget.left();
    }

    /** A failed admission gives back all that it held. */
    private void giveUp(Sequence s) {
        // The plan at hand may carry a copy into its pages, hence the next step's number.
        s.workStep = nextStep;
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
            make(preemptor.makeRoomForPrefill(s));
        }
    }

    private void make(Preemptor.Room room) {
        switch (room) {
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
            s.cachedTokens = history;
            s.handle.scheduled(now, history);
            queue.leave(s);
            queueNanos += now - s.handle.arrivalNanos;
            promptTokens += s.promptTokens();
            cachedTokens += history;
        } else {
            // What it finds of its own is no prefix hit of the request.
            reusedTokens += history;
        }
    }

    private void addPrefill(Sequence s, int length) {
        s.workStep = nextStep;
        s.planned = length;
        budget.use(length);
        prefills.add(s);
        if (options.prefixAware() && s.inFlight == 0) {
            firstBlocks.add(s.keys, s.history);
        }
    }
    /** The chunk that the step's budget allows, and where all progress alike its share. */
    private int chunk(Sequence s, int from, int remaining, boolean cut) {
        int chunk = budget.chunk(from, remaining, cut);
        // Those without a share come last and take what is left.
        return fair == null || s.share == NO_SHARE ? chunk : budget.firstBlocks(from, chunk, fair.share(s.share));
    }

    // ---- ends

    /** Takes a sequence out that is done; its slot and pages follow when nothing of it is in flight. */
    void retire(Sequence s, boolean commit) {
        active.remove(s);
        slots.retire(s, commit);
    }

    /** Sequences that were preempted and do not run yet, whichever way. */
    int paused() {
        int count = waitingAgain();
        for (int i = 0; i < active.size(); i++) {
            count += active.get(i).state == Sequence.State.SUSPENDED ? 1 : 0;
        }
        return count;
    }

    /** Sequences that gave up their pages and wait to be computed again. */
    int waitingAgain() {
        int count = 0;
        for (int i = 0; i < waiting.size(); i++) {
            count += waiting.get(i).queued ? 0 : 1;
        }
        return count;
    }
}
