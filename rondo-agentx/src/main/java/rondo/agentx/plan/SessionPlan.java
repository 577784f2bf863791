package rondo.agentx.plan;

import java.util.List;

/**
 * Everything that a replay of one trace does: its conversations, the root first.
 *
 * @param blockSize tokens per block
 */
public record SessionPlan(String traceId, int blockSize, List<Conversation> conversations) {
    /** The root conversation. */
    public Conversation root() {
        return conversations.getFirst();
    }

    /** Turns of all conversations. */
    public int turnCount() {
        return conversations.stream().mapToInt(c -> c.turns().size()).sum();
    }

    /** Blocks of all prompts that are covered by ids. */
    public long totalBlocks() {
        return conversations.stream()
                .flatMap(c -> c.turns().stream())
                .mapToLong(Turn::coveredBlocks)
                .sum();
    }

    /** Blocks that an unbounded cache would have held (§7.5). */
    public long hitBlocks() {
        return conversations.stream()
                .flatMap(c -> c.turns().stream())
                .mapToLong(Turn::hitBlocks)
                .sum();
    }
}
