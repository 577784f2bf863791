package rondo.engine.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.TokenIds;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepResult;

class SamplerTest {
    private final StepResult result = new StepResult(1);

    private static SamplePlan plan(int vocabulary) {
        SamplePlan plan = new SamplePlan(1, vocabulary);
        plan.wanted[0] = true;
        plan.forced[0] = SamplePlan.NONE;
        plan.topLogprobs[0] = SamplePlan.NONE;
        return plan;
    }

    private int sample(float[] logits, SamplingParams params, int position) {
        SamplePlan plan = plan(logits.length);
        plan.position[0] = position;
        SlotSampling slot = new SlotSampling(logits.length);
        slot.begin(params, TokenIds.empty(), TokenIds.empty());
        new Sampler(logits.length).sample(slot, MemorySegment.ofArray(logits), plan, 0, result);
        return result.token[0];
    }

    private static float[] logits(SplittableRandom random, int vocabulary) {
        float[] logits = new float[vocabulary];
        double spread = 0.2 + 6 * random.nextDouble();
        boolean ties = random.nextInt(3) == 0;
        for (int i = 0; i < vocabulary; i++) {
            double x = spread * (random.nextDouble() + random.nextDouble() + random.nextDouble() - 1.5) * 2;
            logits[i] = (float) (ties ? Math.rint(x) : x);
        }
        return logits;
    }

    /** R113: repetition sees prompt and output, the other penalties the output. */
    @Test
    void agreesWithThePlainFloat64Rules() {
        int[] ambiguous = new int[1];
        int[] all = new int[1];
        Seeds.forEach(600, random -> {
            int vocabulary = 2 + random.nextInt(random.nextInt(4) == 0 ? 3000 : 80);
            float[] logits = logits(random, vocabulary);
            Map<Integer, Float> bias = new HashMap<>();
            for (int i = random.nextInt(4); i > 0; i--) {
                bias.put(random.nextInt(vocabulary), random.nextInt(3) == 0 ? -100f : random.nextInt(9) - 4f);
            }
            boolean penalties = random.nextBoolean();
            SamplingParams params = new SamplingParams(
                    random.nextInt(6) == 0 ? 0 : 0.1f + 2 * (float) random.nextDouble(),
                    random.nextInt(2) * random.nextInt(vocabulary + 5),
                    random.nextBoolean() ? 1 : 0.05f + 0.95f * (float) random.nextDouble(),
                    random.nextInt(3) > 0 ? 0 : (float) random.nextDouble(),
                    penalties ? 0.8f + (float) random.nextDouble() : 1,
                    penalties ? (float) random.nextDouble() : 0,
                    penalties ? (float) random.nextDouble() - 0.3f : 0,
                    random.nextLong(),
                    random.nextInt(3),
                    LogitBias.of(bias));
            int[] prompt = random.ints(random.nextInt(20), 0, vocabulary).toArray();
            int[] output = random.ints(random.nextInt(20), 0, vocabulary).toArray();
            SamplePlan plan = plan(vocabulary);
            plan.position[0] = random.nextInt(1000);
            plan.masked[0] = random.nextInt(3) == 0;
            boolean[] allowed = new boolean[vocabulary];
            Arrays.fill(allowed, true);
            if (plan.masked[0]) {
                for (int i = 0; i < vocabulary; i++) {
                    allowed[i] = random.nextInt(4) > 0;
                    long word = plan.mask(0).getAtIndex(ValueLayout.JAVA_LONG, i >> 6);
                    long bit = 1L << (i & 63);
                    plan.mask(0).setAtIndex(ValueLayout.JAVA_LONG, i >> 6, allowed[i] ? word | bit : word & ~bit);
                }
            }
            SlotSampling slot = new SlotSampling(vocabulary);
            // What an earlier sequence has left in the slot must not count.
            slot.begin(
                    new SamplingParams(1, 0, 1, 0, 2, 1, 1, 0, 0, LogitBias.NONE), TokenIds.of(0, 1), TokenIds.of(1));
            slot.begin(params, TokenIds.of(prompt), TokenIds.of(Arrays.copyOf(output, output.length / 2)));
            for (int i = output.length / 2; i < output.length; i++) {
                slot.append(output[i]);
            }
            new Sampler(vocabulary).sample(slot, MemorySegment.ofArray(logits), plan, 0, result);
            SamplerOracle oracle = new SamplerOracle(
                    logits,
                    params,
                    prompt,
                    output,
                    i -> allowed[i],
                    Philox.uniform(params.seed(), params.choice(), plan.position[0]));
            all[0]++;
            if (oracle.ambiguous) {
                ambiguous[0]++;
            } else {
                assertThat(result.token[0])
                        .as("vocabulary %d, %s, masked %s", vocabulary, params, plan.masked[0])
                        .isEqualTo(oracle.token);
            }
        });
        assertThat(ambiguous[0]).isLessThanOrEqualTo(all[0] / 20);
    }

