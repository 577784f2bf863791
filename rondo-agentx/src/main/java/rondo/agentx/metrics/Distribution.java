package rondo.agentx.metrics;

import java.util.Arrays;
import java.util.Collection;

/** Sorted samples and their statistics; percentiles interpolate linearly between closest ranks (§7). Immutable. */
public final class Distribution {
    private final double[] sorted;
    private final double sum;

    private Distribution(double[] sorted) {
        this.sorted = sorted;
        double total = 0;
        for (double v : sorted) {
            total += v;
        }
        this.sum = total;
    }

    public static Distribution of(double... samples) {
        double[] copy = samples.clone();
        Arrays.sort(copy);
        return new Distribution(copy);
    }

    public static Distribution of(Collection<Double> samples) {
        return of(samples.stream().mapToDouble(Double::doubleValue).toArray());
    }

    public int count() {
        return sorted.length;
    }

    public boolean isEmpty() {
        return sorted.length == 0;
    }

    public double sum() {
        return sum;
    }

    /** 0 where there are no samples; so for all statistics. */
    public double mean() {
        return isEmpty() ? 0 : sum / sorted.length;
    }

    public double min() {
        return isEmpty() ? 0 : sorted[0];
    }

    public double max() {
        return isEmpty() ? 0 : sorted[sorted.length - 1];
    }

    /** Population form. */
    public double std() {
        double mean = mean();
        double squares = 0;
        for (double v : sorted) {
            squares += (v - mean) * (v - mean);
        }
        return isEmpty() ? 0 : Math.sqrt(squares / sorted.length);
    }

    /**
     * The p-th percentile, at position {@code (n - 1) p / 100} of the ascending samples.
     *
     * @param p 0 to 100
     */
    public double percentile(double p) {
        if (isEmpty()) {
            return 0;
        }
        double position = (sorted.length - 1) * p / 100;
        int below = (int) Math.floor(position);
        int above = Math.min(below + 1, sorted.length - 1);
        return sorted[below] + (position - below) * (sorted[above] - sorted[below]);
    }

    /** The i-th smallest sample. */
    public double sample(int i) {
        return sorted[i];
    }
}
