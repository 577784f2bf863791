package rondo.kv;

/**
 * All layers that share an attention window.
 *
 * @param window     tokens that a query sees, itself included; 0 = full attention
 * @param sinkBlocks first blocks that never leave the window (0 for every architecture supported so far)
 */
public record LifeCycle(int window, int sinkBlocks) {
    public LifeCycle {
        if (window < 0 || sinkBlocks < 0) {
            throw new IllegalArgumentException("window and sinkBlocks must be >= 0");
        }
    }

    public static LifeCycle full() {
        return new LifeCycle(0, 0);
    }

    public static LifeCycle sliding(int window) {
        return new LifeCycle(window, 0);
    }

    public boolean isFull() {
        return window == 0;
    }

    /** End (exclusive) of the blocks that are out of the window at {@code history} tokens (kv-cache rules, §2). */
    public int staleEnd(int history, int tokensPerBlock) {
        if (window == 0) {
            return 0;
        }
        int sink = Math.min(sinkBlocks, (history + tokensPerBlock - 1) / tokensPerBlock);
        return Math.max(sink, Math.floorDiv(history + 1 - window, tokensPerBlock));
    }
}
