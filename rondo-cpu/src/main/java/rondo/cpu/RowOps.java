package rondo.cpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static rondo.cpu.Lanes.COUNT;
import static rondo.cpu.Lanes.F;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import rondo.model.compute.NormSpec;

/** What is done to single rows of floats: norms, additions, activations, soft caps. No state. */
final class RowOps {
    private static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT = JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private RowOps() {}

    /**
     * out = norm(in), in place or not, over {@code count} numbers, whose mean square is taken over {@code columns}: a padded
     * row gives its padded length as {@code count}, because whole vectors are faster.
     *
     * @param lanes 16 floats of scratch
     */
    static void norm(
            NormSpec norm,
            float[] weight,
            float[] in,
            int from,
            float[] out,
            int to,
            int columns,
            int count,
            float[] lanes) {
        switch (norm.kind()) {
            case NONE -> {
                if (in != out || from != to) {
                    System.arraycopy(in, from, out, to, count);
                }
            }
            case WEIGHTLESS ->
                scaled(in, from, inverseRms(in, from, columns, count, norm.eps(), lanes), out, to, count);
            case PLAIN ->
                weighted(weight, 0, in, from, out, to, count, inverseRms(in, from, columns, count, norm.eps(), lanes));
            case CENTRED ->
                weighted(weight, 1, in, from, out, to, count, inverseRms(in, from, columns, count, norm.eps(), lanes));
        }
    }

