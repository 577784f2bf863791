package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.engine.ColdTwin;
import rondo.engine.EngineOptions;
import rondo.engine.Generation;
import rondo.engine.GenerationRequest;
import rondo.engine.StopRules;
import rondo.engine.sample.LogitBias;
import rondo.engine.sample.SamplingParams;
import rondo.kv.CacheScope;
import rondo.kv.KvOptions;
import rondo.model.DType;
import rondo.model.ModelOptions;

/** What users of other servers report of wrong numbers after reuse, offload and preemption, on the real decoder. */
class ReportedNumericsTest {
    private static final int WINDOW = 256;

    private final ColdTwin twin = new ColdTwin();

    private static int[] random(long seed, int length) {
        return new SplittableRandom(seed).ints(length, 0, 4032).toArray();
    }

    private static int[] join(int[] a, int[] b) {
        int[] all = Arrays.copyOf(a, a.length + b.length);
        System.arraycopy(b, 0, all, a.length, b.length);
        return all;
    }

    private DecoderRig.Answer cold(DecoderRig rig, int[] prompt, int count) throws Exception {
        DecoderRig.Answer answer = rig.finish(rig.submit(twin.of(rig.request(prompt, count, CacheScope.unsalted()))));
        assertThat(answer.cachedTokens()).isZero();
        return answer;
    }

    private static void same(DecoderRig.Answer warm, DecoderRig.Answer cold, String what) {
        assertThat(warm.sameTextAs(cold))
                .as("%s: %s instead of %s", what, warm, cold)
                .isTrue();
    }

