package rondo.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepResult;

/**
 * How the stub samples, as a slot's state and a pure rule: seeds, penalties, masks and positions all move the token, so
 * whatever the engine forgets or counts twice gives another one.
 */
final class StubSampling {
    private SamplingParams params = SamplingParams.greedy();
    /** Sums over the prompt and over the output so far; order does not matter to a penalty, the boundary does. */
    private long promptSum;

    private long outputSum;

    void begin(SamplingParams newParams, TokenIds prompt, TokenIds output) {
        params = newParams;
        promptSum = 0;
        outputSum = 0;
        for (int token : prompt.toArray()) {
            promptSum += weight(token);
        }
        for (int token : output.toArray()) {
            outputSum += weight(token);
        }
    }

    void append(int token) {
        outputSum += weight(token);
    }

    private static long weight(int token) {
        return (token + 1L) * 0x9E3779B97F4A7C15L;
    }

    /** The token that this slot takes at an output position where the model says {@code said}. */
    int choose(int said, int position, int vocabulary) {
        long token = said;
        if (!params.isGreedy()) {
            token += Long.hashCode(params.seed() * 31 + params.choice()) + position;
        }
        if (params.penalizes()) {
            token += (promptSum >>> 40) + 7 * (outputSum >>> 40);
        }
        return (int) Math.floorMod(token, vocabulary);
    }

    static int nextAllowed(MemorySegment mask, int token, int vocabulary) {
        for (int i = 0; i < vocabulary; i++) {
            int id = (token + i) % vocabulary;
            if ((mask.getAtIndex(ValueLayout.JAVA_LONG, id >> 6) >>> (id & 63) & 1) != 0) {
                return id;
            }
        }
        return StepResult.EMPTY_MASK;
    }

    static float logprob(int token) {
        return -0.5f - 0.125f * (token % 7);
    }

    /** What a request gives when it is alone, computed without any engine; its constraint must be fresh. */
    static int[] alone(NextToken model, int vocabulary, GenerationRequest request) {
        int[] prompt = request.prompt().ids().toArray();
        int[] history = Arrays.copyOf(prompt, prompt.length + request.maxTokens());
        StubSampling slot = new StubSampling();
        boolean counts = request.sampling().penalizes();
        slot.begin(request.sampling(), counts ? request.prompt().ids() : TokenIds.empty(), TokenIds.empty());
        MemorySegment mask = MemorySegment.ofArray(new long[(vocabulary + 63) / 64]);
        for (int n = 0; n < request.maxTokens(); n++) {
            int count = prompt.length + n;
            int token = slot.choose(model.next(history, count, n, vocabulary), n, vocabulary);
            boolean masked = request.constraint().fill(mask);
            if (!masked) {
                mask.fill((byte) -1);
            }
            StopRules stop = request.stop();
            if (n < stop.minTokens()) {
                forbid(mask, stop.ignoreEnd() ? new int[0] : stop.endIds());
                forbid(mask, stop.stopIds());
            }
            token = nextAllowed(mask, token, vocabulary);
            request.constraint().accept(token);
            slot.append(token);
            history[count] = token;
            if (n >= stop.minTokens() && stop.ends(token)) {
                return Arrays.copyOfRange(history, prompt.length, count + 1);
            }
        }
        return Arrays.copyOfRange(history, prompt.length, history.length);
    }

    private static void forbid(MemorySegment mask, int[] ids) {
        for (int id : ids) {
            long word = mask.getAtIndex(ValueLayout.JAVA_LONG, id >> 6);
            mask.setAtIndex(ValueLayout.JAVA_LONG, id >> 6, word & ~(1L << (id & 63)));
        }
    }
}
