package rondo.cpu;

import java.lang.foreign.MemorySegment;
import rondo.model.compute.Weight;

/**
 * A matrix repacked for the kernels: panels of 16 rows (outputs), each panel contiguous, its steps as tiles of 64 bytes
 * (bf16: the pair of columns 2k, 2k+1 of one row per 32-bit lane; float32: two tiles a pair). Missing rows and columns
 * are zeros.
 *
 * @param half bf16, else float32
 */
record PanelWeight(int rows, int columns, boolean half, MemorySegment data) implements Weight {
    int panels() {
        return (rows + Lanes.PANEL - 1) / Lanes.PANEL;
    }

    /** Pairs of columns, the last one padded. */
    int pairs() {
        return pairs(columns);
    }

    long panelBytes() {
        return panelBytes(columns, half);
    }

    @Override
    public long bytes() {
        return panels() * panelBytes();
    }

    static int pairs(int columns) {
        return (columns + 1) / 2;
    }

    static long panelBytes(int columns, boolean half) {
        return (long) pairs(columns) * (half ? Lanes.TILE_BYTES : 2 * Lanes.TILE_BYTES);
    }
}