    /** R014: whatever type K and V have, a hit answers as a miss; R027: so does a prefix that was on the host. */
    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"FLOAT16", "BFLOAT16", "FLOAT32"})
    void everyKvTypeComesBackBitByBit(DType type) throws Exception {
        EngineOptions options = EngineOptions.of(2, 128, 384).withOverlap(true);
        try (DecoderRig rig = DecoderRig.setup()
                .model(ModelOptions.defaults().withKvDtype(type))
                .options(options)
                .tiny(1)
                .host(100)
                .open()) {
            int[] conversation = random(14, 90);
            long onboarded = 0;
            for (int turn = 0; turn < 4; turn++) {
                DecoderRig.Answer hit = rig.answer(conversation, 8);
                same(hit, cold(rig, conversation, 8), type + " turn " + turn);
                same(rig.answer(conversation, 8), hit, type + " again, turn " + turn);
                assertThat(hit.cachedTokens() > 0).isEqualTo(turn > 0);
                int[] reply = hit.tokens().stream().mapToInt(Integer::intValue).toArray();
                conversation = join(join(conversation, reply), random(140 + turn, 30));
                // Another long prompt takes the device: what was there goes to the host.
                rig.answer(random(1400 + turn, 340), 2);
                assertThat(rig.kv.stats().counters().onboarded()).isGreaterThanOrEqualTo(onboarded);
                onboarded = rig.kv.stats().counters().onboarded();
            }
            assertThat(onboarded).isPositive();
            rig.booksBalance();
        }
    }

    /** R035: penalties, min_tokens, stops, seeds and log-probabilities are the same after a preemption at any token. */
    @Test
    void aPreemptionChangesNoSampledToken() throws Exception {
        SamplingParams[] ways = {
            new SamplingParams(0, 0, 1, 0, 1.3f, 0.5f, 2, 1, 0, LogitBias.NONE),
            new SamplingParams(0.9f, 40, 0.95f, 0, 1, 0, 2, 1, 0, LogitBias.NONE),
            SamplingParams.greedy()
        };
        int[] prompt = random(35, 60);
        for (SamplingParams way : ways) {
            DecoderRig.Answer right;
            try (DecoderRig rig = DecoderRig.setup().open()) {
                right = rig.finish(rig.submit(sampled(rig, prompt, way)));
            }
            for (int k : new int[] {1, 2, 7, 15}) {
                try (DecoderRig rig = DecoderRig.setup().open()) {
                    Generation older = rig.submit(rig.request(random(1, 20), 40, CacheScope.unsalted()));
                    rig.engine.tick();
                    DecoderRig.Reading reading = new DecoderRig.Reading(rig.submit(sampled(rig, prompt, way)));
                    while (reading.count() < k) {
                        assertThat(reading.ended()).isFalse();
                        rig.engine.tick();
                    }
                    AtomicInteger refusals = new AtomicInteger(2);
                    rig.scarce.fullWhen(r -> refusals.getAndDecrement() > 0);
                    while (!reading.ended()) {
                        rig.engine.tick();
                    }
                    same(reading.answer(), right, way + " preempted after " + k);
                    assertThat(rig.engine.stats().preemptions()).isPositive();
                    rig.finish(older);
                    rig.booksBalance();
                }
            }
        }
    }

    private static GenerationRequest sampled(DecoderRig rig, int[] prompt, SamplingParams way) {
        GenerationRequest r = rig.request(prompt, 24, CacheScope.unsalted());
        return new GenerationRequest(
                r.id(),
                r.prompt(),
                24,
                way,
                new StopRules(new int[] {prompt[0], 17}, new int[] {prompt[1]}, false, 9),
                2,
                r.constraint(),
                r.retention(),
                r.priority());
    }

    /** R040: prompts of any number of chunks, and a token more or less, answer as they do whole. */
    @Test
    void promptsOfOneToSixChunksAnswerAsWhole() throws Exception {
        int chunk = 64;
        EngineOptions whole = EngineOptions.of(8, 512, 512).withPrefixAware(false);
        EngineOptions cut =
                EngineOptions.of(8, chunk, 512).withPrefixAware(false).withOverlap(true);
        KvOptions fresh = KvOptions.defaults().withReuse(false);
        try (DecoderRig one = DecoderRig.setup().options(whole).kv(fresh).open();
                DecoderRig many = DecoderRig.setup().options(cut).kv(fresh).open()) {
            for (int chunks = 1; chunks <= 6; chunks++) {
                List<Generation> right = new ArrayList<>();
                List<Generation> got = new ArrayList<>();
                for (int more = -1; more <= 1; more++) {
                    int[] prompt = random(chunks, chunks * chunk + more);
                    right.add(one.submit(one.request(prompt, 3, CacheScope.unsalted())));
                    got.add(many.submit(many.request(prompt, 3, CacheScope.unsalted())));
                }
                for (int i = 0; i < 3; i++) {
                    same(many.finish(got.get(i)), one.finish(right.get(i)), chunks + " chunks and " + (i - 1));
                }
            }
            many.booksBalance();
        }
    }

    /** R151: the exact prompt, and a little less of it, after answers of half a window, one and three. */
    @ParameterizedTest
    @ValueSource(ints = {WINDOW / 2, WINDOW, 3 * WINDOW})
    void theExactPromptAgainAfterALongAnswer(int generated) throws Exception {
        EngineOptions options = EngineOptions.of(2, 256, 1280).withOverlap(true);
        try (DecoderRig rig = DecoderRig.setup().options(options).open()) {
            int[] prompt = random(151, 300);
            rig.answer(prompt, generated);
            for (int shorter : new int[] {0, 1, WINDOW}) {
                int[] again = Arrays.copyOf(prompt, prompt.length - shorter);
                DecoderRig.Answer warm = rig.answer(again, 6);
                assertThat(warm.cachedTokens()).isEqualTo(again.length - 1);
                same(warm, cold(rig, again, 6), "shorter by " + shorter);
            }
            rig.booksBalance();
        }
    }

    /** R167: a change in the last tokens of a long prompt costs little, and the answer is that of a cold prompt. */
    @Test
    void aSmallChangeAtTheEndIsASmallMissWithTheRightAnswer() throws Exception {
        EngineOptions options = EngineOptions.of(2, 256, 768);
        try (DecoderRig rig = DecoderRig.setup().options(options).open()) {
            int[] prompt = random(167, 600);
            rig.answer(prompt, 2);
            for (int changed : new int[] {1, 5, 15, 31, 33, 64}) {
                int at = prompt.length - changed;
                int[] other = join(Arrays.copyOf(prompt, at), random(changed, 20));
                DecoderRig.Answer warm = rig.answer(other, 4);
                assertThat(warm.cachedTokens()).isGreaterThanOrEqualTo(at - WINDOW - 2 * 32);
                same(warm, cold(rig, other, 4), "changed " + changed);
            }
        }
    }

    /** R168: how the cache is cut into blocks and pools changes no bit of an answer to a prompt of four windows. */
    @Test
    void theLayoutOfTheCacheChangesNoBit() throws Exception {
        int[] prompt = random(168, 4 * WINDOW + 7);
        EngineOptions options = EngineOptions.of(2, 512, 1152);
        List<DecoderRig.Answer> answers = new ArrayList<>();
        for (int tokensPerBlock : new int[] {8, 32, 128}) {
            try (DecoderRig rig = DecoderRig.setup()
                    .options(options)
                    .model(ModelOptions.defaults().withTokensPerBlock(tokensPerBlock))
                    .open()) {
                answers.add(rig.answer(prompt, 8));
            }
        }
        same(answers.get(1), answers.get(0), "blocks of 32 tokens");
        same(answers.get(2), answers.get(0), "blocks of 128 tokens");
    }
}
