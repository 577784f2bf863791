package rondo.engine.sample;

import java.util.Arrays;

/**
 * Finds where a row, sorted by value downwards and index upwards, is to be cut: after k entries, or as soon as a mass is
 * reached. A histogram over the distance to the maximum finds the stretch, a heap sorts only inside it.
 */
final class Cut {
    /** Bucket = exponent and upper four bits of the mantissa of a distance that is not negative. */
    private static final int SHIFT = 19;

    private static final int BUCKETS = 1 << (31 - SHIFT);

    private final double[] mass = new double[BUCKETS];
    private final int[] count = new int[BUCKETS];
    private final int[] heap;
    private int heapSize;

    /** The last entry that is kept: its value and index. */
    private float value;

    private int index;

    Cut(int most) {
        heap = new int[most];
    }

    float value() {
        return value;
    }

    /** Whether an entry is above the cut or on it; of equal values the lower indices come first. */
    boolean keeps(float x, int at) {
        return x > value || (x == value && at <= index);
    }

    /** Cuts after the {@code k} largest of {@code n} values; k <= n. */
    void afterCount(float[] x, int n, float max, int k) {
        Arrays.fill(count, 0);
        for (int i = 0; i < n; i++) {
            count[bucket(max, x[i])]++;
        }
        int before = 0;
        int bucket = 0;
        while (before + count[bucket] < k) {
            before += count[bucket++];
        }
        gather(x, n, max, bucket);
        for (int left = k - before; left > 1; left--) {
            pop(x);
        }
        value = x[heap[0]];
        index = heap[0];
    }

    /** Cuts as soon as the weights reach {@code target}; keeps at least one, and all that weigh if it is never reached. */
    void afterMass(float[] x, float[] weight, int n, float max, double target) {
        Arrays.fill(mass, 0);
        for (int i = 0; i < n; i++) {
            if (weight[i] > 0) {
                mass[bucket(max, x[i])] += weight[i];
            }
        }
        double before = 0;
        int bucket = 0;
        while (bucket < BUCKETS && before + mass[bucket] < target) {
            before += mass[bucket++];
        }
        if (bucket == BUCKETS) {
            value = Float.NEGATIVE_INFINITY;
            index = Integer.MAX_VALUE;
            return;
        }
        gather(x, n, max, bucket);
        before += weight[heap[0]];
        while (before < target && heapSize > 1) {
            pop(x);
            before += weight[heap[0]];
        }
        value = x[heap[0]];
        index = heap[0];
    }

    private static int bucket(float max, float x) {
        return Float.floatToRawIntBits(max - x) >>> SHIFT;
    }

    private void gather(float[] x, int n, float max, int bucket) {
        heapSize = 0;
        for (int i = 0; i < n; i++) {
            if (bucket(max, x[i]) == bucket) {
                heap[heapSize++] = i;
            }
        }
        for (int i = heapSize / 2 - 1; i >= 0; i--) {
            sink(x, i);
        }
    }

    private void pop(float[] x) {
        heap[0] = heap[--heapSize];
        sink(x, 0);
    }

    private void sink(float[] x, int from) {
        int at = from;
        int moving = heap[at];
        while (2 * at + 1 < heapSize) {
            int child = 2 * at + 1;
            if (child + 1 < heapSize && before(x, heap[child + 1], heap[child])) {
                child++;
            }
            if (!before(x, heap[child], moving)) {
                break;
            }
            heap[at] = heap[child];
            at = child;
        }
        heap[at] = moving;
    }

    private static boolean before(float[] x, int a, int b) {
        return x[a] > x[b] || (x[a] == x[b] && a < b);
    }
}
