package rondo.kv;

import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import rondo.base.TokenIds;

/** A change of what the cache can offer, for those who place requests by prefix. */
public sealed interface KvEvent {
    /** Once per life cycle at start: slots of its pools, the scratch slot not counted. */
    record Created(int lifeCycle, int deviceBlocks, int hostBlocks) implements KvEvent {}

    /**
     * Blocks that have got a page, each the parent of the next.
     *
     * @param parent the block above the first; empty for the first block of a prompt
     */
    record Stored(int lifeCycle, Optional<Key> parent, List<Block> blocks, Tier tier, int priority)
            implements KvEvent {}

    /** Blocks that have lost their page, in that order. */
    record Removed(int lifeCycle, List<Gone> blocks) implements KvEvent {}

    /** A block whose page has gone to another tier. */
    record Moved(int lifeCycle, Optional<Key> parent, Block block, Tier from, Tier to) implements KvEvent {}

    /** A block whose page has got another priority. */
    record Raised(int lifeCycle, Key key, int from, int to) implements KvEvent {}

    /** The cache was cleared, and nothing at all is left in it. */
    record Cleared() implements KvEvent {}

    /** A block; it holds fewer than {@code tokens_per_block} tokens only if it is the end of a cached text. */
    record Block(Key key, TokenIds tokens) {}

    /**
     * A removed page.
     *
     * @param tier  where it was
     * @param whole whether its block has all {@code tokens_per_block} tokens
     */
    record Gone(Key key, Tier tier, boolean whole) {}

    /**
     * Names a block: the 32 bytes of its key in the hash chain, big-endian. Below a salt it is a name made up by this
     * process instead, since a digest that anybody can compute would let a salt be guessed.
     */
    record Key(long word0, long word1, long word2, long word3) {
        /** 64 digits. */
        public String hex() {
            HexFormat hex = HexFormat.of();
            return hex.toHexDigits(word0) + hex.toHexDigits(word1) + hex.toHexDigits(word2) + hex.toHexDigits(word3);
        }

        /** The first 8 bytes as a signed number, which is what {@code v2_sha256_64} means. */
        public long first64() {
            return word0;
        }

        @Override
        public String toString() {
            return hex();
        }
    }
}
