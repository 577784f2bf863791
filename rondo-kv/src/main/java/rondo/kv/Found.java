package rondo.kv;

/** A match as the cache keeps it: the last node that was matched whole, and perhaps a part of one more. */
final class Found extends Match {
    final BlockKeys keys;
    /** State of the tree that it belongs to. */
    final long version;
    /** Blocks matched whole, and the node of the last of them (none if there is none). */
    final int blocks;

    final int node;
    /** The node of which the first {@link #partTokens} tokens were matched; none if that is 0. */
    final int partNode;

    final int partTokens;

    private final int tokens;

    Found(BlockKeys keys, long version, int blocks, int node, int partNode, int partTokens) {
        this.keys = keys;
        this.version = version;
        this.blocks = blocks;
        this.node = node;
        this.partNode = partNode;
        this.partTokens = partTokens;
        this.tokens = blocks * keys.tokensPerBlock() + partTokens;
    }

    @Override
    public int tokens() {
        return tokens;
    }

    @Override
    public int hostPages() {
        return 0;
    }
}
