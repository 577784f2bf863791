package rondo.kv;

import java.util.Arrays;
import java.util.function.Supplier;
import rondo.base.TokenIds;

/** An immutable SHA-256 chain over full blocks; extending one shares all chunks that were full already. */
final class KeyChain {
    private static final int SHIFT = 10;
    private static final int CHUNK = 1 << SHIFT;
    private static final int WORDS = 4;

    private final Supplier<BlockHasher> hashers;
    private final byte[] rootKey;
    private final int tokensPerBlock;
    private final long[][] chunks;
    private final int blocks;

    private KeyChain(Supplier<BlockHasher> hashers, byte[] rootKey, int tokensPerBlock, long[][] chunks, int blocks) {
        this.hashers = hashers;
        this.rootKey = rootKey;
        this.tokensPerBlock = tokensPerBlock;
        this.chunks = chunks;
        this.blocks = blocks;
    }

    static KeyChain root(CacheScope scope, int tokensPerBlock) {
        return root(scope, tokensPerBlock, BlockHasher::new);
    }

    /** A chain whose keys are made otherwise: tests force collisions. */
    static KeyChain root(CacheScope scope, int tokensPerBlock, Supplier<BlockHasher> hashers) {
        byte[] key = new byte[32];
        hashers.get().root(scope, key);
        return new KeyChain(hashers, key, tokensPerBlock, new long[0][], 0);
    }

    /** A new hasher that makes the same keys as this chain's. */
    BlockHasher hasher() {
        return hashers.get();
    }

    int blocks() {
        return blocks;
    }

    long word(int block, int word) {
        if (block < 0 || block >= blocks) {
            throw new IndexOutOfBoundsException("block " + block + " of " + blocks);
        }
        return chunks[block >> SHIFT][(block & (CHUNK - 1)) * WORDS + word];
    }

    /** The key of a block, or of the root for -1, as 32 bytes. */
    void key(int block, byte[] out) {
        if (block < 0) {
            System.arraycopy(rootKey, 0, out, 0, rootKey.length);
            return;
        }
        for (int w = 0; w < WORDS; w++) {
            KeyBytes.putLong(out, 8 * w, word(block, w));
        }
    }

    KeyChain prefix(int count) {
        return count == blocks ? this : new KeyChain(hashers, rootKey, tokensPerBlock, chunks, count);
    }

    /** This chain, continued over {@code ids} up to {@code total} full blocks. */
    KeyChain extend(TokenIds ids, int total) {
        if (total <= blocks) {
            return prefix(total);
        }
        long[][] out = Arrays.copyOf(chunks, (total + CHUNK - 1) >> SHIFT);
        BlockHasher hasher = hashers.get();
        byte[] key = new byte[32];
        key(blocks - 1, key);
        int[] tokens = new int[tokensPerBlock];
        for (int b = blocks; b < total; b++) {
            ids.copy(b * tokensPerBlock, tokens, 0, tokensPerBlock);
            hasher.child(key, tokens, tokensPerBlock);
            int chunk = b >> SHIFT;
            int offset = (b & (CHUNK - 1)) * WORDS;
            if (b == blocks || offset == 0) {
                out[chunk] = offset == 0
                        ? new long[WORDS * Math.min(CHUNK, total - b)]
                        : Arrays.copyOf(out[chunk], WORDS * Math.min(CHUNK, total - (chunk << SHIFT)));
            }
            for (int w = 0; w < WORDS; w++) {
                out[chunk][offset + w] = KeyBytes.getLong(key, 8 * w);
            }
        }
        return new KeyChain(hashers, rootKey, tokensPerBlock, out, total);
    }
}
