package rondo.model.checkpoint;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Random numbers in place of a checkpoint's weights, the same in every process: for load tests of models whose weights
 * are not there. All tensors are windows onto one stretch of noise, so that they take no more memory than the largest.
 */
final class DummyTensors {
    private static final long SEED = 20_260_704;
    /** Numbers after which the noise repeats: a prime, so that no row of a matrix looks like the one before. */
    private static final int PERIOD = 1_048_573;
    /** Tensors begin at one of so many places. */
    private static final int STARTS = 4093;

    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfShort BITS16 =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private DummyTensors() {}

    static Map<String, StoredTensor> of(Path directory, List<TensorShape> shapes, StoredType type, Arena arena) {
        int width = type.element().orElseThrow().bytes();
        long most = shapes.stream().mapToLong(TensorShape::elements).max().orElse(0);
        MemorySegment noise = noise(Math.addExact(most, STARTS), type, width, arena);
        Map<String, StoredTensor> out = new LinkedHashMap<>();
        for (TensorShape one : shapes) {
            long start = Math.floorMod(one.name().hashCode(), STARTS);
            MemorySegment bytes = noise.asSlice(start * width, one.elements() * width);
            out.put(one.name(), new StoredTensor(one.name(), type, one.shape(), bytes, directory));
        }
        return out;
    }

    /** Uniform numbers with a deviation of 0.02, which is how networks begin. */
    private static MemorySegment noise(long elements, StoredType type, int width, Arena arena) {
        MemorySegment out = arena.allocate(elements * width, Long.BYTES);
        SplittableRandom random = new SplittableRandom(SEED);
        long first = Math.min(elements, PERIOD);
        for (long i = 0; i < first; i++) {
            put(out, i * width, (float) ((random.nextDouble() - 0.5) * 0.02 * Math.sqrt(12)), type);
        }
        for (long done = first; done < elements; done += PERIOD) {
            long more = Math.min(PERIOD, elements - done);
            MemorySegment.copy(out, 0, out, done * width, more * width);
        }
        return out;
    }

    private static void put(MemorySegment out, long at, float value, StoredType type) {
        switch (type.element().orElseThrow()) {
            case F32 -> out.set(F32, at, value);
            case BF16 -> out.set(BITS16, at, (short) (Float.floatToRawIntBits(value) >>> 16));
            case F16 -> out.set(BITS16, at, Float.floatToFloat16(value));
        }
    }
}
