package rondo.cpu;

import java.lang.foreign.MemorySegment;
import rondo.model.compute.Weight;

/**
 * An embedding table, row after row as the checkpoint has it.
 *
 * @param half bf16, else float32
 */
record RowTable(int rows, int columns, boolean half, MemorySegment data) implements Weight {
    @Override
    public long bytes() {
        return (long) rows * columns * (half ? 2 : 4);
    }
}
