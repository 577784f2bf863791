package rondo.engine.sample;

import java.util.Arrays;
import rondo.base.TokenIds;

/** What one sequence slot samples with: its parameters, and the tokens seen so far where a penalty counts them. */
public final class SlotSampling {
    private static final int CHUNK = 4096;

    private final int vocabulary;
    private SamplingParams params = SamplingParams.greedy();
    /** Per token: twice its count in the output, plus one for having been seen at all. Made when a penalty needs it. */
    private int[] counts = {};

    private int[] seen = new int[64];
    private int seenCount;

    public SlotSampling(int vocabulary) {
        this.vocabulary = vocabulary;
    }

    /** A sequence takes the slot; prompt and output may be empty where nothing penalizes. */
    public void begin(SamplingParams newParams, TokenIds prompt, TokenIds output) {
        for (int i = 0; i < seenCount; i++) {
            counts[seen[i]] = 0;
        }
        seenCount = 0;
        params = newParams;
        if (!params.penalizes()) {
            return;
        }
        if (counts.length == 0) {
            counts = new int[vocabulary];
        }
        if (params.repetitionPenalty() != 1) {
            addAll(prompt, 0);
        }
        addAll(output, 2);
    }

    private void addAll(TokenIds ids, int amount) {
        int[] part = new int[Math.min(CHUNK, ids.length())];
        for (int at = 0; at < ids.length(); at += CHUNK) {
            int n = Math.min(CHUNK, ids.length() - at);
            ids.copy(at, part, 0, n);
            for (int i = 0; i < n; i++) {
                add(part[i], amount);
            }
        }
    }

    /** A token became output. */
    public void append(int token) {
        if (params.penalizes()) {
            add(token, 2);
        }
    }

    private void add(int token, int amount) {
        int old = counts[token];
        if (old == 0) {
            if (seenCount == seen.length) {
                seen = Arrays.copyOf(seen, 2 * seenCount);
            }
            seen[seenCount++] = token;
        }
        counts[token] = (old | 1) + amount;
    }

    public SamplingParams params() {
        return params;
    }

    /** Steps 3 and 4: repetition over everything seen, then frequency and presence over the output. */
    void penalize(float[] x) {
        float repetition = params.repetitionPenalty();
        float frequency = params.frequencyPenalty();
        float presence = params.presencePenalty();
        for (int i = 0; i < seenCount; i++) {
            int token = seen[i];
            float v = x[token];
            v = v > 0 ? v / repetition : v * repetition;
            int count = counts[token] >> 1;
            if (count > 0) {
                v -= frequency * count + presence;
            }
            x[token] = v;
        }
    }
}
