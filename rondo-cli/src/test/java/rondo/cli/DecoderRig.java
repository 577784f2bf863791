package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.base.TokenIds;
import rondo.cpu.Cpu;
import rondo.engine.Books;
import rondo.engine.Engine;
import rondo.engine.EngineOptions;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.GenerationRequest;
import rondo.engine.ScarceCache;
import rondo.engine.StopRules;
import rondo.engine.TokenBatch;
import rondo.engine.TokenConstraint;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.Executor;
import rondo.kv.CacheScope;
import rondo.kv.KvCacheManager;
import rondo.kv.KvLayout;
import rondo.kv.KvOptions;
import rondo.kv.KvPools;
import rondo.kv.PoolSizing;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;
import rondo.model.LoadedModel;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;

/** The real decoder on the bundled model under the real engine and cache, driven tick by tick by a test. */
final class DecoderRig implements AutoCloseable {
    /** One thread each: a test that wants more runs several rigs. */
    private static final int THREADS = 1;

    /** What a rig is made of. */
    static final class Setup {
        private Path checkpoint = Shared.root().resolve("models/glimmer-mini");
        private ModelOptions model = ModelOptions.defaults();
        private EngineOptions options = EngineOptions.of(8, 128, 768);
        private KvOptions kvOptions = KvOptions.defaults();
        private Optional<Integer> morePages = Optional.empty();
        private int hostPages;
        private Optional<SplittableRandom> harsh = Optional.empty();

        Setup model(ModelOptions value) {
            model = value;
            return this;
        }

        Setup options(EngineOptions value) {
            options = value;
            return this;
        }

        Setup kv(KvOptions value) {
            kvOptions = value;
            return this;
        }

        /** Pools that hold one longest sequence and so many pages more; without this they are roomy. */
        Setup tiny(int more) {
            morePages = Optional.of(more);
            return this;
        }

        /** Pages of the host tier, in every life cycle. */
        Setup host(int pages) {
            hostPages = pages;
            return this;
        }

        /** Shuffled page numbers and NaNs in pages that are handed out; needs a {@link PoisonedCheckpoint}. */
        Setup harsh(Path poisoned, SplittableRandom random) {
            checkpoint = poisoned;
            harsh = Optional.of(random);
            return this;
        }

        DecoderRig open() {
            return new DecoderRig(this);
        }
    }

    /** Tokens of one answer, the bits of their log-probabilities, and how much of the prompt was cached. */
    record Answer(List<Integer> tokens, List<Integer> logprobBits, int cachedTokens, FinishReason reason) {
        boolean sameTextAs(Answer other) {
            return tokens.equals(other.tokens) && logprobBits.equals(other.logprobBits) && reason == other.reason;
        }
    }

    final Engine engine;
    final KvCacheManager kv;
    final ScarceCache scarce;
    final Executor executor;
    private final Optional<HarshExecutor> harsh;

    private DecoderRig(Setup setup) {
        WatchedDevice device = new WatchedDevice(Cpu.open(THREADS));
        LoadedModel model = ModelLoader.load(setup.checkpoint, setup.model, device, TimeSource.system());
        harsh = setup.harsh.map(
                random -> new HarshExecutor(model.executor(), device::memory, PoisonedCheckpoint.NAN_TOKEN, random));
        executor = harsh.<Executor>map(h -> h).orElse(model.executor());
        KvLayout layout = executor.model().layout();
        List<Integer> least = PoolSizing.minSlots(layout, setup.options.maxSeqLen());
        List<Integer> slots = new ArrayList<>();
        for (int lc = 0; lc < least.size(); lc++) {
            int roomy = 1 + 2 * setup.options.maxBatchSize() * layout.blocks(setup.options.maxSeqLen());
            slots.add(setup.morePages.isPresent() ? least.get(lc) + setup.morePages.get() : roomy);
        }
        KvPools pools = new KvPools(layout, slots, Collections.nCopies(slots.size(), setup.hostPages));
        executor.open(pools, setup.options.limits());
        kv = new KvCacheManager(pools, setup.kvOptions, setup.options.maxBatchSize(), setup.options.maxSeqLen());
        scarce = new ScarceCache(kv);
        engine = Engine.open(executor, scarce, setup.options, TimeSource.system());
        engine.tick();
    }

    static Setup setup() {
        return new Setup();
    }

    /** How many pages were handed out with NaNs in them. */
    long poisoned() {
        return harsh.map(HarshExecutor::poisoned).orElse(0L);
    }

    GenerationRequest request(int[] prompt, int maxTokens, CacheScope scope) {
        TokenIds ids = TokenIds.of(prompt);
        return new GenerationRequest(
                "t",
                PromptKeys.of(ids, scope, engine.info().tokensPerBlock()),
                maxTokens,
                SamplingParams.greedy(),
                new StopRules(new int[0], new int[0], true, 0),
                0,
                TokenConstraint.NONE,
                Retention.of(ids.length()),
                0.5);
    }

    Generation submit(GenerationRequest request) throws Exception {
        return engine.submit(request, g -> {});
    }

    /** Ticks until it has ended. */
    Answer finish(Generation generation) {
        Reading reading = new Reading(generation);
        while (!reading.ended()) {
            engine.tick();
        }
        return reading.answer();
    }

    Answer answer(int[] prompt, int maxTokens) throws Exception {
        return finish(submit(request(prompt, maxTokens, CacheScope.unsalted())));
    }

    void runUntilIdle() {
        while (engine.tick() != rondo.engine.EngineLoop.IDLE) {
            // it works
        }
    }

    void booksBalance() {
        runUntilIdle();
        Books.balance(engine.stats());
        assertThat(Books.faults(kv.stats())).isEmpty();
    }

    @Override
    public void close() {
        engine.close();
        executor.close();
    }

    /** A generation that is read as it comes. */
    static final class Reading {
        private final Generation generation;
        private final TokenBatch batch = new TokenBatch();
        private final List<Integer> tokens = new ArrayList<>();
        private final List<Integer> bits = new ArrayList<>();

        Reading(Generation generation) {
            this.generation = generation;
        }

        /** Tokens read so far. */
        int count() {
            return tokens.size();
        }

        /** Takes what is there; whether that was the end. */
        boolean ended() {
            while (generation.take(batch, 0)) {
                for (int i = 0; i < batch.count; i++) {
                    tokens.add(batch.tokens[i]);
                    bits.add(Float.floatToRawIntBits(batch.logprobs[i]));
                }
                if (batch.finished) {
                    if (batch.reason == FinishReason.ERROR) {
                        throw new AssertionError(batch.error + " after " + tokens);
                    }
                    return true;
                }
            }
            return false;
        }

        Answer answer() {
            return new Answer(List.copyOf(tokens), List.copyOf(bits), batch.cachedTokens, batch.reason);
        }
    }
}
