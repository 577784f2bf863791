package rondo.engine;

import rondo.kv.BlockKeys;

/** The keys of the blocks that this plan's prefills are about to compute first (prefix-aware scheduling). */
final class FirstBlocks {
    private static final int WORDS = 4;

    private final long[] words;
    private int count;

    FirstBlocks(int most) {
        words = new long[WORDS * most];
    }

    void clear() {
        count = 0;
    }

    /** Remembers the block that follows {@code history} tokens, if it is a full one. */
    void add(BlockKeys keys, int history) {
        int block = history / keys.tokensPerBlock();
        if (block < keys.fullBlocks()) {
            for (int w = 0; w < WORDS; w++) {
                words[WORDS * count + w] = keys.keyWord(block, w);
            }
            count++;
        }
    }

    /** Whether the block that follows {@code history} tokens is being computed already. */
    boolean contains(BlockKeys keys, int history) {
        int block = history / keys.tokensPerBlock();
        if (block >= keys.fullBlocks()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            boolean same = true;
            for (int w = 0; w < WORDS && same; w++) {
                same = words[WORDS * i + w] == keys.keyWord(block, w);
            }
            if (same) {
                return true;
            }
        }
        return false;
    }
}
