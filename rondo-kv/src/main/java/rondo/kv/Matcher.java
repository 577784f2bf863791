package rondo.kv;

/**
 * Finds the longest cached prefix that a new sequence can use: a walk down the tree by key, the best part of one more
 * block, and then cuts until every life cycle has all the pages that the window before the end point needs.
 */
final class Matcher {
    private static final int NONE = -1;

    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final int tokensPerBlock;
    private final boolean partialReuse;
    private final boolean copyOnPartialReuse;
    private final int[] block;
    private int[] path = new int[256];
    private long collisions;

    /** The candidate: {@code full} whole blocks of {@link #path}, then {@code partTokens} of {@code partNode}. */
    private int full;

    private int partNode;
    private int partTokens;

    Matcher(CachedBlocks cached, KvOptions options) {
        this.cached = cached;
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.tokensPerBlock = tree.tokensPerBlock;
        this.partialReuse = options.partialReuse();
        this.copyOnPartialReuse = options.copyOnPartialReuse();
        this.block = new int[tokensPerBlock];
    }

    /** Look-ups that found a key with other tokens. */
    long collisions() {
        return collisions;
    }

    Found match(BlockKeys keys, int limit) {
        full = 0;
        partNode = NONE;
        partTokens = 0;
        int root = tree.root(keys.scope());
        if (root != NONE) {
            walk(root, keys, limit);
            pruneFull(keys, limit);
            prune(keys, limit);
            while (partTokens > 0 && !copyOnPartialReuse && !canBeTaken(partNode)) {
                cutPart();
                prune(keys, limit);
            }
        }
        int last = full == 0 ? NONE : path[full - 1];
        return new Found(cached, keys, full, last, partNode, partTokens);
    }

    private void walk(int root, BlockKeys keys, int limit) {
        int most = Math.min(limit / tokensPerBlock, keys.fullBlocks());
        if (path.length < most) {
            path = new int[Math.max(most, 2 * path.length)];
        }
        int node = root;
        while (full < most) {
            int child = tree.find(
                    node, keys.keyWord(full, 0), keys.keyWord(full, 1), keys.keyWord(full, 2), keys.keyWord(full, 3));
            if (child == NONE) {
                break;
            }
            keys.copyTokens(full * tokensPerBlock, block, 0, tokensPerBlock);
            if (!tree.hasTokens(child, block, tokensPerBlock)) {
                collisions++;
                break;
            }
            path[full++] = child;
            node = child;
        }
        addPart(node, keys, limit);
    }

    /** Continues the whole blocks with the best part of one more. */
    private void addPart(int node, BlockKeys keys, int limit) {
        int rest = Math.min(limit - full * tokensPerBlock, tokensPerBlock);
        if (rest == 0) {
            return;
        }
        keys.copyTokens(full * tokensPerBlock, block, 0, rest);
        int child = tree.siblings.closestWhole(node, block, rest);
        int run = tree.siblings.run();
        if (!partialReuse) {
            // A partial block still counts when it is equal as a whole.
            run = child != NONE && run == rest && run == tree.length[child] ? run : 0;
        } else {
            for (int thin = tree.siblings.firstThin(node); thin != NONE; thin = tree.siblings.nextThin(thin)) {
                int covered = Math.min(tree.siblings.common(thin, block, rest), cached.coverage(thin));
                if (covered > run || (covered == run && isThinBefore(child, thin))) {
                    child = thin;
                    run = covered;
                }
            }
        }
        if (run > 0) {
            partNode = child;
            partTokens = Math.min(run, tokensPerBlock - 1);
        }
    }

    /** Whether of two equally good children the second is to be taken: a whole one never makes way. */
    private boolean isThinBefore(int child, int thin) {
        return child != NONE && !tree.siblings.isWhole(child) && tree.siblings.isUsedLater(thin, child);
    }

    /** Cuts until nothing that is needed is missing; every cut is at the lowest hole, so the work is linear. */
    private void prune(BlockKeys keys, int limit) {
        boolean cut = true;
        while (cut) {
            cut = false;
            int m = full * tokensPerBlock + partTokens;
            int blocks = full + (partTokens > 0 ? 1 : 0);
            for (int lc = 0; lc < cached.lifeCycles() && !cut; lc++) {
                LifeCycle cycle = cached.lifeCycle(lc);
                int sinks = Math.min(cycle.sinkBlocks(), blocks);
                int from = cycle.isFull() ? full : cycle.staleEnd(m, tokensPerBlock);
                cut = cutFirstHole(lc, 0, sinks, keys, limit) || cutFirstHole(lc, from, blocks, keys, limit);
            }
        }
    }

    /** What full attention needs of a prefix it needs of all shorter ones: once is enough for the whole blocks. */
    private void pruneFull(BlockKeys keys, int limit) {
        for (int lc = 0; lc < cached.lifeCycles(); lc++) {
            if (cached.lifeCycle(lc).isFull()) {
                cutFirstHole(lc, 0, full, keys, limit);
            }
        }
    }

    private boolean cutFirstHole(int lc, int from, int to, BlockKeys keys, int limit) {
        for (int b = from; b < to; b++) {
            int node = b < full ? path[b] : partNode;
            int wanted = b < full ? tokensPerBlock : partTokens;
            int page = tree.page(node, lc);
            int coverage = page == NONE ? 0 : pages.coverage[page];
            if (coverage < wanted) {
                cut(b, node, keys, limit);
                return true;
            }
        }
        return false;
    }

    /** What is left of the block is the part of it, or of a sibling, that is there in every life cycle. */
    private void cut(int blocks, int node, BlockKeys keys, int limit) {
        full = blocks;
        cutPart();
        if (partialReuse) {
            addPart(tree.parent[node], keys, limit);
        }
    }

    private void cutPart() {
        partNode = NONE;
        partTokens = 0;
    }

    /** Without copies a part is reused only by taking the block out of the tree. */
    private boolean canBeTaken(int node) {
        if (!tree.isLeaf(node)) {
            return false;
        }
        for (int lc = 0; lc < cached.lifeCycles(); lc++) {
            int page = tree.page(node, lc);
            if (page == NONE || !pages.isEvictable(page)) {
                return false;
            }
        }
        return true;
    }
}