    /** 1/√(mean(x²) + eps): squares summed by lane, then the lanes in order, so that every run gives the same bits. */
    private static float inverseRms(float[] x, int from, int columns, int count, float eps, float[] lanes) {
        FloatVector sum = FloatVector.zero(F);
        int whole = count & -COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            FloatVector v = FloatVector.fromArray(F, x, from + i);
            sum = v.fma(v, sum);
        }
        if (whole < count) {
            FloatVector v = FloatVector.fromArray(F, x, from + whole, F.indexInRange(whole, count));
            sum = v.fma(v, sum);
        }
        sum.intoArray(lanes, 0);
        return (float) (1 / Math.sqrt((double) sumLanes(lanes) / columns + eps));
    }

    /** Not {@code reduceLanes}, whose order is not specified. */
    static float sumLanes(float[] lanes) {
        float sum = 0;
        for (int i = 0; i < COUNT; i++) {
            sum += lanes[i];
        }
        return sum;
    }

    /** out = in · factor · (weight + offset). */
    private static void weighted(
            float[] weight, float offset, float[] in, int from, float[] out, int to, int count, float factor) {
        int whole = count & -COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            FloatVector.fromArray(F, in, from + i)
                    .mul(factor)
                    .mul(FloatVector.fromArray(F, weight, i).add(offset))
                    .intoArray(out, to + i);
        }
        if (whole < count) {
            VectorMask<Float> mask = F.indexInRange(whole, count);
            FloatVector.fromArray(F, in, from + whole, mask)
                    .mul(factor)
                    .mul(FloatVector.fromArray(F, weight, whole, mask).add(offset))
                    .intoArray(out, to + whole, mask);
        }
    }

    /** sum[to..] += x[from..]. */
    static void add(float[] x, int from, float[] sum, int to, int count) {
        for (int i = 0; i < count; i += COUNT) {
            FloatVector.fromArray(F, sum, to + i)
                    .add(FloatVector.fromArray(F, x, from + i))
                    .intoArray(sum, to + i);
        }
    }

    /** out = silu(gate) ⊙ up, {@code columns} of each. */
    static void gated(float[] in, int gate, int up, float[] out, int to, int columns) {
        int whole = columns & -COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            FloatVector g = FloatVector.fromArray(F, in, gate + i);
            g.mul(VectorMath.sigmoid(g))
                    .mul(FloatVector.fromArray(F, in, up + i))
                    .intoArray(out, to + i);
        }
        if (whole < columns) {
            VectorMask<Float> mask = F.indexInRange(whole, columns);
            FloatVector g = FloatVector.fromArray(F, in, gate + whole, mask);
            g.mul(VectorMath.sigmoid(g))
                    .mul(FloatVector.fromArray(F, in, up + whole, mask))
                    .intoArray(out, to + whole, mask);
        }
    }

    /** x ← cap · tanh(multiplier · x / cap). */
    static void softCap(float[] x, int from, int end, float multiplier, float cap) {
        float inner = multiplier / cap;
        for (int i = from; i < end; i += COUNT) {
            VectorMath.tanh(FloatVector.fromArray(F, x, i).mul(inner)).mul(cap).intoArray(x, i);
        }
    }

    /** x ← factor · x. */
    static void scale(float[] x, int from, int count, float factor) {
        scaled(x, from, factor, x, from, count);
    }

    /** out = x · factor · σ(gate). */
    static void gate(float[] x, int from, float factor, float[] gates, int gate, float[] out, int to, int count) {
        int whole = count & -COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            FloatVector.fromArray(F, x, from + i)
                    .mul(factor)
                    .mul(VectorMath.sigmoid(FloatVector.fromArray(F, gates, gate + i)))
                    .intoArray(out, to + i);
        }
        if (whole < count) {
            VectorMask<Float> mask = F.indexInRange(whole, count);
            FloatVector.fromArray(F, x, from + whole, mask)
                    .mul(factor)
                    .mul(VectorMath.sigmoid(FloatVector.fromArray(F, gates, gate + whole, mask)))
                    .intoArray(out, to + whole, mask);
        }
    }

    /** out = x · factor. */
    static void scaled(float[] x, int from, float factor, float[] out, int to, int count) {
        int whole = count & -COUNT;
        for (int i = 0; i < whole; i += COUNT) {
            FloatVector.fromArray(F, x, from + i).mul(factor).intoArray(out, to + i);
        }
        if (whole < count) {
            VectorMask<Float> mask = F.indexInRange(whole, count);
            FloatVector.fromArray(F, x, from + whole, mask).mul(factor).intoArray(out, to + whole, mask);
        }
    }

    /** The largest of a row of scores, {@code from} and {@code end} multiples of 16 apart. */
    static float max(float[] x, int from, int end) {
        FloatVector max = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
        for (int i = from; i < end; i += COUNT) {
            max = max.max(FloatVector.fromArray(F, x, i));
        }
        return max.reduceLanes(VectorOperators.MAX);
    }

    /** x ← e^(x − max); answers the sum. */
    static float expSum(float[] x, int from, int end, float max, float[] lanes) {
        FloatVector sum = FloatVector.zero(F);
        for (int i = from; i < end; i += COUNT) {
            FloatVector e = VectorMath.exp(FloatVector.fromArray(F, x, i).sub(max));
            sum = sum.add(e);
            e.intoArray(x, i);
        }
        sum.intoArray(lanes, 0);
        return sumLanes(lanes);
    }

    /** sum ← sum · keep + part · take: how two partials of attention become one. */
    static void merge(float[] sum, int to, float keep, float[] part, int from, float take, int count) {
        FloatVector f = FloatVector.broadcast(F, take);
        for (int i = 0; i < count; i += COUNT) {
            FloatVector.fromArray(F, part, from + i)
                    .fma(f, FloatVector.fromArray(F, sum, to + i).mul(keep))
                    .intoArray(sum, to + i);
        }
    }

    /** One row of an embedding table as floats. */
    static void widen(RowTable table, int row, float[] out, int to) {
        MemorySegment data = table.data();
        int columns = table.columns();
        if (table.half()) {
            long at = (long) row * columns * 2;
            for (int i = 0; i < columns; i++) {
                out[to + i] = Float.intBitsToFloat(data.get(SHORT, at + 2L * i) << 16);
            }
        } else {
            MemorySegment.copy(data, FLOAT, (long) row * columns * 4, out, to, columns);
        }
    }
}
