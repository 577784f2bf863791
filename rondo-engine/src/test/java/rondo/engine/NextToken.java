package rondo.engine;

/** What the stub model says after a history; must depend on its arguments alone. */
@FunctionalInterface
public interface NextToken {
    /**
     * @param tokens         prompt and output so far, as read back through the block tables; {@code count} of them
     * @param outputPosition output tokens among them, so the prompt has {@code count - outputPosition}
     * @param vocabulary     number of tokens
     */
    int next(int[] tokens, int count, int outputPosition, int vocabulary);

    /** A hash of every token of the history. */
    static NextToken hashed() {
        return (tokens, count, outputPosition, vocabulary) -> {
            long hash = count;
            for (int i = 0; i < count; i++) {
                hash = mix(hash ^ tokens[i]);
            }
            return (int) Long.remainderUnsigned(hash, vocabulary);
        };
    }

    private static long mix(long x) {
        long z = x * 0x9E3779B97F4A7C15L;
        return z ^ (z >>> 29);
    }
}
