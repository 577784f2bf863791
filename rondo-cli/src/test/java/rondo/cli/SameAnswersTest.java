package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.base.TokenIds;
import rondo.cpu.CpuDevice;
import rondo.engine.Engine;
import rondo.engine.EngineOptions;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.GenerationRequest;
import rondo.engine.StopRules;
import rondo.engine.TokenBatch;
import rondo.engine.TokenConstraint;
import rondo.engine.sample.SamplingParams;
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

/**
 * The real decoder under the real engine gives the same tokens with the same log-probabilities, to the bit, whatever is
 * computed beside them, in which chunks, and from which cache.
 */
class SameAnswersTest {
    private static final int OUTPUT = 24;
    private static final int[] LENGTHS = {1, 7, 40, 255, 256, 257, 300, 700};

    /** A generation's tokens and the bits of their log-probabilities. */
    private record Answer(List<Integer> tokens, List<Integer> logprobBits, int cachedTokens) {
        boolean sameTextAs(Answer other) {
            return tokens.equals(other.tokens) && logprobBits.equals(other.logprobBits);
        }
    }

    /** An engine on the bundled model that the test drives by its ticks. */
    private static final class Rig implements AutoCloseable {
        private final LoadedModel model;
        private final Engine engine;

        Rig(int maxNumTokens, boolean reuse, long kvTokens) {
            model = ModelLoader.load(
                    Shared.root().resolve("models/glimmer-mini"),
                    ModelOptions.defaults(),
                    new CpuDevice(2),
                    TimeSource.system());
            EngineOptions options = EngineOptions.of(32, maxNumTokens, 2048);
            KvLayout layout = model.executor().model().layout();
            List<Integer> least = PoolSizing.minSlots(layout, 2048);
            List<Integer> slots = new ArrayList<>();
            for (int i = 0; i < least.size(); i++) {
                slots.add(Math.max(least.get(i), 1 + layout.blocks((int) kvTokens)));
            }
            KvPools pools = new KvPools(layout, slots, List.of(0, 0));
            model.executor().open(pools, options.limits());
            KvCacheManager kv = new KvCacheManager(
                    pools, KvOptions.defaults().withReuse(reuse), options.maxBatchSize(), options.maxSeqLen());
            engine = Engine.open(model.executor(), kv, options.withPrefixAware(reuse), TimeSource.system());
            engine.tick();
        }

        Generation submit(int[] prompt) throws Exception {
            TokenIds ids = TokenIds.of(prompt);
            GenerationRequest request = new GenerationRequest(
                    "t",
                    PromptKeys.of(ids, CacheScope.unsalted(), engine.info().tokensPerBlock()),
                    OUTPUT,
                    SamplingParams.greedy(),
                    new StopRules(new int[0], new int[0], true, 0),
                    0,
                    TokenConstraint.NONE,
                    Retention.of(ids.length()),
                    0.5);
            return engine.submit(request, g -> {});
        }

        Answer finish(Generation generation) {
            List<Integer> tokens = new ArrayList<>();
            List<Integer> bits = new ArrayList<>();
            TokenBatch batch = new TokenBatch();
            while (true) {
                if (!generation.take(batch, 0)) {
                    engine.tick();
                    continue;
                }
                for (int i = 0; i < batch.count; i++) {
                    tokens.add(batch.tokens[i]);
                    bits.add(Float.floatToRawIntBits(batch.logprobs[i]));
                }
                if (batch.finished) {
                    assertThat(batch.reason).isEqualTo(FinishReason.LENGTH);
                    return new Answer(tokens, bits, batch.cachedTokens);
                }
            }
        }

        Answer answer(int[] prompt) throws Exception {
            return finish(submit(prompt));
        }

        @Override
        public void close() {
            engine.close();
            model.executor().close();
        }
    }

    private static int[][] prompts() {
        SplittableRandom random = new SplittableRandom(5);
        int[][] prompts = new int[LENGTHS.length][];
        for (int i = 0; i < LENGTHS.length; i++) {
            prompts[i] = random.ints(LENGTHS[i], 0, 4032).toArray();
        }
        return prompts;
    }

