package rondo.model.decoder;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import rondo.engine.sample.Sampler;
import rondo.engine.sample.SlotSampling;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.PageCopies;
import rondo.kv.PageWork;
import rondo.model.compute.KvMemory;
import rondo.model.compute.StepShape;

/** Computes one plan: page work, token ids, forward pass, samples. Remembers each slot's newest sample. */
final class StepRunner {
    private final Decoder decoder;
    private final KvMemory kv;
    private final int vocabulary;
    private final StepShape shape = new StepShape();
    private final int[] ids;
    /** Rows of the plan whose logits are computed, and where these rows are among the step's tokens. */
    private final int[] computedRow;

    private final int[] rowIndex;
    private final float[] logits;
    private final int[] newest;
    private final Sampler sampler;
    private final SlotSampling[] slots;
    private final MemorySegment logitsSegment;
    private final boolean[] failed;
    private String failure = "";

    StepRunner(Decoder decoder, KvMemory kv, StepLimits limits, int vocabulary) {
        this.decoder = decoder;
        this.kv = kv;
        this.vocabulary = vocabulary;
        ids = new int[limits.maxTokens()];
        computedRow = new int[limits.maxRows()];
        rowIndex = new int[limits.maxRows()];
        logits = new float[vocabulary];
        logitsSegment = MemorySegment.ofArray(logits);
        sampler = new Sampler(vocabulary);
        slots = new SlotSampling[limits.maxSequences() + 1];
        Arrays.setAll(slots, i -> new SlotSampling(vocabulary));
        newest = new int[limits.maxSequences() + 1];
        failed = new boolean[limits.maxSequences()];
        Arrays.fill(newest, SamplePlan.NONE);
    }

    /** Returns whether all runs succeeded; otherwise {@link #failed} and {@link #failure} say which did not, and why. */
    boolean run(long step, StepPlan plan, StepResult result, RowObserver observer) {
        Arrays.fill(failed, false);
        failure = "";
        pages(plan.pages);
        begin(plan);
        resolveIds(plan);
        if (plan.tokens > 0) {
            shape.runs = plan.runs;
            shape.tokens = plan.tokens;
            shape.slot = plan.slot;
            shape.start = plan.start;
            shape.length = plan.length;
            shape.context = plan.context;
            int rows = chooseRows(plan);
            decoder.forward(shape, ids, kv, rowIndex, rows);
            sample(step, plan, result, rows, observer);
        }
        return failure.isEmpty();
    }

    boolean[] failed() {
        return failed;
    }

    String failure() {
        return failure;
    }

    private void pages(PageWork work) {
        for (int i = 0; i < work.edits; i++) {
            kv.table(work.slot[i], work.lifeCycle[i], work.block[i], work.page[i]);
        }
        PageCopies copies = work.deviceCopies;
        for (int i = 0; i < copies.count; i++) {
            kv.copyPage(copies.lifeCycle[i], copies.fromPage[i], copies.toPage[i]);
        }
    }

    private void begin(StepPlan plan) {
        for (int i = 0; i < plan.begins; i++) {
            int slot = plan.beginSlot[i];
            newest[slot] = SamplePlan.NONE;
            slots[slot].begin(plan.beginParams[i], plan.beginPrompt[i], plan.beginOutput[i]);
        }
    }

    private void resolveIds(StepPlan plan) {
        for (int run = 0; run < plan.runs; run++) {
            for (int t = plan.start[run]; t < plan.start[run] + plan.length[run]; t++) {
                int id = plan.tokenIds[t];
                if (id == StepPlan.LAST) {
                    id = newest[plan.slot[run]];
                    // The sequence failed in the step before, when this one was in flight: what it computes is dropped.
                    id = id < SamplePlan.NONE ? 0 : id;
                }
                if (id < 0 || id >= vocabulary) {
                    fail(run, "a token id outside the vocabulary: " + id);
                    id = 0;
                }
                ids[t] = id;
            }
        }
    }

    /** Lists the rows whose logits decide something. */
    private int chooseRows(StepPlan plan) {
        int rows = 0;
        for (int run = 0; run < plan.runs; run++) {
            int firstToken = plan.start[run] + plan.length[run] - plan.rowCount[run];
            for (int i = 0; i < plan.rowCount[run]; i++) {
                int row = plan.firstRow[run] + i;
                if (plan.samples.wanted[row]) {
                    computedRow[rows] = row;
                    rowIndex[rows++] = firstToken + i;
                }
            }
        }
        return rows;
    }

    private void sample(long step, StepPlan plan, StepResult result, int rows, RowObserver observer) {
        int run = 0;
        for (int j = 0; j < rows; j++) {
            int row = computedRow[j];
            while (row >= plan.firstRow[run] + plan.rowCount[run]) {
                run++;
            }
            if (failed[run]) {
                continue;
            }
            decoder.logits(j, logits);
            observer.row(step, row, logits);
            int slot = plan.slot[run];
            if (!finite(logits)) {
                fail(run, "logits that are not finite");
                result.token[row] = StepResult.BAD_LOGITS;
                newest[slot] = StepResult.BAD_LOGITS;
                continue;
            }
            sampler.sample(slots[slot], logitsSegment, plan.samples, row, result);
            newest[slot] = result.token[row];
        }
    }

    private void fail(int run, String why) {
        if (!failed[run]) {
            failed[run] = true;
            failure += (failure.isEmpty() ? "" : "; ") + "run " + run + " has " + why;
        }
    }

    /** Whether no element is infinite or a NaN: none has all exponent bits set. */
    private static boolean finite(float[] values) {
        int worst = 0;
        for (float value : values) {
            worst = Math.max(worst, Float.floatToRawIntBits(value) & 0x7f800000);
        }
        return worst != 0x7f800000;
    }
}
