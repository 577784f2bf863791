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

    private final CachedBlocks cached;
    private final int tokens;

    Found(CachedBlocks cached, BlockKeys keys, int blocks, int node, int partNode, int partTokens) {
        this.cached = cached;
        this.keys = keys;
        this.version = cached.tree.version;
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
        int sum = partTokens > 0 ? onHost(partNode) : 0;
        int at = node;
        for (int b = blocks - 1; b >= 0; b--) {
            for (int lc = 0; lc < cached.lifeCycles(); lc++) {
                LifeCycle cycle = cached.lifeCycle(lc);
                if (b >= cycle.staleEnd(tokens, keys.tokensPerBlock()) || b < cycle.sinkBlocks()) {
                    sum += isOnHost(at, lc) ? 1 : 0;
                }
            }
            at = cached.tree.parent[at];
        }
        return sum;
    }

    private int onHost(int of) {
        int sum = 0;
        for (int lc = 0; lc < cached.lifeCycles(); lc++) {
            sum += isOnHost(of, lc) ? 1 : 0;
        }
        return sum;
    }

    private boolean isOnHost(int of, int lc) {
        return cached.pages.tier[cached.tree.page(of, lc)] == Tier.HOST;
    }
}