    private static List<Answer> alone(int[][] prompts) throws Exception {
        List<Answer> answers = new ArrayList<>();
        try (Rig rig = new Rig(512, false, 16384)) {
            for (int[] prompt : prompts) {
                answers.add(rig.answer(prompt));
            }
        }
        return answers;
    }

    /** R115: load changes no answer. */
    @ParameterizedTest
    @CsvSource({"64,true", "256,true", "512,true", "64,false"})
    void chunksCompanionsAndCacheChangeNoBit(int maxNumTokens, boolean reuse) throws Exception {
        int[][] prompts = prompts();
        List<Answer> alone = alone(prompts);
        try (Rig rig = new Rig(maxNumTokens, reuse, 65536)) {
            List<Generation> together = new ArrayList<>();
            for (int round = 0; round < 2; round++) {
                for (int[] prompt : prompts) {
                    together.add(rig.submit(prompt));
                }
            }
            for (int i = 0; i < together.size(); i++) {
                Answer answer = rig.finish(together.get(i));
                assertThat(answer.sameTextAs(alone.get(i % prompts.length)))
                        .as("prompt of %d tokens, companion %d", LENGTHS[i % prompts.length], i)
                        .isTrue();
            }
            for (int i = 0; i < prompts.length; i++) {
                Answer again = rig.answer(prompts[i]);
                assertThat(again.sameTextAs(alone.get(i)))
                        .as("again, %d tokens", LENGTHS[i])
                        .isTrue();
                assertThat(again.cachedTokens()).isEqualTo(reuse ? LENGTHS[i] - 1 : 0);
            }
        }
    }

    @Test
    void aPartlyCachedPromptAnswersAsACold() throws Exception {
        int[] base = prompts()[LENGTHS.length - 1];
        for (int common : new int[] {1, 31, 32, 33, 300, 511, 699}) {
            int[] other = base.clone();
            for (int i = common; i < other.length; i++) {
                other[i] = (other[i] + 1) % 4032;
            }
            Answer cold;
            try (Rig rig = new Rig(512, false, 16384)) {
                cold = rig.answer(other);
            }
            try (Rig rig = new Rig(512, true, 16384)) {
                rig.answer(base);
                Answer warm = rig.answer(other);
                assertThat(warm.cachedTokens()).as("common %d", common).isEqualTo(common);
                assertThat(warm.sameTextAs(cold)).as("common %d", common).isTrue();
            }
        }
    }

    @Test
    void aTurnThatReturnsWithTheReplyComputesOnlyWhatIsNew() throws Exception {
        int[] first = prompts()[5];
        try (Rig rig = new Rig(256, true, 16384)) {
            Answer reply = rig.answer(first);
            int[] second = Arrays.copyOf(first, first.length + OUTPUT + 10);
            for (int i = 0; i < OUTPUT; i++) {
                second[first.length + i] = reply.tokens().get(i);
            }
            Answer warm = rig.answer(second);
            // The last sampled token has no K and V; everything before it has.
            assertThat(warm.cachedTokens()).isEqualTo(first.length + OUTPUT - 1);
            try (Rig coldRig = new Rig(512, false, 16384)) {
                assertThat(warm.sameTextAs(coldRig.answer(second))).isTrue();
            }
        }
    }

    @Test
    void aPoolTooSmallForAllPausesSomeAndChangesNoBit() throws Exception {
        int[][] prompts = prompts();
        List<Answer> alone = alone(prompts);
        // The least pools that hold one longest sequence: eight do not fit beside each other.
        try (Rig rig = new Rig(128, true, 0)) {
            List<Generation> together = new ArrayList<>();
            for (int round = 0; round < 3; round++) {
                for (int[] prompt : prompts) {
                    together.add(rig.submit(prompt));
                }
            }
            for (int i = 0; i < together.size(); i++) {
                Answer answer = rig.finish(together.get(i));
                assertThat(answer.sameTextAs(alone.get(i % prompts.length)))
                        .as("prompt of %d tokens", LENGTHS[i % prompts.length])
                        .isTrue();
            }
            assertThat(rig.engine.stats().running()).isZero();
            assertThat(rig.engine.stats().kv().counters().dropped()).isPositive();
        }
    }
}
