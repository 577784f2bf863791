package rondo.kv;

/** Which priority a new page gets; it keeps it for life. */
final class RetentionRules {
    static final int DEFAULT = 35;
    /** Pages of the window before a prompt's end. */
    static final int ENDPOINT = 70;
    /** Window pages that no likely end point needs. */
    static final int PASSING = 0;

    private RetentionRules() {}

    /**
     * With {@code rewind} > 0, window pages that overlap {@code [E - W - rewind, E)}, E being the prompt without its
     * last token, outlive all others: then every match that ends in {@code [E - rewind, E]} finds its whole window.
     */
    static int priority(LifeCycle cycle, int block, int tokensPerBlock, int promptTokens, int rewind) {
        if (rewind == 0 || cycle.isFull()) {
            return DEFAULT;
        }
        if (block < cycle.sinkBlocks()) {
            return ENDPOINT;
        }
        int end = promptTokens - 1;
        int from = Math.max(0, end - cycle.window() - rewind);
        boolean overlaps = (block + 1L) * tokensPerBlock > from && (long) block * tokensPerBlock < end;
        return overlaps ? ENDPOINT : PASSING;
    }
}
