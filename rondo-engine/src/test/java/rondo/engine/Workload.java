package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import rondo.base.TokenIds;
import rondo.engine.sample.LogitBias;
import rondo.engine.sample.SamplingParams;
import rondo.kv.CacheScope;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;

/** A random list of requests with all that can befall them; the same seed gives the same list again. */
final class Workload {
    private static final int VOCABULARY = 200;

    /** A grammar with a memory: which tokens it forbids depends on all that it has accepted. */
    private static final class Picky implements TokenConstraint {
        private long state = 1;

        private boolean allows(int token) {
            return (token + state) % 3 != 0;
        }

        @Override
        public boolean accept(int token) {
            boolean allowed = allows(token);
            state = state * 31 + token & 0xffff;
            return allowed;
        }

        @Override
        public void rollback(int tokens) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean fill(MemorySegment bits) {
            for (int w = 0; w < bits.byteSize() / 8; w++) {
                long word = 0;
                for (int i = 0; i < 64; i++) {
                    word |= allows(64 * w + i) ? 1L << i : 0;
                }
                bits.setAtIndex(ValueLayout.JAVA_LONG, w, word);
            }
            return true;
        }

        @Override
        public boolean mayEnd() {
            return true;
        }
    }

    /** What is to happen to a request; -1 = never. */
    private record Plan(
            int[] prompt,
            int maxTokens,
            SamplingParams sampling,
            StopRules stop,
            int topLogprobs,
            boolean picky,
            int ticksBefore,
            int cancelAtToken,
            int stopAt) {}

    private final List<Plan> plans;
    private final int tokensPerBlock;
    private final List<TokenBatch> outputs = new ArrayList<>();

    Workload(SplittableRandom random, int count, int longestPrompt, int mostTokens, int tokensPerBlock) {
        this.tokensPerBlock = tokensPerBlock;
        plans = new ArrayList<>();
        int[] common =
                random.ints(1 + random.nextInt(longestPrompt), 0, VOCABULARY).toArray();
        for (int i = 0; i < count; i++) {
            int length = 1 + random.nextInt(longestPrompt);
            int[] prompt = random.ints(length, 0, VOCABULARY).toArray();
            if (random.nextBoolean()) {
                System.arraycopy(common, 0, prompt, 0, Math.min(length, 1 + random.nextInt(common.length)));
            }
            plans.add(new Plan(
                    prompt,
                    1 + random.nextInt(mostTokens),
                    sampling(random),
                    stop(random),
                    random.nextInt(3) == 0 ? random.nextInt(4) : -1,
                    random.nextInt(4) == 0,
                    random.nextInt(4),
                    random.nextInt(6) == 0 ? random.nextInt(mostTokens) : -1,
                    random.nextInt(6) == 0 ? 1 + random.nextInt(mostTokens) : -1));
        }
    }

    private Workload(List<Plan> plans, int tokensPerBlock) {
        this.plans = plans;
        this.tokensPerBlock = tokensPerBlock;
    }

    /** The same requests, to be run by another engine. */
    Workload again() {
        return new Workload(plans, tokensPerBlock);
    }

    private static SamplingParams sampling(SplittableRandom random) {
        boolean penalties = random.nextInt(3) == 0;
        return new SamplingParams(
                random.nextBoolean() ? 0 : 1,
                0,
                1,
                0,
                penalties ? 1.2f : 1,
                0,
                penalties ? 2 : 0,
                random.nextLong(),
                random.nextInt(3),
                LogitBias.NONE);
    }

    private static StopRules stop(SplittableRandom random) {
        return new StopRules(
                random.ints(random.nextInt(12), 0, VOCABULARY).toArray(),
                random.ints(random.nextInt(4), 0, VOCABULARY).toArray(),
                random.nextInt(4) == 0,
                random.nextInt(3) == 0 ? random.nextInt(12) : 0);
    }

