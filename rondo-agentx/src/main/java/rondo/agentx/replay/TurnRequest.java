package rondo.agentx.replay;

import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.Turn;

/**
 * One turn of one conversation of a play, to be sent once.
 *
 * @param conversation index in the play's plan
 * @param turn         index in the conversation
 * @param requestId    unique
 */
public record TurnRequest(Play play, int conversation, int turn, String requestId) {
    public Conversation stream() {
        return play.plan().conversations().get(conversation);
    }

    public Turn what() {
        return stream().turns().get(turn);
    }

    public String correlationId() {
        return play.correlationIds().get(conversation);
    }

    /** Whether no turn of the conversation follows. */
    public boolean last() {
        return turn == stream().turns().size() - 1;
    }

    /** By {@code requestId}: the plan behind a request is large. */
    @Override
    public boolean equals(Object other) {
        return other instanceof TurnRequest r && r.requestId.equals(requestId);
    }

    @Override
    public int hashCode() {
        return requestId.hashCode();
    }
}
