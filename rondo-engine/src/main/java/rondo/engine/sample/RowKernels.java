package rondo.engine.sample;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/** The passes over a whole row of logits, with vectors: maximum, first of a value, exponentials with sums by block. */
final class RowKernels {
    /** Entries that are summed together, so that a draw need look inside one block only. */
    static final int BLOCK = 256;
    /** Entries of which the largest is taken; a multiple of every vector's length. */
    static final int GROUP = 64;

    private static final VectorSpecies<Float> F = FloatVector.SPECIES_PREFERRED;
    private static final int LANES = F.length();
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    /** exp(-87.3) is the smallest normal float; what lies below weighs nothing. */
    private static final float LOWEST = -87.3f;

    private static final float LOG2E = 1.44269504f;
    /** ln 2 in two parts (Cody and Waite), so that the reduction loses nothing. */
    private static final float LN2_HIGH = 0.693359375f;

    private static final float LN2_LOW = -2.12194440e-4f;
    /** Adding and subtracting it rounds to an integer, whose bits are then the low bits of the sum. */
    private static final float ROUND = 12582912f;

    private RowKernels() {}

    /** The largest of the first {@code n} floats; NaN if any is. */
    static float max(MemorySegment row, int n) {
        int i = 0;
        float max = Float.NEGATIVE_INFINITY;
        if (n >= 2 * LANES) {
            FloatVector a = FloatVector.broadcast(F, Float.NEGATIVE_INFINITY);
            FloatVector b = a;
            for (; i <= n - 2 * LANES; i += 2 * LANES) {
                a = a.max(FloatVector.fromMemorySegment(F, row, 4L * i, ORDER));
                b = b.max(FloatVector.fromMemorySegment(F, row, 4L * (i + LANES), ORDER));
            }
            max = a.max(b).reduceLanes(VectorOperators.MAX);
        }
        for (; i < n; i++) {
            max = Math.max(max, row.getAtIndex(ValueLayout.JAVA_FLOAT, i));
        }
        return max;
    }

    /** The first index that holds {@code value}; {@code n} if none. */
    static int indexOf(MemorySegment row, int n, float value) {
        int i = 0;
        FloatVector wanted = FloatVector.broadcast(F, value);
        for (; i <= n - LANES; i += LANES) {
            VectorMask<Float> same =
                    FloatVector.fromMemorySegment(F, row, 4L * i, ORDER).compare(VectorOperators.EQ, wanted);
            if (same.anyTrue()) {
                return i + same.firstTrue();
            }
        }
        while (i < n && row.getAtIndex(ValueLayout.JAVA_FLOAT, i) != value) {
            i++;
        }
        return i;
    }

    /** {@code x[i] /= divisor}. */
    static void divide(float[] x, int n, float divisor) {
        for (int i = 0; i < n; i++) {
            x[i] /= divisor;
        }
    }

    /**
     * {@code weight[i] = exp(x[i] - max)}, to about 1e-7 of its value; {@code max} is the largest of {@code x}. All in one
     * method: vectors that are passed to another one may become objects.
     *
     * @return the sum
     */
    static double exponentials(float[] x, int n, float max, float[] weight) {
        int i = 0;
        FloatVector top = FloatVector.broadcast(F, max);
        for (; i <= n - LANES; i += LANES) {
            FloatVector d = FloatVector.fromArray(F, x, i).sub(top);
            VectorMask<Float> nothing = d.compare(VectorOperators.LT, LOWEST);
            FloatVector clamped = d.max(LOWEST);
            FloatVector shifted = clamped.fma(FloatVector.broadcast(F, LOG2E), FloatVector.broadcast(F, ROUND));
            FloatVector n2 = shifted.sub(ROUND);
            FloatVector r = n2.fma(FloatVector.broadcast(F, -LN2_HIGH), clamped);
            r = n2.fma(FloatVector.broadcast(F, -LN2_LOW), r);
            // Taylor's series up to r^7/7!: |r| <= 0.35, so the remainder is below 1e-8.
            FloatVector p = FloatVector.broadcast(F, 1.98412698e-4f);
            p = p.fma(r, FloatVector.broadcast(F, 1.38888889e-3f));
            p = p.fma(r, FloatVector.broadcast(F, 8.33333333e-3f));
            p = p.fma(r, FloatVector.broadcast(F, 4.16666667e-2f));
            p = p.fma(r, FloatVector.broadcast(F, 1.66666667e-1f));
            p = p.fma(r, FloatVector.broadcast(F, 0.5f));
            p = p.fma(r, FloatVector.broadcast(F, 1f));
            p = p.fma(r, FloatVector.broadcast(F, 1f));
            IntVector power = shifted.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23);
            p.reinterpretAsInts()
                    .add(power)
                    .reinterpretAsFloats()
                    .blend(0f, nothing)
                    .intoArray(weight, i);
        }
        for (; i < n; i++) {
            float d = x[i] - max;
            weight[i] = d < LOWEST ? 0 : (float) Math.exp(d);
        }
        return sum(weight, n);
    }

    /**
     * A sum whose order is always the same. A vector's own reduction of floats leaves the order open, and interpreted and
     * compiled code do differ in it.
     */
    private static double sum(float[] x, int n) {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        int i = 0;
        for (; i <= n - 4; i += 4) {
            a += x[i];
            b += x[i + 1];
            c += x[i + 2];
            d += x[i + 3];
        }
        for (; i < n; i++) {
            a += x[i];
        }
        return (a + b) + (c + d);
    }

    /** The largest of each {@link #GROUP} of {@code x} into {@code maxima}; returns how many groups there are. */
    static int groupMaxima(float[] x, int n, float[] maxima) {
        int groups = 0;
        int from = 0;
        for (; from <= n - GROUP; from += GROUP) {
            FloatVector a = FloatVector.fromArray(F, x, from);
            for (int i = LANES; i < GROUP; i += LANES) {
                a = a.max(FloatVector.fromArray(F, x, from + i));
            }
            maxima[groups++] = a.reduceLanes(VectorOperators.MAX);
        }
        if (from < n) {
            float max = Float.NEGATIVE_INFINITY;
            for (int i = from; i < n; i++) {
                max = Math.max(max, x[i]);
            }
            maxima[groups++] = max;
        }
        return groups;
    }

    /** The indices whose value is at least {@code least}, ascending, into {@code found}; returns how many. */
    static int atLeast(float[] values, int n, float least, int[] found) {
        int count = 0;
        int i = 0;
        for (; i <= n - LANES; i += LANES) {
            long hits = FloatVector.fromArray(F, values, i)
                    .compare(VectorOperators.GE, least)
                    .toLong();
            while (hits != 0) {
                found[count++] = i + Long.numberOfTrailingZeros(hits);
                hits &= hits - 1;
            }
        }
        for (; i < n; i++) {
            if (values[i] >= least) {
                found[count++] = i;
            }
        }
        return count;
    }

    /** Sums of the weights by {@link #BLOCK}; returns their total. */
    static double blockSums(float[] weight, int n, double[] sums) {
        double total = 0;
        for (int from = 0, block = 0; from < n; from += BLOCK, block++) {
            int end = Math.min(n, from + BLOCK);
            double a = 0;
            double b = 0;
            double c = 0;
            double d = 0;
            int i = from;
            for (; i <= end - 4; i += 4) {
                a += weight[i];
                b += weight[i + 1];
                c += weight[i + 2];
                d += weight[i + 3];
            }
            for (; i < end; i++) {
                a += weight[i];
            }
            sums[block] = (a + b) + (c + d);
            total += sums[block];
        }
        return total;
    }
}
