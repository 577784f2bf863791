package rondo.agentx.replay;

/** Watches a replay; called by the dispatcher's thread, so it must be quick. */
public interface ReplayObserver {
    default void started(Play play, long now) {}

    default void sent(TurnRequest request, long due, long now) {}

    default void returned(TurnResult result) {}

    /** All conversations of the play are done, or its end was forced. */
    default void ended(Play play, long now) {}
}
