package rondo.engine;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts whole numbers (nanoseconds, tokens) in buckets: one writer, any readers, no allocation when it records. */
final class StepHistogram {
    private final long[] bounds;
    private final double unit;
    /** Counts per bucket, then the sum. */
    private final AtomicLongArray values;

    /**
     * @param unit   what one recorded 1 is worth in what is shown
     * @param bounds in the shown unit, ascending
     */
    StepHistogram(double unit, double... bounds) {
        this.unit = unit;
        this.bounds = new long[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            this.bounds[i] = Math.round(bounds[i] / unit);
        }
        values = new AtomicLongArray(bounds.length + 2);
    }

    static StepHistogram ofNanos() {
        return new StepHistogram(
                1e-9, .00001, .0001, .0003, .001, .003, .005, .01, .015, .02, .03, .05, .1, .2, .3, .5, 1, 2, 5, 10);
    }

    static StepHistogram ofTokens() {
        return new StepHistogram(1, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384);
    }

    void record(long value) {
        int bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        add(bucket, 1);
        add(bounds.length + 1, value);
    }

    private void add(int at, long more) {
        values.setRelease(at, values.getPlain(at) + more);
    }

    Distribution snapshot() {
        double[] shown = new double[bounds.length];
        for (int i = 0; i < bounds.length; i++) {
            // Rounded where it was given: 0.003, not 0.0030000000000000005.
            shown[i] = Math.round(bounds[i] * unit * 1e6) / 1e6;
        }
        long[] counts = new long[bounds.length + 1];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = values.getAcquire(i);
        }
        return new Distribution(shown, counts, values.getAcquire(bounds.length + 1) * unit);
    }
}
