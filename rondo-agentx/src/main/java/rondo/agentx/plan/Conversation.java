package rondo.agentx.plan;

import java.util.List;

/**
 * One ordered chain of turns of one agent.
 *
 * @param id          trace id for the root, {@code <trace>::<suffix>} for others
 * @param spawnTurn   root turn whose return starts this conversation; -1 for the root
 * @param gateTurn    root turn that waits for its end; -1 if none does
 * @param startOffset seconds from the return of the spawning turn to the first turn (D3)
 */
public record Conversation(
        String id, ConversationKind kind, int spawnTurn, int gateTurn, double startOffset, List<Turn> turns) {
    /** Whether this is the root of its tree. */
    public boolean isRoot() {
        return kind == ConversationKind.ROOT;
    }
}
