package rondo.engine.spi;

import java.util.Arrays;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.kv.PageWork;

/**
 * One step as parallel arrays, reused: an executor owns two of them. Read-only from {@link Executor#submit} to the
 * step's {@link Executor#await}, except for {@link #samples}, which is read-only from {@link Executor#sample}.
 */
public final class StepPlan {
    /** A token id that stands for the slot's newest sample, which may still be on the device. */
    public static final int LAST = -1;

    // Runs: prefill runs before decode runs, at most one run per slot.
    public int runs;
    public final int[] slot;
    /** Index of the run's first token in {@link #tokenIds}. */
    public final int[] start;
    /** Tokens of the run. */
    public final int[] length;
    /** Tokens of the sequence before this run: the position of its first token. */
    public final int[] context;
    /** First row of the run, and how many: 0, 1, 1 + drafts, or all; rows are the run's last tokens. */
    public final int[] firstRow;

    public final int[] rowCount;

    public int tokens;
    public final int[] tokenIds;

    public int rows;
    public final SamplePlan samples;

    // Sequences that begin (or begin again) in this step; sampling parameters live with the executor per slot.
    public int begins;
    public final int[] beginSlot;
    public final SamplingParams[] beginParams;
    /** Prompt and output so far, for penalties; {@link TokenIds#empty()} where nothing penalizes. */
    public final TokenIds[] beginPrompt;

    public final TokenIds[] beginOutput;

    public final PageWork pages = new PageWork();

    public StepPlan(StepLimits limits, int vocabulary) {
        int n = limits.maxSequences();
        slot = new int[n];
        start = new int[n];
        length = new int[n];
        context = new int[n];
        firstRow = new int[n];
        rowCount = new int[n];
        tokenIds = new int[limits.maxTokens()];
        samples = new SamplePlan(limits.maxRows(), vocabulary);
        beginSlot = new int[n];
        beginParams = new SamplingParams[n];
        beginPrompt = new TokenIds[n];
        beginOutput = new TokenIds[n];
        Arrays.fill(beginParams, SamplingParams.greedy());
        Arrays.fill(beginPrompt, TokenIds.empty());
        Arrays.fill(beginOutput, TokenIds.empty());
    }

    public void clear() {
        clearRuns();
        pages.clear();
    }

    /** Forgets everything but the page work, which then goes with other runs. */
    public void clearRuns() {
        runs = 0;
        tokens = 0;
        rows = 0;
        begins = 0;
    }

    /** A sequence takes a slot: later rows of the slot sample so. */
    public void begin(int slot, SamplingParams params, TokenIds prompt, TokenIds output) {
        beginSlot[begins] = slot;
        beginParams[begins] = params;
        beginPrompt[begins] = prompt;
        beginOutput[begins] = output;
        begins++;
    }

    /**
     * Adds a run whose last {@code rows} tokens are rows; the caller writes the ids at {@code start[run]} and fills
     * {@link #samples} from {@code firstRow[run]}.
     *
     * @return the run's index
     */
    public int addRun(int slot, int context, int length, int rows) {
        int run = runs++;
        this.slot[run] = slot;
        this.context[run] = context;
        this.length[run] = length;
        this.start[run] = tokens;
        this.firstRow[run] = this.rows;
        this.rowCount[run] = rows;
        tokens += length;
        this.rows += rows;
        return run;
    }
}
