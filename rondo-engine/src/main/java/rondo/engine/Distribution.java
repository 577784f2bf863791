package rondo.engine;

/**
 * How often values fell into each bucket; a snapshot whose counts only grow.
 *
 * @param bounds upper bounds of the buckets, ascending; one more bucket takes what is above the last
 * @param counts values per bucket, one more than bounds
 * @param sum    of all values
 */
public record Distribution(double[] bounds, long[] counts, double sum) {
    public Distribution {
        bounds = bounds.clone();
        counts = counts.clone();
    }

    /** None yet. */
    public static Distribution empty(double... bounds) {
        return new Distribution(bounds, new long[bounds.length + 1], 0);
    }

    public long count() {
        long all = 0;
        for (long c : counts) {
            all += c;
        }
        return all;
    }
}
