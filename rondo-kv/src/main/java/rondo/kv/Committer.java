package rondo.kv;

/**
 * Puts what sequences have written into the tree, where others can find it. A block that is there already is used
 * instead of the sequence's own.
 */
final class Committer {
    private static final int NONE = -1;

    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final Reservations reservations;
    private final Conversations conversations;
    private final BlockHasher hasher;
    private final int tokensPerBlock;
    private final int lifeCycles;
    private final int[] block;
    private final int[] adopted;
    private final byte[] key = new byte[32];
    private long collisions;

    Committer(CachedBlocks cached, Reservations reservations, Conversations conversations, BlockHasher hasher) {
        this.cached = cached;
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.reservations = reservations;
        this.conversations = conversations;
        this.hasher = hasher;
        this.tokensPerBlock = tree.tokensPerBlock;
        this.lifeCycles = cached.lifeCycles();
        this.block = new int[tokensPerBlock];
        this.adopted = new int[lifeCycles];
    }

    /** Blocks that were not committed because their key stands for other tokens. */
    long collisions() {
        return collisions;
    }

    /** Commits the full blocks of the first {@code tokens} tokens, and at a sequence's end the part that is left. */
    void commit(int r, int tokens, boolean withTail) {
        if (reservations.closed[r]) {
            return;
        }
        int full = tokens / tokensPerBlock;
        if (!withTail && reservations.committed[r] / tokensPerBlock >= full) {
            return; // most tokens fill no block
        }
        int tail = withTail && isComplete(r, full) ? tokens % tokensPerBlock : 0;
        if (tail == 0) {
            // A last block without all its pages would be a leaf where no prefix can end: it waits for the next one.
            while (full > 0 && !isComplete(r, full - 1)) {
                full--;
            }
        }
        int at = reservations.committed[r] / tokensPerBlock;
        // Pages that it has kept to itself may fill gaps that eviction has made meanwhile.
        boolean again = withTail && full > 0 && reservations.apart[r];
        if (at >= full && tail == 0 && !again) {
            return;
        }
        int parent = reservations.node[r];
        if (again || at == 0 || parent == NONE || tree.generation[parent] != reservations.nodeGeneration[r]) {
            // The blocks that it was to go on from may have left the tree; what the sequence still has goes back in.
            at = 0;
            parent = root(reservations.keys(r).scope());
        }
        while (at < full && parent != NONE) {
            parent = commitBlock(r, parent, at, tokensPerBlock);
            if (parent != NONE) {
                conversations.committed(r, at);
                at++;
                reservations.committed[r] = at * tokensPerBlock;
                reservations.node[r] = parent;
                reservations.nodeGeneration[r] = tree.generation[parent];
            }
        }
        if (parent == NONE) {
            reservations.closed[r] = true;
        } else if (tail > 0) {
            commitBlock(r, parent, full, tail);
        }
    }

    private boolean isComplete(int r, int b) {
        if (b * tokensPerBlock >= reservations.capacity[r]) {
            return false;
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            int page = reservations.page(r, lc, b);
            if (page == NONE || !pages.isFilled(page)) {
                return false;
            }
        }
        return true;
    }

    private int root(CacheScope scope) {
        int root = tree.root(scope);
        if (root == NONE) {
            hasher.root(scope, key);
            root = tree.addRoot(scope, key);
        }
        return root;
    }

    /** The node that now stands for the block, or none if it cannot be in the tree. */
    private int commitBlock(int r, int parent, int b, int count) {
        BlockKeys keys = reservations.keys(r);
        keys.copyTokens(b * tokensPerBlock, block, 0, count);
        if (count == tokensPerBlock) {
            for (int w = 0; w < 4; w++) {
                KeyBytes.putLong(key, 8 * w, keys.keyWord(b, w));
            }
        } else {
            tree.key(parent, key);
            hasher.child(key, block, count);
        }
        int node = tree.find(
                parent,
                KeyBytes.getLong(key, 0),
                KeyBytes.getLong(key, 8),
                KeyBytes.getLong(key, 16),
                KeyBytes.getLong(key, 24));
        if (node == NONE) {
            return insert(r, parent, b, count);
        }
        if (!tree.hasTokens(node, block, count)) {
            collisions++;
            return NONE;
        }
        join(r, node, b, count);
        tree.siblings.touch(parent, node);
        return node;
    }

    private int insert(int r, int parent, int b, int count) {
        int near = tree.siblings.closest(parent, block, count);
        int run = near == NONE ? 0 : tree.siblings.run();
        if (near != NONE && run == count) {
            lend(r, near, parent, b, count);
            return NONE;
        }
        boolean replaces = near != NONE && run == tree.length[near];
        if (replaces) {
            adoptFrom(near, r, b);
        }
        int node = tree.insert(parent, key, block, count);
        for (int lc = 0; lc < lifeCycles; lc++) {
            int own = reservations.page(r, lc, b);
            if (own != NONE) {
                cached.attach(node, lc, own, count);
            } else if (replaces && adopted[lc] != NONE) {
                cached.attach(node, lc, adopted[lc], pages.coverage[adopted[lc]]);
            }
        }
        return node;
    }

    /**
     * The tail is the start of a longer block that is there, and so of no use, unless no such block has all its pages:
     * then the tail's pages take the place of those that are missing or hold less.
     */
    private void lend(int r, int longer, int parent, int b, int count) {
        tree.siblings.closestWhole(parent, block, count);
        if (tree.siblings.run() == count) {
            return;
        }
        for (int lc = 0; lc < lifeCycles; lc++) {
            int own = reservations.page(r, lc, b);
            int theirs = tree.page(longer, lc);
            if (own != NONE && (theirs == NONE || pages.coverage[theirs] < count)) {
                replace(longer, lc, own, count);
            }
        }
    }

    /** A partial tail gives way to a longer block, which keeps the pages that the new owner does not bring. */
    private void adoptFrom(int tail, int r, int b) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            boolean wanted = reservations.page(r, lc, b) == NONE && tree.page(tail, lc) != NONE;
            adopted[lc] = wanted ? cached.detach(tail, lc) : NONE;
        }
        cached.remove(tail);
    }

    /** The block is in the tree already: its pages take the place of ours, or ours fill its gaps. */
    private void join(int r, int node, int b, int count) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            int own = reservations.page(r, lc, b);
            int theirs = tree.page(node, lc);
            if (own == NONE || own == theirs) {
                continue;
            }
            if (theirs != NONE && pages.coverage[theirs] >= count) {
                if (!pages.isUsable(theirs) || pages.motion[theirs] == Motion.LEAVING || reservations.suspended[r]) {
                    reservations.apart[r] = true;
                    continue; // not to be had, or only to be let go at once: ours stays private while it is used
                }
                pages.hold(theirs);
                reservations.setPage(r, lc, b, theirs);
                reservations.editFrom[r] = Math.min(reservations.editFrom[r], b);
                pages.letGo(own, reservations.lastStep[r]);
            } else {
                replace(node, lc, own, count);
            }
        }
    }

    /** Our page becomes the node's, instead of one that holds less or of none. */
    private void replace(int node, int lc, int own, int count) {
        if (tree.page(node, lc) != NONE) {
            pages.orphan(cached.detach(node, lc));
        }
        cached.attach(node, lc, own, count);
    }
}
