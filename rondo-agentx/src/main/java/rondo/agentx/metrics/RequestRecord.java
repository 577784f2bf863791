package rondo.agentx.metrics;

import java.util.OptionalDouble;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;

/**
 * One request as measured.
 *
 * @param inputTokens  prompt tokens by the server's count, or the recorded length where it reports none
 * @param outputTokens output tokens by the server's count, or the client's where it reports none
 * @param serverCounts whether both counts are the server's
 */
public record RequestRecord(TurnResult result, int inputTokens, int outputTokens, boolean serverCounts) {
    private static final double NANOS_PER_MS = 1e6;

    public TurnRequest request() {
        return result.request();
    }

    public boolean succeeded() {
        return result.outcome() instanceof Outcome.Success;
    }

    /** Whether it failed for a reason other than a context overflow or being cut off by the harness. */
    public boolean failed() {
        return result.outcome() instanceof Outcome.Failed;
    }

    /** First content, milliseconds after the start. */
    public OptionalDouble ttftMillis() {
        return result.hasContent() ? ms(result.firstContent() - result.start()) : OptionalDouble.empty();
    }

    /** From the first to the second chunk with content, milliseconds. */
    public OptionalDouble ttstMillis() {
        long[] times = result.contentTimes();
        return times.length >= 2 ? ms(times[1] - times[0]) : OptionalDouble.empty();
    }

    /** First content that is not reasoning, milliseconds after the start. */
    public OptionalDouble firstOutputMillis() {
        return result.firstOutput() >= 0
                ? ms(result.contentTimes()[result.firstOutput()] - result.start())
                : OptionalDouble.empty();
    }

    /** Last content, milliseconds after the start. */
    public OptionalDouble latencyMillis() {
        return result.hasContent() ? ms(result.lastContent() - result.start()) : OptionalDouble.empty();
    }

    /** From the first to the last content, milliseconds. */
    public OptionalDouble decodeMillis() {
        return result.hasContent() ? ms(result.lastContent() - result.firstContent()) : OptionalDouble.empty();
    }

    /** Mean time per output token after the first, milliseconds. */
    public OptionalDouble itlMillis() {
        return result.hasContent() && outputTokens >= 2
                ? OptionalDouble.of(decodeMillis().getAsDouble() / (outputTokens - 1))
                : OptionalDouble.empty();
    }

    /** 1 / ITL, tokens per second; absent where all tokens came at once. */
    public OptionalDouble speed() {
        OptionalDouble itl = itlMillis();
        return itl.isPresent() && itl.getAsDouble() > 0
                ? OptionalDouble.of(1000 / itl.getAsDouble())
                : OptionalDouble.empty();
    }

    /** From the decision to send to the end of the answer, milliseconds. */
    public double effectiveMillis() {
        return (result.end() - result.due()) / NANOS_PER_MS;
    }

    /** From the decision to send to the sending, milliseconds. */
    public double dispatchLagMillis() {
        return (result.start() - result.due()) / NANOS_PER_MS;
    }

    /** The last content, or the end where there was none; nanoseconds of the run's clock. */
    public long finish() {
        return result.hasContent() ? result.lastContent() : result.end();
    }

    /** Whether the output's length differs from what was asked by more than 5 % or 50 tokens, whichever is less. */
    public boolean lengthMismatch() {
        int asked = request().what().maxTokens();
        return Math.abs(outputTokens - asked) > Math.min(0.05 * asked, 50);
    }

    private static OptionalDouble ms(long nanos) {
        return OptionalDouble.of(nanos / NANOS_PER_MS);
    }
}
