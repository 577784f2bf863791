package rondo.server;

import java.util.Arrays;
import java.util.concurrent.atomic.DoubleAdder;
import java.util.concurrent.atomic.LongAdder;

/** A Prometheus histogram with fixed buckets; recording takes no lock and allocates nothing. */
final class Histogram {
    private final double[] bounds;
    private final LongAdder[] counts;
    private final DoubleAdder sum = new DoubleAdder();

    Histogram(double... bounds) {
        this.bounds = bounds.clone();
        counts = new LongAdder[bounds.length + 1];
        Arrays.setAll(counts, i -> new LongAdder());
    }

    void record(double value) {
        record(value, 1);
    }

    /** The same value so many times. */
    void record(double value, int times) {
        int bucket = 0;
        while (bucket < bounds.length && value > bounds[bucket]) {
            bucket++;
        }
        counts[bucket].add(times);
        sum.add(value * times);
    }

    /** Appends the samples under a name; {@code labels} without braces. */
    void write(StringBuilder out, String name, String labels) {
        long total = 0;
        for (int i = 0; i <= bounds.length; i++) {
            total += counts[i].sum();
            String bound = i == bounds.length ? "+Inf" : Double.toString(bounds[i]);
            out.append(name)
                    .append("_bucket{")
                    .append(labels)
                    .append(",le=\"")
                    .append(bound)
                    .append("\"} ");
            out.append(total).append('\n');
        }
        out.append(name)
                .append("_sum{")
                .append(labels)
                .append("} ")
                .append(sum.sum())
                .append('\n');
        out.append(name)
                .append("_count{")
                .append(labels)
                .append("} ")
                .append(total)
                .append('\n');
    }
}
