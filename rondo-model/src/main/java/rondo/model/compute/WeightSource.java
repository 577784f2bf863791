package rondo.model.compute;

import java.lang.foreign.MemorySegment;

/**
 * A matrix as a checkpoint stores it: {@code [rows, columns]} row-major (a linear weight is [out, in]); a vector has one
 * row. The bytes are mapped, little-endian and only read while a device takes them in.
 */
public record WeightSource(String name, ElementType type, int rows, int columns, MemorySegment bytes) {
    public WeightSource {
        long wanted = (long) rows * columns * type.bytes();
        if (bytes.byteSize() != wanted) {
            throw new IllegalArgumentException(name + ": " + wanted + " bytes expected, got " + bytes.byteSize());
        }
    }
}
