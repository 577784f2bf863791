package rondo.model.compute.scalar;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import rondo.model.compute.ElementType;

/** Stored numbers as float32 and back, rounding to nearest, ties to even. */
final class Numbers {
    private static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Numbers() {}

    /** Element {@code index} of little-endian bytes. */
    static float read(MemorySegment bytes, ElementType type, long index) {
        return switch (type) {
            case F32 -> Float.intBitsToFloat(bytes.get(INT, 4 * index));
            case BF16 -> bf16(bytes.get(SHORT, 2 * index));
            case F16 -> Float.float16ToFloat(bytes.get(SHORT, 2 * index));
        };
    }

    static float bf16(short bits) {
        return Float.intBitsToFloat(bits << 16);
    }

    static short toBf16(float value) {
        int bits = Float.floatToRawIntBits(value);
        if (Float.isNaN(value)) {
            return (short) ((bits >>> 16) | 0x40); // stays a NaN when its low bits go
        }
        return (short) ((bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16);
    }
}
