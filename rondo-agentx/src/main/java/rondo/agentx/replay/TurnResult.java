package rondo.agentx.replay;

/**
 * What came back for a request. Times are nanoseconds of the run's {@link rondo.base.TimeSource}.
 *
 * @param due          when it should have been sent
 * @param start        when it was sent: before the connection was asked for
 * @param headers      when the response's status arrived; 0 where none did
 * @param end          when its end was known
 * @param contentTimes arrival of every chunk with text, reasoning or tool-call text; shared, never modified
 * @param firstOutput  index in {@code contentTimes} of the first chunk that is not reasoning, or -1
 * @param text         the output's text where the server sent no usage, to be counted; else empty
 */
public record TurnResult(
        TurnRequest request,
        Outcome outcome,
        long due,
        long start,
        long headers,
        long end,
        long[] contentTimes,
        int firstOutput,
        Usage usage,
        String text) {
    private static final long[] NO_TIMES = {};

    /** A result without an answer. */
    public static TurnResult without(TurnRequest request, Outcome outcome, long due, long start, long end) {
        return new TurnResult(request, outcome, due, start, 0, end, NO_TIMES, -1, Usage.NONE, "");
    }

    public boolean hasContent() {
        return contentTimes.length > 0;
    }

    public long firstContent() {
        return contentTimes[0];
    }

    public long lastContent() {
        return contentTimes[contentTimes.length - 1];
    }
}
