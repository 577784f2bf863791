package rondo.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.TokenIds;
import rondo.engine.Engine;
import rondo.engine.EngineOptions;
import rondo.engine.Generation;
import rondo.engine.GenerationRequest;
import rondo.engine.StopRules;
import rondo.engine.TokenBatch;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.Executor;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.CacheScope;
import rondo.kv.KvCacheManager;
import rondo.kv.KvLayout;
import rondo.kv.KvOptions;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PageCopies;
import rondo.kv.PromptKeys;

/** The real engine and memory on the cost model: every prompt token is cached or computed, and time only goes on. */
class ConservationTest {
    private static final KvLayout LAYOUT =
            new KvLayout(4, List.of(LifeCycle.sliding(8), LifeCycle.full()), List.of(3000L, 1000L));

    /** Counts the tokens that each sequence computes, by the seed that stands for it. */
    private static final class Counting implements Executor {
        private final CostModelExecutor inner;
        private final VirtualClock clock;
        private final long[] seedOf = new long[16];
        final Map<Long, Integer> computed = new HashMap<>();
        private long last;

        Counting(CostModelExecutor inner, VirtualClock clock) {
            this.inner = inner;
            this.clock = clock;
        }

        @Override
        public long submit(StepPlan plan) {
            for (int i = 0; i < plan.begins; i++) {
                seedOf[plan.beginSlot[i]] = plan.beginParams[i].seed();
            }
            for (int run = 0; run < plan.runs; run++) {
                computed.merge(seedOf[plan.slot[run]], plan.length[run], Integer::sum);
            }
            return inner.submit(plan);
        }

        @Override
        public StepResult await(long step) throws StepFailure {
            StepResult result = inner.await(step);
            assertThat(clock.nanoTime()).isGreaterThanOrEqualTo(last);
            last = clock.nanoTime();
            return result;
        }

        @Override
        public ModelFacts model() {
            return inner.model();
        }

        @Override
        public MemoryBudget budget(StepLimits limits) {
            return inner.budget(limits);
        }

        @Override
        public void open(KvPools pools, StepLimits limits) {
            inner.open(pools, limits);
        }

        @Override
        public StepPlan plan() {
            return inner.plan();
        }

        @Override
        public void sample(StepPlan plan) {
            inner.sample(plan);
        }

        @Override
        public long copy(PageCopies copies, long afterStep) {
            return inner.copy(copies, afterStep);
        }

        @Override
        public long pollCopies() {
            return inner.pollCopies();
        }

        @Override
        public void close() {
            inner.close();
        }
    }

    /** What one run came to; equal for equal seeds. */
    private record Ended(List<int[]> outputs, List<Integer> cached, List<Long> ends, int preemptions) {}

    @Test
    void everyPromptTokenIsCachedOrComputedOnce() {
        Seeds.forEach(20, random -> {
            long seed = random.nextLong();
            run(new Random(seed), 400, 0, true);
            run(new Random(seed), 400, 0, false);
        });
    }

    @Test
    void theSameRunTwiceIsTheSameToTheNanosecond() {
        Seeds.forEach(8, random -> {
            long seed = random.nextLong();
            for (int host : new int[] {0, 40}) {
                Ended a = run(new Random(seed), 30, host, true);
                Ended b = run(new Random(seed), 30, host, true);
                assertThat(a.ends()).isEqualTo(b.ends());
                assertThat(a.cached()).isEqualTo(b.cached());
                assertThat(a.preemptions()).isEqualTo(b.preemptions());
                assertThat(a.outputs()).usingRecursiveComparison().isEqualTo(b.outputs());
            }
        });
    }

