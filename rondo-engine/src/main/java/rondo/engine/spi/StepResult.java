package rondo.engine.spi;

/** The samples of one step, one entry per row, reused by the executor after the next await. */
public final class StepResult {
    /** Most alternatives that are reported per row. */
    public static final int MAX_ALTERNATIVES = 20;
    /** What a row answers whose mask allows no token. */
    public static final int EMPTY_MASK = -2;
    /** What a row answers whose largest logit is not a finite number. */
    public static final int BAD_LOGITS = -3;

    public final int[] token;
    /** Raw log-probability of the token, where asked for. */
    public final float[] logprob;
    /** {@link #MAX_ALTERNATIVES} entries per row, most likely first. */
    public final int[] alternative;

    public final float[] alternativeLogprob;
    /** Time that the device worked on the step. */
    public long deviceNanos;
    /** Time that it could not begin because it waited for copies between tiers, runs and all. */
    public long copyWaitNanos;

    public StepResult(int maxRows) {
        token = new int[maxRows];
        logprob = new float[maxRows];
        alternative = new int[maxRows * MAX_ALTERNATIVES];
        alternativeLogprob = new float[maxRows * MAX_ALTERNATIVES];
    }
}
