package rondo.engine;

/** What other threads ask of the engine thread. */
sealed interface Command {
    record Submit(Sequence sequence) implements Command {}

    record Cancel(Sequence sequence) implements Command {}

    record StopAt(Sequence sequence, int outputTokens, FinishReason why) implements Command {}

    record ClearCache() implements Command {}

    /** Nothing but a reason to look at the engine's state again. */
    record Wake() implements Command {}

    /** Where commands go; any thread. */
    @FunctionalInterface
    interface Sink {
        void put(Command command);
    }
}
