package rondo.kv;

/**
 * The tokens of a sequence and the SHA-256 chain over its full blocks, scope inside: {@code key(root) = SHA-256(scope)},
 * {@code key(block) = SHA-256(parent ‖ tokens)}, each token four bytes little-endian.
 */
public sealed interface BlockKeys permits PromptKeys, SequenceKeys {
    CacheScope scope();

    int tokensPerBlock();

    /** Number of tokens. */
    int tokens();

    int token(int index);

    /** Copies {@code count} token ids starting at {@code from}. */
    void copyTokens(int from, int[] to, int toIndex, int count);

    /** Number of full blocks, all of which have a key. */
    int fullBlocks();

    /** The four 64-bit words (big-endian) of a full block's key; {@code word} is 0 to 3. */
    long keyWord(int block, int word);
}
