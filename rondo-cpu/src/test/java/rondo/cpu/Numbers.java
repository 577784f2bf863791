package rondo.cpu;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import rondo.model.compute.ElementType;
import rondo.model.compute.Tensor;
import rondo.model.compute.WeightSource;

/** Random matrices and what the tests need to look into them. */
final class Numbers {
    private Numbers() {}

    static float[] random(SplittableRandom random, int count) {
        float[] out = new float[count];
        for (int i = 0; i < count; i++) {
            out[i] = (float) random.nextDouble(-1, 1);
        }
        return out;
    }

    /** The values as the type stores them, in its bytes. */
    static WeightSource source(ElementType type, int rows, int columns, float[] values) {
        byte[] bytes = new byte[values.length * type.bytes()];
        MemorySegment segment = MemorySegment.ofArray(bytes);
        for (int i = 0; i < values.length; i++) {
            switch (type) {
                case F32 ->
                    segment.set(ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), i * 4L, values[i]);
                case BF16 -> put(segment, i, (short) HeadStore.bf16(values[i]));
                case F16 -> put(segment, i, Float.floatToFloat16(values[i]));
            }
        }
        return new WeightSource("w", type, rows, columns, segment);
    }

    private static void put(MemorySegment segment, int index, short bits) {
        segment.set(ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), index * 2L, bits);
    }

    static float rounded(ElementType type, float x) {
        return switch (type) {
            case F32 -> x;
            case BF16 -> Float.intBitsToFloat(HeadStore.bf16(x) << 16);
            case F16 -> Float.float16ToFloat(Float.floatToFloat16(x));
        };
    }

    static void write(Tensor tensor, int row, float[] values) {
        CpuTensor own = (CpuTensor) tensor;
        System.arraycopy(values, 0, own.data, row * own.stride, values.length);
    }

    static float[] read(Tensor tensor, int row) {
        float[] out = new float[tensor.columns()];
        tensor.read(row, out);
        return out;
    }
}
