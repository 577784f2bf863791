package rondo.kv;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What every running sequence holds, as parallel arrays by reservation; ids and block lists are reused. */
final class Reservations {
    static final int NONE = -1;
    /** Steps that one sequence can be part of at a time: the one awaited and the one planned behind it. */
    private static final int IN_FLIGHT = 2;

    final int[] slot;
    /** Tokens; always committed <= history <= submitted <= capacity. */
    final int[] committed;

    final int[] history;
    final int[] submitted;
    final int[] capacity;
    final int[] promptTokens;
    /** Tokens that were found in the cache at admission. */
    final int[] matched;

    final boolean[] excluded;
    /** Nothing more of this sequence goes into the tree. */
    final boolean[] closed;
    /** Some committed block of it has a private page, since that of the tree was not to be had. */
    final boolean[] apart;
    /** Its holds are soft. */
    final boolean[] suspended;
    /** Last submitted step with a run of it; 0 = none. */
    final long[] lastStep;
    /** The node of its last committed block, and the generation in which it was that. */
    final int[] node;

    final int[] nodeGeneration;
    /** Blocks from here on have table entries that the executor has not been told. */
    final int[] editFrom;

    private final @Nullable BlockKeys[] keys;
    private final int lifeCycles;
    private final int maxBlocks;
    private final boolean[] live;
    private final int[][] tables;
    /** Per life cycle: blocks below this (sink blocks aside) are out of the window and let go. */
    private final int[] released;

    private final int[] inFlight;
    private final long[] stepInFlight;
    private final int[] inFlightCount;
    private final int[] freeIds;
    private int freeCount;

    Reservations(int most, int lifeCycles, int maxBlocks) {
        this.lifeCycles = lifeCycles;
        this.maxBlocks = maxBlocks;
        slot = new int[most];
        committed = new int[most];
        history = new int[most];
        submitted = new int[most];
        capacity = new int[most];
        promptTokens = new int[most];
        matched = new int[most];
        excluded = new boolean[most];
        closed = new boolean[most];
        apart = new boolean[most];
        suspended = new boolean[most];
        lastStep = new long[most];
        node = new int[most];
        nodeGeneration = new int[most];
        editFrom = new int[most];
        keys = new BlockKeys[most];
        live = new boolean[most];
        tables = new int[most * lifeCycles][];
        released = new int[most * lifeCycles];
        inFlight = new int[most * IN_FLIGHT];
        stepInFlight = new long[most * IN_FLIGHT];
        inFlightCount = new int[most];
        freeIds = new int[most];
        for (int r = most - 1; r >= 0; r--) {
            freeIds[freeCount++] = r;
        }
        Arrays.fill(tables, new int[0]);
    }

    int most() {
        return live.length;
    }

    boolean isLive(int r) {
        return r >= 0 && r < live.length && live[r];
    }

    /** Whether some reservation besides this one is not suspended. */
    boolean isOtherRunning(int than) {
        for (int r = 0; r < live.length; r++) {
            if (live[r] && !suspended[r] && r != than) {
                return true;
            }
        }
        return false;
    }

    /** A fresh reservation of {@code tokens} matched tokens, without pages yet; none if all are taken. */
    int open(int tokens, int executorSlot, Retention retention, BlockKeys of) {
        if (freeCount == 0) {
            return NONE;
        }
        int r = freeIds[--freeCount];
        live[r] = true;
        slot[r] = executorSlot;
        committed[r] = tokens;
        history[r] = tokens;
        submitted[r] = tokens;
        capacity[r] = tokens;
        matched[r] = tokens;
        promptTokens[r] = retention.promptTokens();
        excluded[r] = retention.excluded();
        closed[r] = false;
        apart[r] = false;
        suspended[r] = false;
        lastStep[r] = 0;
        node[r] = NONE;
        editFrom[r] = Integer.MAX_VALUE;
        keys[r] = of;
        inFlightCount[r] = 0;
        for (int lc = 0; lc < lifeCycles; lc++) {
            int at = r * lifeCycles + lc;
            if (tables[at].length == 0) {
                // Sized for the longest sequence once, so that growing never allocates.
                tables[at] = new int[maxBlocks];
                Arrays.fill(tables[at], NONE);
            }
            released[at] = 0;
        }
        return r;
    }

    /** Gives the id back; all its table entries are empty by now. */
    void close(int r) {
        live[r] = false;
        keys[r] = null;
        freeIds[freeCount++] = r;
    }

    BlockKeys keys(int r) {
        BlockKeys k = keys[r];
        if (k == null) {
            throw new IllegalStateException("reservation " + r + " is not in use");
        }
        return k;
    }

    void setKeys(int r, BlockKeys k) {
        keys[r] = k;
    }

    int page(int r, int lc, int block) {
        return tables[r * lifeCycles + lc][block];
    }

    void setPage(int r, int lc, int block, int page) {
        tables[r * lifeCycles + lc][block] = page;
    }

    int released(int r, int lc) {
        return released[r * lifeCycles + lc];
    }

    void setReleased(int r, int lc, int blocks) {
        released[r * lifeCycles + lc] = blocks;
    }

    int inFlight(int r) {
        return inFlightCount[r];
    }

    void pushInFlight(int r, int tokens, long step) {
        if (inFlightCount[r] == IN_FLIGHT) {
            throw new IllegalStateException("reservation " + r + " has " + IN_FLIGHT + " runs in flight already");
        }
        stepInFlight[r * IN_FLIGHT + inFlightCount[r]] = step;
        inFlight[r * IN_FLIGHT + inFlightCount[r]++] = tokens;
    }

    /** The step of the oldest run in flight. */
    long oldestStep(int r) {
        return stepInFlight[r * IN_FLIGHT];
    }

    /** Tokens of the oldest run in flight, which is in flight no longer. */
    int popInFlight(int r) {
        if (inFlightCount[r] == 0) {
            throw new IllegalStateException("reservation " + r + " has no run in flight");
        }
        int at = r * IN_FLIGHT;
        int oldest = inFlight[at];
        inFlight[at] = inFlight[at + 1];
        stepInFlight[at] = stepInFlight[at + 1];
        inFlightCount[r]--;
        return oldest;
    }

    /** Tokens of all runs in flight. */
    int tokensInFlight(int r) {
        int sum = 0;
        for (int i = 0; i < inFlightCount[r]; i++) {
            sum += inFlight[r * IN_FLIGHT + i];
        }
        return sum;
    }
}