    @Test
    void aTieGoesToTheLowestId() {
        assertThat(sample(new float[] {1, 3, 3, 2}, SamplingParams.greedy(), 0)).isEqualTo(1);
        float[] wide = new float[1000];
        wide[777] = wide[333] = 5;
        assertThat(sample(wide, SamplingParams.greedy(), 0)).isEqualTo(333);
        for (int position = 0; position < 50; position++) {
            assertThat(sample(new float[] {1, 3, 3, 2}, SamplingParams.of(1, 1, 1, 9), position))
                    .isEqualTo(1);
        }
    }

    @Test
    void topPKeepsAtLeastOne() {
        for (int position = 0; position < 50; position++) {
            assertThat(sample(new float[] {1, 1.5f, 1.4f}, SamplingParams.of(1, 0, 1e-6f, 9), position))
                    .isEqualTo(1);
        }
    }

    @Test
    void frequenciesFollowTheProbabilities() {
        float[] logits = {0, (float) Math.log(2), (float) Math.log(3), (float) Math.log(4)};
        int n = 40_000;
        int[] counts = new int[4];
        SamplePlan plan = plan(4);
        SlotSampling slot = new SlotSampling(4);
        slot.begin(SamplingParams.of(1, 0, 1, 42), TokenIds.empty(), TokenIds.empty());
        Sampler sampler = new Sampler(4);
        for (int i = 0; i < n; i++) {
            plan.position[0] = i;
            sampler.sample(slot, MemorySegment.ofArray(logits), plan, 0, result);
            counts[result.token[0]]++;
        }
        double chi = 0;
        for (int i = 0; i < 4; i++) {
            double expected = n * (i + 1) / 10.0;
            chi += (counts[i] - expected) * (counts[i] - expected) / expected;
        }
        // 3 degrees of freedom, one in a thousand; the seed is fixed.
        assertThat(chi).isLessThan(16.3);
    }

    @Test
    void logprobsAreTheRawOnesWhateverIsDoneToTheLogits() {
        float[] logits = new float[300];
        SplittableRandom random = new SplittableRandom(3);
        for (int i = 0; i < logits.length; i++) {
            logits[i] = (float) (8 * random.nextDouble() - 4);
        }
        logits[17] = logits[200] = 6;
        double sum = 0;
        for (float x : logits) {
            sum += Math.exp(x);
        }
        SamplePlan plan = plan(300);
        plan.topLogprobs[0] = 20;
        SlotSampling slot = new SlotSampling(300);
        slot.begin(
                new SamplingParams(0, 0, 1, 0, 1, 0, 0, 0, 0, LogitBias.of(Map.of(250, 50f, 17, -100f))),
                TokenIds.empty(),
                TokenIds.empty());
        new Sampler(300).sample(slot, MemorySegment.ofArray(logits), plan, 0, result);
        assertThat(result.token[0]).isEqualTo(250);
        assertThat(result.logprob[0]).isCloseTo((float) (logits[250] - Math.log(sum)), within(1e-5f));
        Integer[] order = new Integer[300];
        Arrays.setAll(order, i -> i);
        Arrays.sort(order, (a, b) -> Float.compare(logits[b], logits[a]));
        for (int i = 0; i < 20; i++) {
            assertThat(result.alternative[i]).isEqualTo(order[i]);
            assertThat(result.alternativeLogprob[i])
                    .isCloseTo((float) (logits[order[i]] - Math.log(sum)), within(1e-5f));
        }
    }

    private static org.assertj.core.data.Offset<Float> within(float most) {
        return org.assertj.core.data.Offset.offset(most);
    }

