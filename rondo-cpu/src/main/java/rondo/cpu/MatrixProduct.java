package rondo.cpu;

import static rondo.cpu.Lanes.COUNT;
import static rondo.cpu.Lanes.MAX_ROWS;
import static rondo.cpu.Lanes.PANEL;
import static rondo.cpu.Lanes.PARTS;

import java.lang.foreign.MemorySegment;

/**
 * out = in · Wᵀ for any number of rows. Rows are packed into blocks of at most {@link Lanes#MAX_ROWS} ([k][row]), the
 * work is cut by panels, and within a tile the same panels meet all blocks while they are still in the cache. Every output
 * is one accumulator that runs over k in order, so the number of rows changes no bit.
 */
final class MatrixProduct {
    /** Panels of a tile's smallest piece: four, as the kernels for 1 and 2 rows take them. */
    private static final int QUAD = 4;

    /** Most rows packed at once: bounds the scratch at 504 · columns floats. */
    private static final int MACRO_ROWS = 504;

    /** Columns packed at a time, so that a block's piece stays in the first-level cache. */
    private static final int PACK_COLUMNS = 256;

    private final WorkTeam team;
    private final WorkTeam.Region packing = this::pack;
    private final WorkTeam.Region multiplying = this::multiply;
    private final int[] oneByOne = new int[MACRO_ROWS];
    private float[] scratch = new float[0];

    // The product in work; set by the calling thread before each region.
    private float[] in = scratch;
    private float[] packed = scratch;
    private float[] out = scratch;
    private int[] rowIndex = oneByOne;
    private MemorySegment w = MemorySegment.NULL;
    private boolean half;
    private int rowOffset;
    private int inStride;
    private int outStride;
    private int rows;
    private int pairs;
    private int packTiles;
    private int units;
    private int quadsPerTile;
    private int inBase;
    private int packedBase;
    private int outBase;
    private long panelBytes;

    MatrixProduct(WorkTeam team) {
        this.team = team;
        for (int i = 0; i < oneByOne.length; i++) {
            oneByOne[i] = i;
        }
    }

    /** All rows from 0. */
    void run(CpuTensor out, CpuTensor in, int rows, PanelWeight weight) {
        for (int first = 0; first < rows; first += MACRO_ROWS) {
            int count = Math.min(MACRO_ROWS, rows - first);
            run(out, first, in, oneByOne, 0, first * in.stride, count, weight);
        }
    }

    /** Rows {@code index[j]} of {@code in} become rows j of {@code out}. */
    void gather(CpuTensor out, CpuTensor in, int[] index, int rows, PanelWeight weight) {
        for (int first = 0; first < rows; first += MACRO_ROWS) {
            int count = Math.min(MACRO_ROWS, rows - first);
            run(out, first, in, index, first, 0, count, weight);
        }
    }

    private void run(
            CpuTensor to,
            int firstOut,
            CpuTensor from,
            int[] index,
            int indexFrom,
            int base,
            int count,
            PanelWeight weight) {
        w = weight.data();
        half = weight.half();
        pairs = weight.pairs();
        panelBytes = weight.panelBytes();
        units = weight.panels() * PARTS;
        rows = count;
        in = from.data;
        inStride = from.stride;
        inBase = base;
        out = to.data;
        outStride = to.stride;
        outBase = firstOut * to.stride;
        rowIndex = index;
        rowOffset = indexFrom;
        int quads = (weight.panels() + QUAD - 1) / QUAD;
        double nanosPerQuad = quadNanos(count);
        quadsPerTile = (int) Math.clamp(WorkTeam.SHARE_NANOS / nanosPerQuad, 1, Math.max(1, quads / 8));
        if (count == 1) {
            packed = in;
            packedBase = base + index[indexFrom] * inStride;
        } else {
            long floats = (long) (count + MAX_ROWS) * pairs * 2;
            if (scratch.length < floats) {
                scratch = new float[Math.toIntExact(floats)];
            }
            packed = scratch;
            packedBase = 0;
            packTiles = (pairs * 2 + PACK_COLUMNS - 1) / PACK_COLUMNS;
            int blocks = (count + MAX_ROWS - 1) / MAX_ROWS;
            team.run(packing, blocks * packTiles, (long) count * pairs);
        }
        team.run(multiplying, (quads + quadsPerTile - 1) / quadsPerTile, (long) (quads * nanosPerQuad));
    }

    /** About how long four panels take: limited by reading the weights, or by the multiplications. */
    private double quadNanos(int count) {
        double read = QUAD * panelBytes / 25.0;
        double multiply = (double) QUAD * PANEL * pairs * 2 * count / (3.0 * COUNT);
        return Math.max(read, multiply);
    }

    /** One piece of one block: [k][row], the missing rows of the last block left as they are. */
    private void pack(int tile, int worker) {
        int block = tile / packTiles;
        int from = tile % packTiles * PACK_COLUMNS;
        int end = Math.min(pairs * 2, from + PACK_COLUMNS);
        int first = block * MAX_ROWS;
        int count = Math.min(MAX_ROWS, rows - first);
        int width = Lanes.blockRows(count);
        int into = first * pairs * 2;
        for (int i = 0; i < count; i++) {
            int row = inBase + rowIndex[rowOffset + first + i] * inStride;
            packRow(in, row + from, end - from, packed, into + from * width + i, width);
        }
    }

    private static void packRow(float[] in, int from, int count, float[] out, int to, int step) {
        for (int k = 0, at = to; k < count; k++, at += step) {
            out[at] = in[from + k];
        }
    }

    private void multiply(int tile, int worker) {
        int from = tile * quadsPerTile * QUAD * PARTS;
        int end = Math.min(units, from + quadsPerTile * QUAD * PARTS);
        for (int unit = from; unit < end; unit += QUAD) {
            for (int first = 0; first < rows; first += MAX_ROWS) {
                int count = Lanes.blockRows(Math.min(MAX_ROWS, rows - first));
                int x = packedBase + first * pairs * 2;
                int o = outBase + first * outStride;
                four(count, unit, x, o);
            }
        }
    }

    /** One block times four units; units that do not exist repeat the last one, which writes the same values twice. */
    private void four(int count, int unit, int x, int o) {
        int last = units - 1;
        int u1 = Math.min(unit + 1, last);
        int u2 = Math.min(unit + 2, last);
        int u3 = Math.min(unit + 3, last);
        if (count <= 2) {
            four(
                    count,
                    offset(unit),
                    offset(u1),
                    offset(u2),
                    offset(u3),
                    x,
                    o + unit * COUNT,
                    o + u1 * COUNT,
                    o + u2 * COUNT,
                    o + u3 * COUNT);
            return;
        }
        Kernels.two(
                half,
                count,
                w,
                offset(unit),
                offset(u1),
                pairs,
                packed,
                x,
                out,
                o + unit * COUNT,
                o + u1 * COUNT,
                outStride);
        if (unit + 2 <= last) {
            Kernels.two(
                    half,
                    count,
                    w,
                    offset(u2),
                    offset(u3),
                    pairs,
                    packed,
                    x,
                    out,
                    o + u2 * COUNT,
                    o + u3 * COUNT,
                    outStride);
        }
    }

    private void four(int count, long w0, long w1, long w2, long w3, int x, int o0, int o1, int o2, int o3) {
        Kernels.four(half, count, w, w0, w1, w2, w3, pairs, packed, x, out, o0, o1, o2, o3, outStride);
    }

    /** Where a unit's tiles begin. */
    private long offset(int unit) {
        return unit / PARTS * panelBytes + unit % PARTS * (COUNT * 4L);
    }
}
