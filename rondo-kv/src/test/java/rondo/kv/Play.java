package rondo.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import rondo.base.TokenIds;

/** Plays sequences on a small cache (blocks of 4, window of 8) as an engine would, on a shadow memory. */
final class Play {
    static final int B = 4;
    static final int W = 8;

    final KvCacheManager kv;
    final ShadowMemory memory;
    final KvOptions options;
    final BlockHasherFactory hashers;
    private final KvPools pools;
    private final Map<Integer, String> names = new HashMap<>();
    private final ArrayDeque<Integer> freeSlots = new ArrayDeque<>();
    PageWork work = new PageWork();
    /** Of the sequences admitted from now on. */
    String conversation = "";

    long submitted;
    /** Steps that have been awaited. */
    long completed;

    long retired;
    /** Batches of copies between tiers: handed over, and landed. */
    long batches;

    long landed;
    /** Whether a batch lands as soon as it is handed over. */
    boolean landsAtOnce = true;
    /** Batches that belong to a submitted step. */
    private long attached;
    /** Steps with copies that may still be under way, oldest first: the step, its batch. */
    private final ArrayDeque<long[]> carriers = new ArrayDeque<>();

    interface BlockHasherFactory extends java.util.function.Supplier<BlockHasher> {}

    /** One sequence: its prompt, then the tokens that "sampling" will give it. */
    final class Seq {
        final String name;
        final int[] tokens;
        final int promptTokens;
        final CacheScope scope;
        final int r;
        final int slot;
        final int cached;
        final SequenceKeys keys;
        /** Tokens of its runs in flight, oldest first. */
        final ArrayDeque<Integer> inFlight = new ArrayDeque<>();

        int submittedTokens;
        int history;
        int grown;
        long lastStep;
        /** It has ended, though a run of it is in flight. */
        boolean ends;

        boolean suspended;

        Seq(String name, int[] tokens, int promptTokens, int r, int slot, int cached, PromptKeys keys) {
            this.scope = keys.scope();
            this.name = name;
            this.tokens = tokens;
            this.promptTokens = promptTokens;
            this.r = r;
            this.slot = slot;
            this.cached = cached;
            this.keys = new SequenceKeys(keys, tokens.length - promptTokens + 8);
            submittedTokens = cached;
            history = cached;
        }
    }

    static KvOptions options() {
        return KvOptions.defaults();
    }

