package rondo.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import rondo.base.TimeSource;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.ModelFacts;
import rondo.kv.CacheScope;
import rondo.kv.KvCacheManager;
import rondo.kv.KvLayout;
import rondo.kv.KvOptions;
import rondo.kv.KvPools;
import rondo.kv.KvStats;
import rondo.kv.LifeCycle;
import rondo.kv.PromptKeys;

/** An engine on the stub executor: driven turn by turn, or with its own thread after {@link #start}. */
public final class EngineHarness implements AutoCloseable {
    private static final GenerationListener QUIET = generation -> {};

    /** What a generation gave in all. */
    public record Output(int[] tokens, FinishReason reason, int stopToken, int cachedTokens, String error) {}

    public final StubExecutor executor;
    public final KvCacheManager kv;
    /** The cache as the engine sees it: the test may say that it is full. */
    public final ScarceCache scarce;

    public final Engine engine;
    private final TimeSource time;
    public final int tokensPerBlock;

    private EngineHarness(Setup setup) {
        time = setup.time;
        tokensPerBlock = setup.tokensPerBlock;
        List<Integer> pages = new ArrayList<>();
        List<Long> bytes = new ArrayList<>();
        for (int i = 0; i < setup.lifeCycles.size(); i++) {
            pages.add((setup.pagesOf.length > 0 ? setup.pagesOf[i] : setup.pages) + 1);
            bytes.add(64L);
        }
        KvLayout layout = new KvLayout(tokensPerBlock, setup.lifeCycles, bytes);
        KvPools pools = new KvPools(
                layout, pages, pages.stream().map(p -> setup.hostPages).toList());
        executor =
                new StubExecutor(new ModelFacts(setup.vocabulary, setup.options.maxSeqLen(), layout, 0), setup.model);
        executor.open(pools, setup.options.limits());
        kv = new KvCacheManager(pools, setup.kvOptions, setup.options.maxBatchSize(), setup.options.maxSeqLen());
        scarce = new ScarceCache(kv);
        engine = Engine.open(executor, scarce, setup.options, setup.time, setup.events);
    }

    /** What the harness is made of; the setters return it. */
    public static final class Setup {
        private EngineOptions options = EngineOptions.of(8, 64, 512);
        private int tokensPerBlock = 4;
        private List<LifeCycle> lifeCycles = List.of(LifeCycle.sliding(8), LifeCycle.full());
        private int pages = 1000;
        private int[] pagesOf = {};
        private int hostPages;
        private int vocabulary = 1000;
        private NextToken model = NextToken.hashed();
        private TimeSource time = TimeSource.system();
        private KvOptions kvOptions = KvOptions.defaults();
        private StepEvents events = StepEvents.NONE;

        /** All but whether steps overlap, which {@link #overlap} says. */
        public Setup options(EngineOptions value) {
            options = value.withOverlap(options.overlap());
            return this;
        }

        public Setup tokensPerBlock(int value) {
            tokensPerBlock = value;
            return this;
        }

        public Setup lifeCycles(LifeCycle... value) {
            lifeCycles = List.of(value);
            return this;
        }

        /** Usable pages of every pool. */
        public Setup pages(int value) {
            pages = value;
            return this;
        }

        /** Usable pages of each pool. */
        public Setup pagesOf(int... value) {
            pagesOf = value.clone();
            return this;
        }

        /** Pages of every host pool; none unless said otherwise. */
        public Setup hostPages(int value) {
            hostPages = value;
            return this;
        }

        public Setup overlap(boolean on) {
            options = options.withOverlap(on);
            return this;
        }

        public Setup vocabulary(int value) {
            vocabulary = value;
            return this;
        }

        public Setup model(NextToken value) {
            model = value;
            return this;
        }

        public Setup time(TimeSource value) {
            time = value;
            return this;
        }

        public Setup kvOptions(KvOptions value) {
            kvOptions = value;
            return this;
        }

