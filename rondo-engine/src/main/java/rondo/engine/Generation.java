package rondo.engine;

/** A running generation as its owner sees it. {@link #take} is for one thread at a time; the rest is thread-safe. */
public interface Generation {
    /**
     * Takes what has come since the last call, waiting if there is nothing yet.
     *
     * @param timeoutNanos how long to wait; 0 = not at all
     * @return whether {@code into} holds anything new: tokens, or the end
     */
    boolean take(TokenBatch into, long timeoutNanos);

    /** Ends it at an output length that the owner has found (a stop string); later tokens are not delivered. */
    void stopAt(int outputTokens, FinishReason why);

    /** Ends it; its pages are back within one step. No effect once it has ended. */
    void cancel();
}
