package rondo.engine;

import java.util.Arrays;
import rondo.engine.spi.StepResult;

/**
 * A reused batch of output: tokens in order, and in the last one why it ended. An end or stop token that ends a generation
 * is delivered too, as its last token; whether it is shown is the owner's business.
 */
public final class TokenBatch {
    public int count;
    public int[] tokens = new int[32];
    /** Raw log-probabilities, where asked for. */
    public float[] logprobs = new float[32];
    /** {@link StepResult#MAX_ALTERNATIVES} entries per token, where asked for. */
    public int[] alternatives = new int[0];

    public float[] alternativeLogprobs = new float[0];

    /** Whether this is the last batch; the fields below count only then. */
    public boolean finished;

    public FinishReason reason = FinishReason.STOP;
    /** The stop token that ended it, or -1 for an end token or anything else. */
    public int stopToken = -1;
    /** What went wrong, for {@link FinishReason#ERROR} and {@link FinishReason#REFUSED}; one line, fit for the client. */
    public String error = "";

    // Known from the first batch on.
    /** Prompt tokens that were not computed. */
    public int cachedTokens;

    public long arrivalNanos;
    public long firstScheduledNanos;
    public long firstTokenNanos;
    public long lastTokenNanos;
    public int preemptions;

    public void ensure(int tokenCount, boolean withAlternatives) {
        if (tokens.length < tokenCount) {
            int size = Math.max(tokenCount, 2 * tokens.length);
            tokens = Arrays.copyOf(tokens, size);
            logprobs = Arrays.copyOf(logprobs, size);
        }
        int wanted = withAlternatives ? tokens.length * StepResult.MAX_ALTERNATIVES : 0;
        if (alternatives.length < wanted) {
            alternatives = Arrays.copyOf(alternatives, wanted);
            alternativeLogprobs = Arrays.copyOf(alternativeLogprobs, wanted);
        }
    }
}
