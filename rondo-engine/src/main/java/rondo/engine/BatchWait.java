package rondo.engine;

/**
 * Holds new requests back for a moment, so that more of them begin in one step; who runs is not held up. Nothing is held
 * that would not be helped by waiting: when a batch or a step is full of them, or one was paused and comes back.
 */
final class BatchWait {
    private final long nanos;
    private final int maxBatchSize;
    private final int maxNumTokens;
    private final SequenceList active;
    private final SequenceList waiting;

    BatchWait(EngineOptions options, SequenceList active, SequenceList waiting) {
        this.nanos = options.batchWaitMicros() * 1_000;
        this.maxBatchSize = options.maxBatchSize();
        this.maxNumTokens = options.maxNumTokens();
        this.active = active;
        this.waiting = waiting;
    }

    /** Nanoseconds for which those that wait are still held; 0 = they may begin. */
    long left(long now) {
        if (nanos == 0 || waiting.isEmpty() || active.size() + waiting.size() >= maxBatchSize) {
            return 0;
        }
        long tokens = 0;
        long oldest = Long.MAX_VALUE;
        for (int i = 0; i < waiting.size(); i++) {
            Sequence s = waiting.get(i);
            tokens += s.promptTokens();
            oldest = i == 0 || s.waitingSince - oldest < 0 ? s.waitingSince : oldest;
            if (!s.queued || tokens >= maxNumTokens) {
                return 0;
            }
        }
        return Math.max(0, oldest + nanos - now);
    }
}
