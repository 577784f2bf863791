package rondo.server;

import rondo.engine.TokenBatch;

/** When the stations of one generation were passed, by the engine's clock in nanoseconds; 0 = not yet. */
final class Timings {
    long arrival;
    long firstScheduled;
    long firstToken;
    long lastToken;
    int preemptions;
    /** The newest gap per token, and for how many tokens it stands; taken by the metrics. */
    private long gap;

    private int gapTokens;

    void batch(TokenBatch batch, int count) {
        arrival = batch.arrivalNanos;
        firstScheduled = batch.firstScheduledNanos;
        firstToken = batch.firstTokenNanos;
        preemptions = batch.preemptions;
        long previous = lastToken == 0 ? batch.firstTokenNanos : lastToken;
        int gaps = lastToken == 0 ? count - 1 : count;
        if (count > 0) {
            lastToken = batch.lastTokenNanos;
            if (gaps > 0) {
                gap += lastToken - previous;
                gapTokens += gaps;
            }
        }
    }

    /** Hands the gaps since the last call to the histogram. */
    void drainGaps(Histogram to) {
        if (gapTokens > 0) {
            to.record(gap / 1e9 / gapTokens, gapTokens);
            gap = 0;
            gapTokens = 0;
        }
    }
}