    @Test
    void aForcedTokenIsTakenAndCounted() {
        SamplePlan plan = plan(3);
        plan.forced[0] = 2;
        SlotSampling slot = new SlotSampling(3);
        slot.begin(new SamplingParams(0, 0, 1, 0, 1, 0, 5, 0, 0, LogitBias.NONE), TokenIds.empty(), TokenIds.empty());
        Sampler sampler = new Sampler(3);
        MemorySegment logits = MemorySegment.ofArray(new float[] {0, 1, 4});
        sampler.sample(slot, logits, plan, 0, result);
        assertThat(result.token[0]).isEqualTo(2);
        plan.forced[0] = SamplePlan.NONE;
        sampler.sample(slot, logits, plan, 0, result);
        assertThat(result.token[0]).isEqualTo(1);
    }

    /** R080: nothing to choose from is an end, not a number that is none. */
    @Test
    void aMaskThatLeavesNothingAndLogitsThatAreNoNumbersAreSaid() {
        SamplePlan plan = plan(3);
        plan.masked[0] = true;
        SlotSampling slot = new SlotSampling(3);
        for (SamplingParams params : new SamplingParams[] {SamplingParams.greedy(), SamplingParams.of(1, 2, 0.5f, 1)}) {
            slot.begin(params, TokenIds.empty(), TokenIds.empty());
            plan.masked[0] = true;
            new Sampler(3).sample(slot, MemorySegment.ofArray(new float[] {0, 1, 4}), plan, 0, result);
            assertThat(result.token[0]).isEqualTo(StepResult.EMPTY_MASK);
            plan.masked[0] = false;
            new Sampler(3).sample(slot, MemorySegment.ofArray(new float[] {0, Float.NaN, 4}), plan, 0, result);
            assertThat(result.token[0]).isEqualTo(StepResult.BAD_LOGITS);
        }
    }

    @Test
    void samplingAllocatesNoScratchPerToken() {
        int vocabulary = 4_096;
        float[] logits = logits(new SplittableRandom(5), vocabulary);
        MemorySegment segment = MemorySegment.ofArray(logits);
        SamplePlan plan = plan(vocabulary);
        Sampler sampler = new Sampler(vocabulary);
        SlotSampling greedy = new SlotSampling(vocabulary);
        SlotSampling drawn = new SlotSampling(vocabulary);
        drawn.begin(SamplingParams.of(0.8f, 50, 0.9f, 3), TokenIds.empty(), TokenIds.empty());
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        // Half a row per token. Vectors are objects until their loops are compiled, hence the rounds.
        long limit = 200 * vocabulary * Float.BYTES / 2;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 300 && least > limit; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 100; i++) {
                plan.position[0] = i;
                sampler.sample(greedy, segment, plan, 0, result);
                sampler.sample(drawn, segment, plan, 0, result);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isLessThanOrEqualTo(limit);
    }

    /** R110: a temperature that is next to nothing is none. */
    @Test
    void tinyTemperaturesAreGreedy() {
        float[] logits = logits(new SplittableRandom(8), 500);
        int greedy = sample(logits, SamplingParams.greedy(), 0);
        for (float temperature : new float[] {1e-5f, 1e-6f, 1e-12f, Float.MIN_VALUE}) {
            for (int position = 0; position < 20; position++) {
                assertThat(sample(logits, SamplingParams.of(temperature, 0, 1, 9), position))
                        .as("temperature " + temperature)
                        .isEqualTo(greedy);
            }
        }
    }

    /** R112: a banned token never comes however much the model wants it, and one pushed far enough always does. */
    @Test
    void aBiasOfAHundredBansOrForces() {
        float[] logits = {0, 50, 1, 2};
        for (int position = 0; position < 200; position++) {
            SamplingParams banned = new SamplingParams(2, 0, 1, 0, 1, 0, 0, 7, 0, LogitBias.of(Map.of(1, -100f)));
            assertThat(sample(logits, banned, position)).isNotEqualTo(1);
            SamplingParams forced = new SamplingParams(1, 0, 1, 0, 1, 0, 0, 7, 0, LogitBias.of(Map.of(2, 100f)));
            assertThat(sample(logits, forced, position)).isEqualTo(2);
        }
    }
}
