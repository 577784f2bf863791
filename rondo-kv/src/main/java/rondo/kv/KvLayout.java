package rondo.kv;

import java.util.List;

/**
 * How the cache is cut: tokens per block, the life cycles in order of first appearance by layer, and the bytes of one
 * page (K and V of one block for all layers of that life cycle).
 */
public record KvLayout(int tokensPerBlock, List<LifeCycle> lifeCycles, List<Long> pageBytes) {
    public KvLayout {
        lifeCycles = List.copyOf(lifeCycles);
        pageBytes = List.copyOf(pageBytes);
        if (Integer.bitCount(tokensPerBlock) != 1 || tokensPerBlock < 2 || tokensPerBlock > 1024) {
            throw new IllegalArgumentException(
                    "tokensPerBlock must be a power of two, 2 to 1024, got " + tokensPerBlock);
        }
        if (lifeCycles.isEmpty() || lifeCycles.size() != pageBytes.size()) {
            throw new IllegalArgumentException("one page size per life cycle is needed");
        }
    }

    /** Blocks that hold {@code tokens} tokens. */
    public int blocks(int tokens) {
        return (int) ((tokens - 1L + tokensPerBlock) / tokensPerBlock);
    }
}
