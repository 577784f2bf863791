package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.PageWork;

/** How long each prefill's chunk may be: what the step's budget allows, or where all are to progress alike its share. */
final class PrefillShares {
    private static final int NO_SHARE = -1;

    private final PlanAtHand plan;
    private final int tokensPerBlock;
    private final Slots slots;
    private final SequenceList active;
    private final SequenceList waiting;
    /** Null where the oldest takes all that it can use. */
    private final @Nullable FairShare fair;

    PrefillShares(
            EngineOptions options,
            int tokensPerBlock,
            PlanAtHand plan,
            Slots slots,
            SequenceList active,
            SequenceList waiting) {
        this.plan = plan;
        this.tokensPerBlock = tokensPerBlock;
        this.slots = slots;
        this.active = active;
        this.waiting = waiting;
        fair = options.chunking() == EngineOptions.Chunking.EQUAL_PROGRESS && options.chunkedPrefill()
                ? new FairShare()
                : null;
    }

    /** Before the first prefill: who shares what the decodes have left, and how. */
    void split() {
        if (fair == null) {
            return;
        }
        fair.clear();
        int blocks = plan.budget.left() / tokensPerBlock;
        for (int i = 0; i < active.size(); i++) {
            Sequence s = active.get(i);
            s.share = NO_SHARE;
            if (s.state == Sequence.State.PREFILL && fair.count() < blocks) {
                s.share = fair.count();
                fair.add(blocksOf(s.submitted, s.remaining()));
            }
        }
        int free = slots.free();
        for (int i = 0; i < waiting.size(); i++) {
            Sequence s = waiting.get(i);
            s.share = NO_SHARE;
            if (i < free && fair.count() < blocks) {
                s.share = fair.count();
                // What it will find in the cache is not known yet: what it leaves goes to the others.
                fair.add(blocksOf(0, s.keys.tokens()));
            }
        }
        fair.split(blocks);
    }

    private int blocksOf(int from, int tokens) {
        return (from + tokens + tokensPerBlock - 1) / tokensPerBlock - from / tokensPerBlock;
    }

    /**
     * The chunk of {@code s} in this step, 0 if none.
     *
     * @param from      position of its first token
     * @param remaining tokens that are still to be computed
     * @param cut       whether the sequence may be cut even where prompts are not
     */
    int chunk(Sequence s, int from, int remaining, boolean cut) {
        int chunk = plan.budget.chunk(from, remaining, cut);
        // Those without a share come last and take what is left.
        return fair == null || s.share == NO_SHARE ? chunk : plan.budget.firstBlocks(from, chunk, fair.share(s.share));
    }

    /** After the last prefill: what nobody has taken goes to the oldest that can use it. */
    void spread(PageWork pages) {
        if (fair == null || plan.paused) {
            return;
        }
        for (int i = 0; i < plan.prefills.size() && plan.budget.hasRoom(); i++) {
            Sequence s = plan.prefills.get(i);
            int more = plan.budget.extension(s.submitted + s.planned, s.remaining() - s.planned);
            if (s.planned > 0 && more > 0) {
                int granted = plan.grow(s, s.planned + more, s.planned, pages);
                if (granted > s.planned) {
                    plan.budget.use(granted - s.planned);
                    s.planned = granted;
                }
            }
        }
    }
}