    /** Nothing is copied to the host ahead of need. */
    static KvOptions onDemand(int rewindTokens) {
        return new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, rewindTokens, 35, 0.95, 0, 0);
    }

    static KvOptions rewind(int tokens) {
        return new KvOptions(true, true, true, KvOptions.ReusePolicy.ALL_REUSABLE, 1, tokens, 35, 0.95, 0, 64);
    }

    /** Full attention only. */
    static Play full(int slots, KvOptions options) {
        return new Play(List.of(LifeCycle.full()), List.of(slots), options);
    }

    /** Full attention only, and a host tier. */
    static Play tiered(int slots, int hostSlots, KvOptions options) {
        return new Play(B, List.of(LifeCycle.full()), List.of(slots), List.of(hostSlots), options, BlockHasher::new);
    }

    /** Life cycle 0 slides, life cycle 1 is full. */
    static Play hybrid(int slidingSlots, int fullSlots, KvOptions options) {
        return new Play(List.of(LifeCycle.sliding(W), LifeCycle.full()), List.of(slidingSlots, fullSlots), options);
    }

    Play(List<LifeCycle> cycles, List<Integer> usableSlots, KvOptions options) {
        this(B, cycles, usableSlots, options, BlockHasher::new);
    }

    Play(int b, List<LifeCycle> cycles, List<Integer> usable, KvOptions options, BlockHasherFactory hashers) {
        this(b, cycles, usable, cycles.stream().map(c -> 0).toList(), options, hashers);
    }

    Play(
            int b,
            List<LifeCycle> cycles,
            List<Integer> usable,
            List<Integer> host,
            KvOptions options,
            BlockHasherFactory hashers) {
        this.options = options;
        this.hashers = hashers;
        List<Long> bytes = cycles.stream().map(c -> 64L).toList();
        pools = new KvPools(
                new KvLayout(b, cycles, bytes), usable.stream().map(s -> s + 1).toList(), host);
        kv = new KvCacheManager(pools, options, 16, 4096, hashers.get());
        memory = new ShadowMemory(pools);
        for (int s = 0; s < 16; s++) {
            freeSlots.add(s);
        }
        kv.fences(0, 0, 0);
    }

    KvLayout layout() {
        return pools.layout();
    }

    PromptKeys keys(int[] prompt, CacheScope scope) {
        return PromptKeys.of(TokenIds.of(prompt), scope, pools.layout().tokensPerBlock(), hashers);
    }

    /** Length of the match of all these tokens. */
    int lookup(int... tokens) {
        return lookup(CacheScope.unsalted(), tokens);
    }

    int lookup(CacheScope scope, int... tokens) {
        return kv.match(keys(tokens, scope), tokens.length).tokens();
    }

    /** Length of the match of a prompt, of which the last token is always computed. */
    int prompt(int... tokens) {
        return kv.match(keys(tokens, CacheScope.unsalted()), tokens.length - 1).tokens();
    }

    Seq admit(String name, int[] prompt, int... generated) {
        Seq s = tryAdmit(name, CacheScope.unsalted(), prompt, generated);
        assertThat(s).as("admission of %s", name).isNotNull();
        return s;
    }

    /** The admitted sequence, or null. */
    Seq tryAdmit(String name, CacheScope scope, int[] prompt, int... generated) {
        PromptKeys keys = keys(prompt, scope);
        Match m = kv.match(keys, prompt.length - 1);
        int slot = freeSlots.getFirst();
        OptionalInt r = kv.admit(m, new Retention(prompt.length, conversation, false), slot, work);
        if (r.isEmpty()) {
            return null;
        }
        freeSlots.removeFirst();
        int[] tokens = Arrays.copyOf(prompt, prompt.length + generated.length);
        System.arraycopy(generated, 0, tokens, prompt.length, generated.length);
        Seq s = new Seq(name, tokens, prompt.length, r.getAsInt(), slot, m.tokens(), keys);
        name(s, m.tokens() / blockTokens(), blocks(m.tokens()));
        return s;
    }

    /** Tokens granted. */
    int grow(Seq s, int wanted, int least) {
        int before = blocks(kv.reservations().capacity[s.r]);
        s.grown = kv.grow(s.r, wanted, least, work);
        name(s, before, blocks(kv.reservations().capacity[s.r]));
        return s.grown;
    }

    /** The end of a plan, which may be planned again: what is to be copied between tiers is on its way from now on. */
    void handOver() {
        kv.demoteAhead(work);
        if (work.tierCopies.count > 0) {
            memory.start(work, ++batches, completed, retired);
            work.tierCopies.clear();
            kv.copiesStarted(batches);
        }
        if (landsAtOnce && memory.mayLand(batches, completed)) {
            land(batches);
        }
    }

    /** Batches up to this one have landed. */
    void land(long batch) {
        landed = Math.max(landed, batch);
        memory.land(landed);
        kv.copied(landed);
    }

    /** Whether the step that was planned must not be submitted yet. */
    boolean mustWait() {
        return work.waitsForCopies && batches > landed;
    }

    /** Submits what was grown for these sequences as one step. */
    void submit(Seq... runs) {
        handOver();
        if (mustWait()) {
            land(batches);
        }
        nextStep();
        for (Seq s : runs) {
            memory.run(s.slot, s.tokens, s.submittedTokens, s.grown, submitted);
            s.submittedTokens += s.grown;
            s.inFlight.add(s.grown);
            s.lastStep = submitted;
            kv.submitted(s.r, s.grown, submitted);
            s.grown = 0;
        }
        fences();
    }

    private void nextStep() {
        submitted++;
        if (batches > attached) {
            attached = batches;
            carriers.add(new long[] {submitted, batches});
        }
        memory.apply(work, submitted);
        work = new PageWork();
    }

    void fences() {
        while (!carriers.isEmpty() && carriers.getFirst()[1] <= landed) {
            carriers.removeFirst();
        }
        retired = Math.max(retired, carriers.isEmpty() ? completed : Math.min(completed, carriers.getFirst()[0] - 1));
        kv.fences(submitted, completed, retired);
    }

    /** Applies the results of the oldest step of these sequences. */
    void await(Seq... runs) {
        for (Seq s : runs) {
            int n = s.inFlight.remove();
            s.history += n;
            appendKnown(s);
            kv.completed(s.r, n, s.keys);
        }
    }

    /** Everything submitted is over; the next plan begins. */
    void settle() {
        retire(submitted);
    }

    /** All steps up to this one have been awaited; those are retired whose copies have landed too. */
    void retire(long step) {
        completed = Math.max(completed, step);
        fences();
    }

    boolean ready(Seq s) {
        return kv.ready(s.r);
    }

    boolean suspend(Seq s) {
        s.suspended = kv.suspend(s.r, s.lastStep, work);
        return s.suspended;
    }

    boolean resume(Seq s) {
        s.suspended = !kv.resume(s.r, work);
        return !s.suspended;
    }

    /** Lets steps of copies alone pass until the sequence has all its pages. */
    void arrive(Seq s) {
        for (int i = 0; i < 10 && !ready(s); i++) {
            submit();
            settle();
        }
        assertThat(ready(s)).as("%s has its pages", s.name).isTrue();
    }

    /** One step of one sequence, awaited. */
    void step(Seq s, int tokens) {
        arrive(s);
        int granted = grow(s, tokens, tokens);
        for (int i = 0; i < 10 && granted == 0 && work.tierCopies.count > 0; i++) {
            submit(); // room is being made
            settle();
            granted = grow(s, tokens, tokens);
        }
        assertThat(granted).isEqualTo(tokens);
        submit(s);
        await(s);
        settle();
    }

    void prefill(Seq s, int chunk) {
        while (s.history < s.promptTokens) {
            int end = Math.min(s.promptTokens, (s.history / chunk + 1) * chunk);
            step(s, end - s.history);
        }
    }

    void decode(Seq s) {
        while (s.history < s.tokens.length - 1) {
            step(s, 1);
        }
    }

    void end(Seq s) {
        release(s, true);
        settle();
    }

    void release(Seq s, boolean commit) {
        kv.release(s.r, s.lastStep, commit);
        freeSlot(s);
    }

    void freeSlot(Seq s) {
        freeSlots.addFirst(s.slot);
    }

    /** A step of what was grown, of which only the first {@code kept} tokens are right. */
    void draft(Seq s, int kept) {
        int[] tried = s.tokens.clone();
        for (int i = s.history + kept; i < tried.length; i++) {
            tried[i] = -1;
        }
        handOver();
        if (mustWait()) {
            land(batches);
        }
        nextStep();
        memory.run(s.slot, tried, s.history, s.grown, submitted);
        kv.submitted(s.r, s.grown, submitted);
        s.lastStep = submitted;
        s.grown = 0;
        s.history += kept;
        s.submittedTokens = s.history;
        appendKnown(s);
        kv.completed(s.r, kept, s.keys);
        settle();
    }

    private static void appendKnown(Seq s) {
        while (s.keys.tokens() < Math.min(s.history + 1, s.tokens.length)) {
            s.keys.append(s.tokens[s.keys.tokens()]);
        }
    }

    /** A whole life: prompt in one chunk, all generated tokens, end. */
    Seq play(String name, int[] prompt, int... generated) {
        return playInChunks(1 << 20, name, prompt, generated);
    }

    Seq playInChunks(int chunk, String name, int[] prompt, int... generated) {
        Seq s = admit(name, prompt, generated);
        prefill(s, chunk);
        decode(s);
        end(s);
        return s;
    }

    /** Names of the pages of a life cycle that may be evicted, first to go first, as "A3S". */
    List<String> queue(int lc) {
        return names(kv.cached().pages.evictable(lc));
    }

    /** The same of the host. */
    List<String> hostQueue(int lc) {
        return names(kv.cached().pages.evictable(Tier.HOST, lc));
    }

    /** Pages on the device that only suspended sequences hold. */
    List<String> resting(int lc) {
        return names(kv.cached().pages.resting(lc));
    }

    /** Pages on their way to the host. */
    List<String> leaving(int lc) {
        return names(kv.cached().pages.leaving(lc));
    }

    private List<String> names(EvictionQueue q) {
        List<String> out = new ArrayList<>();
        for (int page = q.first(); page >= 0; page = q.after(page)) {
            out.add(names.get(page));
        }
        return out;
    }

    /** Evicts the page of that name. */
    void drop(String name) {
        Pages pages = kv.cached().pages;
        for (int page = 0; page < pages.limit(); page++) {
            if (pages.exists(page) && name.equals(names.get(page))) {
                kv.cached().drop(page);
                return;
            }
        }
        throw new AssertionError("no page " + name);
    }

    String nameOf(int page) {
        return names.getOrDefault(page, "?");
    }

    int used(int lc) {
        Pages pages = kv.cached().pages;
        return pages.total(lc) - pages.free(lc);
    }

    static int[] range(int from, int to) {
        int[] out = new int[to - from];
        Arrays.setAll(out, i -> from + i);
        return out;
    }

    static int[] join(int[]... parts) {
        return Arrays.stream(parts).flatMapToInt(Arrays::stream).toArray();
    }

    private int blockTokens() {
        return pools.layout().tokensPerBlock();
    }

    private int blocks(int tokens) {
        return pools.layout().blocks(tokens);
    }

    private void name(Seq s, int from, int to) {
        for (int b = from; b < to; b++) {
            for (int lc = 0; lc < pools.layout().lifeCycles().size(); lc++) {
                int page = kv.reservations().page(s.r, lc, b);
                String kind = pools.layout().lifeCycles().get(lc).isFull() ? "F" : "S";
                names.put(page, s.name + b + kind);
            }
        }
    }
}
