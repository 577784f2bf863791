package rondo.agentx.replay;

/** How a request ended. */
public sealed interface Outcome {
    /** The answer is complete. */
    record Success() implements Outcome {}

    /**
     * The request failed.
     *
     * @param code HTTP status, 0 where there was none
     */
    record Failed(int code, String type, String message) implements Outcome {}

    /** The server refused the prompt as too long: the conversation cannot go on. */
    record Overflow(int code, String type, String message) implements Outcome {}

    /** Cut off by the harness. */
    record Cancelled() implements Outcome {}

    Outcome SUCCESS = new Success();
    Outcome CANCELLED = new Cancelled();
}
