package rondo.agentx.replay;

import java.util.function.Consumer;

/** Sends turns: over HTTP, into a simulated engine, or by a test's script. Called by the dispatcher's thread only. */
public interface TurnSender {
    /** Says that this turn is the next of its conversation, so that its body can be made before it is due. */
    default void prepare(TurnRequest request) {}

    /**
     * Sends a turn and returns at once.
     *
     * @param due  when it should have been sent, nanoseconds
     * @param done called exactly once, on any thread, also for a cancelled turn
     */
    void send(TurnRequest request, long due, Consumer<TurnResult> done);

    /** Cuts off a turn that was sent; its result still comes. */
    void cancel(TurnRequest request);

    /** Says that a prepared turn will not be sent. */
    default void forget(TurnRequest request) {}
}
