package rondo.kv;

/**
 * Keeps the priorities of window pages where conversations will go on: an end point moves with the reply, and one that a
 * longer prompt has gone on from gives way before those that nobody has gone on from yet.
 */
final class EndPoints {
    private static final int NONE = -1;

    private final CachedBlocks cached;
    private final RadixTree tree;
    private final Pages pages;
    private final Reservations reservations;
    private final KvLayout layout;
    private final KvOptions options;
    private final int tokensPerBlock;
    private final int rewind;
    /** The longest window; 0 = every life cycle has full attention. */
    private final int widest;

    EndPoints(CachedBlocks cached, Reservations reservations, KvLayout layout, KvOptions options) {
        this.cached = cached;
        this.tree = cached.tree;
        this.pages = cached.pages;
        this.reservations = reservations;
        this.layout = layout;
        this.options = options;
        this.tokensPerBlock = layout.tokensPerBlock();
        this.rewind = options.endpointRewindTokens();
        this.widest =
                layout.lifeCycles().stream().mapToInt(LifeCycle::window).max().orElse(0);
    }

    /** An agent's next turn usually repeats the reply: the window before the reply's end lives as long as the prompt's. */
    void follow(int r) {
        if (rewind == 0 || reservations.excluded[r]) {
            return;
        }
        int history = reservations.history[r];
        for (int lc = 0; lc < cached.lifeCycles(); lc++) {
            if (!cached.lifeCycle(lc).isFull()) {
                int from = cached.lifeCycle(lc).staleEnd(history, tokensPerBlock);
                for (int b = from; b < layout.blocks(history); b++) {
                    cached.raise(reservations.page(r, lc, b), RetentionRules.ENDPOINT);
                }
            }
        }
    }

    /** Whether prompts take the rank of the end points that they went on from. */
    boolean supersedes() {
        return options.supersede() && rewind > 0 && widest > 0;
    }

    /**
     * The whole prompt is in the tree and has an end point of its own. Measured on recorded agents, nine of ten next
     * turns go on from the newest end point, so the older one of the same conversation is worth less than any other
     * conversation's newest: its pages get the ordinary priority.
     */
    void supersede(int r) {
        int node = reservations.node[r];
        if (reservations.excluded[r] || node == NONE || tree.generation[node] != reservations.nodeGeneration[r]) {
            return;
        }
        int oldest = (reservations.matched[r] - widest - rewind) / tokensPerBlock - 1;
        for (; !tree.isRoot(node) && tree.depth[node] >= oldest; node = tree.parent[node]) {
            for (int lc = 0; lc < cached.lifeCycles(); lc++) {
                int page = tree.page(node, lc);
                if (page != NONE
                        && pages.priority[page] == RetentionRules.ENDPOINT
                        && !isOwn(r, lc, tree.depth[node])) {
                    cached.lower(page, RetentionRules.DEFAULT);
                }
            }
        }
    }

    /** Whether the block belongs to the end point of the sequence's own prompt. */
    private boolean isOwn(int r, int lc, int b) {
        return RetentionRules.priority(cached.lifeCycle(lc), b, tokensPerBlock, reservations.promptTokens[r], rewind)
                == RetentionRules.ENDPOINT;
    }
}