    /** Three conversations of four turns, each prompt the one before with its reply and more. */
    private static Ended run(Random random, int slots, int hostSlots, boolean overlap) {
        VirtualClock clock = new VirtualClock(1);
        CostModelExecutor model = new CostModelExecutor(
                new ModelFacts(1000, 400, LAYOUT, 0),
                new MemoryBudget(1, 1),
                new CostModel(1000, 10, 1e9, 1e9),
                Replies.noise(1000),
                clock);
        Counting executor = new Counting(model, clock);
        EngineOptions options = EngineOptions.of(4, 24, 400).withOverlap(overlap);
        KvPools pools = new KvPools(LAYOUT, List.of(slots, slots + 90), List.of(hostSlots, hostSlots));
        executor.open(pools, options.limits());
        KvOptions kv = KvOptions.defaults().withSupersede(true);
        int[][] text = new int[3][0];
        List<int[]> outputs = new ArrayList<>();
        List<Integer> cached = new ArrayList<>();
        List<Long> ends = new ArrayList<>();
        int preemptions = 0;
        try (Engine engine = Engine.open(executor, new KvCacheManager(pools, kv, 4, 400), options, clock)) {
            engine.tick();
            long sequence = 0;
            for (int turn = 0; turn < 4; turn++) {
                List<Generation> running = new ArrayList<>();
                long first = sequence + 1;
                for (int c = 0; c < 3; c++) {
                    int[] more = random.ints(5 + random.nextInt(40), 0, 1000).toArray();
                    text[c] = java.util.stream.IntStream.concat(
                                    java.util.Arrays.stream(text[c]), java.util.Arrays.stream(more))
                            .toArray();
                    PromptKeys prompt = PromptKeys.of(TokenIds.of(text[c]), CacheScope.unsalted(), 4);
                    running.add(submit(engine, prompt, 1 + random.nextInt(12), ++sequence));
                }
                for (int c = 0; c < 3; c++) {
                    TokenBatch all = drain(engine, running.get(c), model, clock);
                    assertThat(all.error).isEmpty();
                    int[] output = java.util.Arrays.copyOf(all.tokens, all.count);
                    int needed = text[c].length - all.cachedTokens + output.length - 1;
                    if (all.preemptions == 0) {
                        assertThat(executor.computed.get(first + c)).isEqualTo(needed);
                    } else {
                        assertThat(executor.computed.get(first + c)).isGreaterThanOrEqualTo(needed);
                    }
                    if (slots >= 400) {
                        assertThat(all.preemptions).isZero();
                    }
                    preemptions += all.preemptions;
                    outputs.add(output);
                    cached.add(all.cachedTokens);
                    ends.add(all.lastTokenNanos);
                    text[c] = java.util.stream.IntStream.concat(
                                    java.util.Arrays.stream(text[c]), java.util.Arrays.stream(output))
                            .toArray();
                }
            }
            long sum = executor.computed.values().stream()
                    .mapToLong(Integer::longValue)
                    .sum();
            assertThat(model.computedTokens()).isEqualTo(sum);
        }
        return new Ended(outputs, cached, ends, preemptions);
    }

    private static Generation submit(Engine engine, PromptKeys prompt, int tokens, long seed) {
        try {
            return engine.submit(
                    GenerationRequest.of(
                            "r" + seed, prompt, tokens, SamplingParams.of(0, 0, 1, seed), StopRules.endingWith()),
                    g -> {});
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** All tokens of a generation in one batch. */
    private static TokenBatch drain(Engine engine, Generation generation, CostModelExecutor model, VirtualClock clock) {
        TokenBatch part = new TokenBatch();
        int[] tokens = new int[64];
        int count = 0;
        for (int turn = 0; turn < 100_000; turn++) {
            while (generation.take(part, 0)) {
                System.arraycopy(part.tokens, 0, tokens, count, part.count);
                count += part.count;
                if (part.finished) {
                    part.tokens = tokens;
                    part.count = count;
                    return part;
                }
            }
            long before = clock.nanoTime();
            engine.tick();
            if (clock.nanoTime() == before
                    && model.stepsInFlight() == 0
                    && model.nextLanding() != CostModelExecutor.NEVER) {
                clock.advanceTo(model.nextLanding());
            }
        }
        throw new AssertionError("the generation does not end");
    }
}
