package rondo.model.decoder;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;

/** Drives an executor as an engine would, and keeps the logits of every row; gives each block a page when first needed. */
public final class StepDriver implements AutoCloseable {
    /** A run of one sequence's tokens; the last {@code rows} of them are rows. */
    public record Piece(int slot, int context, int[] ids, int rows) {}

    final DecoderExecutor executor;
    final KvLayout layout;
    private final int[][][] pages; // [life cycle][slot][block], 0 = none yet
    private final int[] nextPage;
    private final List<float[]> seen = new ArrayList<>();
    private int[] tokens = new int[0];

    public StepDriver(DecoderExecutor executor, StepLimits limits, int pagesPerLifeCycle, int hostPages) {
        this.executor = executor;
        layout = executor.model().layout();
        int n = layout.lifeCycles().size();
        pages = new int[n][limits.maxSequences()][layout.blocks(limits.maxSeqLen())];
        nextPage = new int[n];
        Arrays.fill(nextPage, 1);
        executor.open(
                new KvPools(layout, Collections.nCopies(n, pagesPerLifeCycle), Collections.nCopies(n, hostPages)),
                limits);
        executor.observe((step, row, logits) -> seen.add(logits.clone()));
    }

    /** Page of a block; 0 = none. */
    public int page(int lifeCycle, int slot, int block) {
        return pages[lifeCycle][slot][block];
    }

    /** From the next step on the slot's block lies in this page. */
    public void map(StepPlan plan, int lifeCycle, int slot, int block, int page) {
        pages[lifeCycle][slot][block] = page;
        plan.pages.edit(slot, lifeCycle, block, page);
    }

    /** A page that nobody has had. */
    public int freshPage(int lifeCycle) {
        return nextPage[lifeCycle]++;
    }

    /** The slot's blocks are its own no longer: the next tokens at them get fresh pages. */
    public void forget(int slot) {
        for (int[][] ofLifeCycle : pages) {
            Arrays.fill(ofLifeCycle[slot], 0);
        }
    }

    /** Computes one step; the logits of each row, in the order of the pieces. Pieces of several tokens come first. */
    public List<float[]> step(Piece... pieces) throws StepFailure {
        return step(executor.plan(), pieces);
    }

    /** The same, in a plan that has been begun. */
    public List<float[]> step(StepPlan plan, Piece... pieces) throws StepFailure {
        add(plan, pieces);
        long step = executor.submit(plan);
        executor.sample(plan);
        seen.clear();
        StepResult result = executor.await(step);
        tokens = Arrays.copyOf(result.token, plan.rows);
        return List.copyOf(seen);
    }

    /** Puts runs into a plan, with pages for their tokens, all rows wanted, greedy. */
    public void add(StepPlan plan, Piece... pieces) {
        for (Piece piece : pieces) {
            if (piece.context() == 0) {
                plan.begin(piece.slot(), SamplingParams.greedy(), TokenIds.empty(), TokenIds.empty());
            }
            reserve(plan, piece.slot(), piece.context(), piece.context() + piece.ids().length);
            int run = plan.addRun(piece.slot(), piece.context(), piece.ids().length, piece.rows());
            System.arraycopy(piece.ids(), 0, plan.tokenIds, plan.start[run], piece.ids().length);
            for (int i = 0; i < piece.rows(); i++) {
                int row = plan.firstRow[run] + i;
                plan.samples.wanted[row] = true;
                plan.samples.masked[row] = false;
                plan.samples.forced[row] = -1;
                plan.samples.topLogprobs[row] = -1;
                plan.samples.position[row] = 0;
            }
        }
    }

    /** Tokens of the newest step, per row. */
    public int[] tokens() {
        return tokens;
    }

    /** Runs a prompt in chunks; the logits of all its positions. */
    public List<float[]> prefill(int slot, int[] ids, int chunk) throws StepFailure {
        return prefill(slot, ids, 0, chunk);
    }

    /** Runs what follows the first {@code cached} tokens. */
    public List<float[]> prefill(int slot, int[] ids, int cached, int chunk) throws StepFailure {
        List<float[]> out = new ArrayList<>();
        for (int at = cached; at < ids.length; at += chunk) {
            int[] part = Arrays.copyOfRange(ids, at, Math.min(ids.length, at + chunk));
            out.addAll(step(new Piece(slot, at, part, part.length)));
        }
        return out;
    }

    private void reserve(StepPlan plan, int slot, int from, int to) {
        for (int lc = 0; lc < pages.length; lc++) {
            for (int block = from / layout.tokensPerBlock(); block < layout.blocks(to); block++) {
                if (pages[lc][slot][block] == 0) {
                    map(plan, lc, slot, block, freshPage(lc));
                }
            }
        }
    }

    @Override
    public void close() {
        executor.close();
    }
}
