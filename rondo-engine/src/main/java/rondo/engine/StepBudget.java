package rondo.engine;

/** The tokens of one step, and how much of a prompt may go into it. */
final class StepBudget {
    private final int most;
    private final int tokensPerBlock;
    private final boolean chunked;
    private int used;

    /** @param chunked whether a prompt may be computed in parts */
    StepBudget(int most, int tokensPerBlock, boolean chunked) {
        this.most = most;
        this.tokensPerBlock = tokensPerBlock;
        this.chunked = chunked;
    }

    void clear() {
        used = 0;
    }

    void use(int tokens) {
        used += tokens;
    }

    void giveBack(int tokens) {
        used -= tokens;
    }

    int used() {
        return used;
    }

    int left() {
        return most - used;
    }

    boolean isEmpty() {
        return used == 0;
    }

    boolean hasRoom() {
        return used < most;
    }

    /** Whether so many tokens could ever run where prompts are not cut. */
    boolean everFits(int tokens) {
        return chunked || tokens <= most;
    }

    /**
     * The chunk that is possible now, 0 if none: it ends on a block border unless it is the last or nothing would be left.
     *
     * @param from      position of its first token
     * @param remaining tokens that are still to be computed
     * @param cut       whether the sequence may be cut even where prompts are not: it would never fit otherwise
     */
    int chunk(int from, int remaining, boolean cut) {
        int left = left();
        if (remaining <= left) {
            return remaining;
        }
        if (!chunked && !cut) {
            return 0;
        }
        int aligned = (from + left) / tokensPerBlock * tokensPerBlock - from;
        return aligned > 0 ? aligned : left;
    }

    /** How much longer a chunk that ends at {@code from} can be; never to a place within a block but the last. */
    int extension(int from, int remaining) {
        int left = left();
        return remaining <= left ? remaining : Math.max(0, (from + left) / tokensPerBlock * tokensPerBlock - from);
    }

    /** The first {@code blocks} blocks of a chunk, the one that {@code from} lies in counted whole. */
    int firstBlocks(int from, int chunk, int blocks) {
        long end = ((long) from / tokensPerBlock + blocks) * tokensPerBlock;
        return (int) Math.max(0, Math.min(chunk, end - from));
    }

    /** The shortest part of a chunk worth granting: up to its first block border; all of it where prompts are not cut. */
    int least(int from, int chunk, boolean cut) {
        return chunked || cut ? Math.min(chunk, tokensPerBlock - from % tokensPerBlock) : chunk;
    }
}