    int vocabulary() {
        return VOCABULARY;
    }

    private GenerationRequest request(Plan p) {
        PromptKeys keys = PromptKeys.of(TokenIds.of(p.prompt), CacheScope.unsalted(), tokensPerBlock);
        return new GenerationRequest(
                "r" + plans.indexOf(p),
                keys,
                p.maxTokens,
                p.sampling,
                p.stop,
                p.topLogprobs,
                p.picky ? new Picky() : TokenConstraint.NONE,
                Retention.of(p.prompt.length),
                0.5);
    }

    /** Runs everything and holds each output against what the request gives alone. */
    void runAndCheck(EngineHarness h) throws Exception {
        List<Generation> all = new ArrayList<>();
        int[] taken = new int[plans.size()];
        for (Plan p : plans) {
            all.add(submit(h, p, all.size(), taken));
            h.tick(p.ticksBefore);
        }
        h.runUntilIdle();
        for (int i = 0; i < plans.size(); i++) {
            check(plans.get(i), all.get(i), outputs.get(i), i);
        }
        assertThat(h.heldPages()).as("pages held").isZero();
        EngineStats stats = h.engine.stats();
        assertThat(stats.running() + stats.waiting()).isZero();
        assertThat(stats.finished() + stats.cancelled()).isEqualTo(plans.size());
    }

    private Generation submit(EngineHarness h, Plan p, int index, int[] taken) throws Exception {
        TokenBatch sum = new TokenBatch();
        outputs.add(sum);
        TokenBatch batch = new TokenBatch();
        boolean[] stopped = new boolean[1];
        return h.engine.submit(request(p), g -> {
            while (g.take(batch, 0)) {
                sum.ensure(sum.count + batch.count, true);
                System.arraycopy(batch.tokens, 0, sum.tokens, sum.count, batch.count);
                System.arraycopy(batch.logprobs, 0, sum.logprobs, sum.count, batch.count);
                sum.count += batch.count;
                sum.finished = batch.finished;
                sum.reason = batch.reason;
                sum.stopToken = batch.stopToken;
                sum.error = batch.error;
            }
            taken[index] = sum.count;
            if (p.cancelAtToken >= 0 && sum.count >= p.cancelAtToken && !sum.finished) {
                g.cancel();
            } else if (p.stopAt >= 0 && sum.count >= p.stopAt && !stopped[0] && !sum.finished) {
                stopped[0] = true;
                g.stopAt(p.stopAt, FinishReason.STOP);
            }
        });
    }

    private void check(Plan p, Generation g, TokenBatch out, int index) {
        int[] right = StubSampling.alone(NextToken.hashed(), VOCABULARY, request(p));
        int[] got = Arrays.copyOf(out.tokens, out.count);
        String which = "request " + index + " " + p;
        assertThat(out.finished).as(which).isTrue();
        assertThat(g.take(new TokenBatch(), 0)).as(which).isFalse();
        assertThat(out.error).as(which).isEmpty();
        assertThat(got.length).as(which).isLessThanOrEqualTo(right.length);
        assertThat(got).as(which).isEqualTo(Arrays.copyOf(right, got.length));
        for (int i = 0; p.topLogprobs >= 0 && i < got.length; i++) {
            assertThat(out.logprobs[i]).isEqualTo(StubSampling.logprob(got[i]));
        }
        switch (out.reason) {
            case LENGTH -> assertThat(got).as(which).hasSize(p.maxTokens);
            case STOP -> {
                boolean byOwner = p.stopAt >= 0 && got.length == p.stopAt;
                if (!byOwner) {
                    assertThat(got).as(which).isEqualTo(right);
                    assertThat(p.stop.ends(got[got.length - 1])).as(which).isTrue();
                }
            }
            case CANCELLED -> assertThat(p.cancelAtToken).as(which).isBetween(0, got.length);
            default -> throw new AssertionError(which + " ended by " + out.reason);
        }
    }
}
