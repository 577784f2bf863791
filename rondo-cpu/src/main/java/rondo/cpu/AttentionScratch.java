package rondo.cpu;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static rondo.cpu.Attention.RANGE;
import static rondo.cpu.Lanes.COUNT;
import static rondo.cpu.Lanes.MAX_ROWS;
import static rondo.cpu.Lanes.PANEL;
import static rondo.cpu.Lanes.PARTS;
import static rondo.cpu.Lanes.TILE_BYTES;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** What one worker of {@link Attention} needs: packed queries, scores, partials, merged rows, and where the pages lie. */
final class AttentionScratch {
    float[] queries = new float[0];
    final float[] scores = new float[(MAX_ROWS + 1) * PanelKernels.SCORES];
    final int[] rowFrom = new int[MAX_ROWS];
    final int[] rowTo = new int[MAX_ROWS];
    final float[] partMax = new float[MAX_ROWS];
    final float[] partSum = new float[MAX_ROWS];
    final float[] lanes = new float[PANEL];
    float[] part = new float[0];
    float[] max = new float[0];
    float[] sum = new float[0];
    float[] merged = new float[0];

    /** The memory in which the range's K and V lie: the pages, or the staging of small ones. */
    MemorySegment pages = MemorySegment.NULL;

    /** Tokens that lie together: a page's, at most a range; a range when staged. */
    int chunkTokens;

    final long[] valueChunks = new long[RANGE / PANEL];
    private final long[] keyChunks = new long[RANGE / PANEL];
    private long keyPanelBytes;
    private long valuePanelBytes;
    private MemorySegment staging = MemorySegment.NULL;

    /** Makes room; does nothing once there is enough. */
    void prepare(int rows, int headDim, int tokensPerBlock, boolean half) {
        int padded = rows + MAX_ROWS;
        if (sum.length < padded) {
            max = new float[padded];
            sum = new float[padded];
        }
        int wide = Lanes.padded(headDim);
        if (merged.length < padded * wide) {
            queries = new float[padded * wide];
            merged = new float[padded * wide];
        }
        if (part.length < MAX_ROWS * wide) {
            part = new float[MAX_ROWS * wide];
        }
        long staged = 2L * RANGE * wide * (half ? 2 : 4);
        if (tokensPerBlock < PANEL && staging.byteSize() < staged) {
            staging = Arena.ofAuto().allocate(staged, TILE_BYTES);
        }
    }

    void begin(int rows) {
        Arrays.fill(max, 0, rows, Float.NEGATIVE_INFINITY);
    }

    /** Joins a partial of a row to what has been merged of the ranges left of it. */
    void merge(int row, float partialMax, float partialSum, float[] partial, int from, int d) {
        if (partialMax == Float.NEGATIVE_INFINITY) {
            return;
        }
        if (max[row] == Float.NEGATIVE_INFINITY) {
            max[row] = partialMax;
            sum[row] = partialSum;
            System.arraycopy(partial, from, merged, row * d, d);
            return;
        }
        float top = Math.max(max[row], partialMax);
        float keep = (float) Math.exp(max[row] - top);
        float take = (float) Math.exp(partialMax - top);
        max[row] = top;
        sum[row] = sum[row] * keep + partialSum * take;
        RowOps.merge(merged, row * d, keep, partial, from, take, d);
    }

    /** Finds tokens {@code from} to {@code end} of the range that begins at {@code base}; the rest of it is not looked up. */
    void locate(CpuKv kv, int group, int layer, int head, int slot, int base, int from, int end) {
        int tpb = kv.spec().tokensPerBlock();
        int d = kv.spec().groups().get(group).headDim();
        int tokenBytes = TILE_BYTES / (kv.half() ? 2 : 1); // of a panel of values
        int[] table = kv.table(group, slot);
        keyPanelBytes = (long) d * PANEL * kv.storedBytes();
        if (tpb < PANEL) {
            chunkTokens = RANGE;
            valuePanelBytes = (long) RANGE * tokenBytes;
            keyChunks[0] = 0;
            valueChunks[0] = RANGE / PANEL * keyPanelBytes;
            pages = staging;
            for (int block = from / tpb; block * tpb < end; block++) {
                stage(kv, group, table[block], layer, head, block * tpb - base);
            }
            return;
        }
        pages = kv.segment(group);
        chunkTokens = Math.min(tpb, RANGE);
        valuePanelBytes = (long) tpb * tokenBytes;
        for (int c = (from - base) / chunkTokens; base + c * chunkTokens < end; c++) {
            int token = base + c * chunkTokens;
            int page = table[token / tpb];
            int inPage = token % tpb;
            keyChunks[c] = kv.keys(group, page, layer, head) + inPage / PANEL * keyPanelBytes;
            valueChunks[c] = kv.values(group, page, layer, head) + (long) inPage * tokenBytes;
        }
    }

    /** Copies a page of fewer than 16 tokens to its place in whole panels. */
    private void stage(CpuKv kv, int group, int page, int layer, int head, int token) {
        MemorySegment source = kv.segment(group);
        int tpb = kv.spec().tokensPerBlock();
        int d = kv.spec().groups().get(group).headDim();
        long keys = kv.keys(group, page, layer, head);
        long to = token / PANEL * keyPanelBytes + token % PANEL * 4L;
        int steps = kv.half() ? d / 2 : d;
        for (int j = 0; j < steps; j++) {
            for (int t = 0; t < tpb; t++) {
                int word = source.get(JAVA_INT_UNALIGNED, keys + (j * tpb + t) * 4L);
                staging.set(JAVA_INT_UNALIGNED, to + j * (long) TILE_BYTES + t * 4L, word);
            }
        }
        long values = kv.values(group, page, layer, head);
        int tokenBytes = TILE_BYTES / (kv.half() ? 2 : 1);
        long bytes = (long) tpb * tokenBytes;
        for (int p = 0; p * PANEL < d; p++) {
            long at = valueChunks[0] + p * valuePanelBytes + (long) token * tokenBytes;
            MemorySegment.copy(source, values + p * bytes, staging, at, bytes);
        }
    }

    /** Where the keys of a unit of lanes begin; unit 0 holds the range's first tokens. */
    long keys(int unit) {
        int panel = unit / PARTS;
        int perChunk = chunkTokens / PANEL;
        return keyChunks[panel / perChunk] + panel % perChunk * keyPanelBytes + unit % PARTS * (COUNT * 4L);
    }

    /** Where a unit of dimensions lies within a chunk of values. */
    long valueUnit(int unit) {
        return unit / PARTS * valuePanelBytes + unit % PARTS * (COUNT * 4L);
    }
}
