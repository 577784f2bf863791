package rondo.server;

/** An interval of numbers and how errors speak of it; NaN and the infinities lie in none. */
record Range(double min, boolean minIncluded, double max) {
    /** From min to max, both included. */
    static Range between(double min, double max) {
        return new Range(min, true, max);
    }

    /** Above min, up to and including max. */
    static Range above(double min, double max) {
        return new Range(min, false, max);
    }

    boolean holds(double value) {
        return (minIncluded ? value >= min : value > min) && value <= max;
    }

    String text() {
        return minIncluded
                ? "between " + Values.number(min) + " and " + Values.number(max)
                : "> " + Values.number(min) + " and <= " + Values.number(max);
    }

    static String integers(long min, long max) {
        if (max == Integer.MAX_VALUE || max == Long.MAX_VALUE) {
            return min == Long.MIN_VALUE ? "a 64-bit integer" : ">= " + min;
        }
        return "between " + min + " and " + max;
    }
}