        /** Whether prefixes are reused; they are unless said otherwise. */
        public Setup reuse(boolean on) {
            kvOptions = kvOptions.withReuse(on);
            return this;
        }

        /** Who is told how the cache changes, of at most {@code bufferSize} events a step. */
        public Setup events(StepEvents value, int bufferSize) {
            events = value;
            kvOptions = kvOptions.withEventBuffer(bufferSize);
            return this;
        }

        /** An engine that the test drives with {@link Engine#tick}. */
        public EngineHarness open() {
            EngineHarness harness = new EngineHarness(this);
            harness.engine.tick();
            return harness;
        }

        /** An engine with its own thread. */
        public EngineHarness start() {
            EngineHarness harness = new EngineHarness(this);
            harness.engine.start();
            return harness;
        }
    }

    public static Setup setup() {
        return new Setup();
    }

    public PromptKeys prompt(int... tokens) {
        return PromptKeys.of(TokenIds.of(tokens), CacheScope.unsalted(), tokensPerBlock);
    }

    public GenerationRequest request(int[] prompt, int maxTokens) {
        return GenerationRequest.of(
                "r" + Arrays.hashCode(prompt),
                prompt(prompt),
                maxTokens,
                SamplingParams.greedy(),
                StopRules.endingWith());
    }

    public Generation submit(GenerationRequest request) throws QueueFull, NotServing {
        return engine.submit(request, QUIET);
    }

    public Generation submit(int[] prompt, int maxTokens) throws QueueFull, NotServing {
        return submit(request(prompt, maxTokens));
    }

    /** Ticks until nothing is left to do. */
    public void runUntilIdle() {
        for (int i = 0; i < 1_000_000; i++) {
            long due = engine.tick();
            if (due == EngineLoop.IDLE) {
                return;
            }
            if (due > time.nanoTime()) {
                // Nobody waits for what is still under way.
                executor.landCopies();
            }
        }
        throw new AssertionError("the engine did not come to rest");
    }

    public void tick(int times) {
        for (int i = 0; i < times; i++) {
            engine.tick();
        }
    }

    /** Takes all that is there, which must include the end. */
    public static Output result(Generation generation) {
        return result(generation, 0);
    }

    /** Takes until the end, waiting at most so long for each batch. */
    public static Output result(Generation generation, long timeoutSeconds) {
        int[] all = new int[0];
        TokenBatch batch = new TokenBatch();
        while (generation.take(batch, TimeUnit.SECONDS.toNanos(timeoutSeconds))) {
            int old = all.length;
            all = Arrays.copyOf(all, old + batch.count);
            System.arraycopy(batch.tokens, 0, all, old, batch.count);
            if (batch.finished) {
                return new Output(all, batch.reason, batch.stopToken, batch.cachedTokens, batch.error);
            }
        }
        throw new AssertionError("no end after " + all.length + " tokens");
    }

    /** What the stub model says to a prompt when nobody else is there; computed without any engine. */
    public static int[] expected(NextToken model, int vocabulary, int[] prompt, int count) {
        int[] history = Arrays.copyOf(prompt, prompt.length + count);
        for (int i = 0; i < count; i++) {
            history[prompt.length + i] = model.next(history, prompt.length + i, i, vocabulary);
        }
        return Arrays.copyOfRange(history, prompt.length, history.length);
    }

    /** Pages that someone holds, over all device pools. */
    public int heldPages() {
        int held = 0;
        for (KvStats.Pool pool : kv.stats().pools()) {
            held += pool.held();
        }
        return held;
    }

    /** Fails unless nothing runs, waits or holds a page. */
    public void booksBalance() {
        Books.balance(engine.stats());
        List<String> faults = Books.faults(kv.stats());
        if (!faults.isEmpty()) {
            throw new AssertionError(faults);
        }
    }

    public void start() {
        engine.start();
    }

    @Override
    public void close() {
        engine.close();
        executor.close();
    }
}
