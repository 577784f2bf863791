package rondo.sim;

/** Which tokens a simulated model answers: a fixed function of the sequence and the place. */
@FunctionalInterface
public interface Replies {
    /**
     * The token at an output position.
     *
     * @param seed     {@link rondo.engine.sample.SamplingParams#seed} of the sequence, which stands for its identity
     * @param position 0 for the first token of the output
     */
    int token(long seed, int position);

    /** Tokens that look like noise; equal seeds give equal replies. */
    static Replies noise(int vocabulary) {
        return (seed, position) -> {
            // The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
            long z = seed + (position + 1L) * 0x9E3779B97F4A7C15L;
            z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
            z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
            return (int) Math.unsignedMultiplyHigh(z ^ (z >>> 31), vocabulary);
        };
    }
}
