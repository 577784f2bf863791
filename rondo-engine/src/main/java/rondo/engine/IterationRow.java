package rondo.engine;

import java.util.List;
import rondo.kv.KvStats;

/**
 * One step as it was, for those who watch it.
 *
 * @param iteration     number of the step (1, 2, …)
 * @param epochMicros   when it ended, microseconds since 1970
 * @param latencyNanos  from its plan, or the end of the step before if that was later, to its end
 * @param deviceNanos   time that the device worked on it
 * @param active        sequences admitted and unfinished when it ended; {@code queued} and {@code paused} ones wait
 * @param completed     sequences that ended with it
 * @param queueNanos    waiting time of those admitted with it, summed
 * @param sampledTokens tokens that it gave
 * @param memory        bytes
 * @param requests      rows per sequence, where they are asked for and still there
 */
public record IterationRow(
        long iteration,
        long epochMicros,
        long latencyNanos,
        long deviceNanos,
        int active,
        int queued,
        int paused,
        int completed,
        long queueNanos,
        Batch batch,
        int sampledTokens,
        Memory memory,
        KvStats kv,
        List<Request> requests) {
    public IterationRow {
        requests = List.copyOf(requests);
    }

    /** What ran: runs and tokens. */
    public record Batch(int prefillRuns, int prefillTokens, int decodeRuns, int decodeTokens) {}

    /** Bytes of the device pools, of the JVM's heap in use, and of the host pools. */
    public record Memory(long device, long heap, long pinned) {}

    /** Where a sequence stands. */
    public enum Stage {
        QUEUED,
        CONTEXT_IN_PROGRESS,
        GENERATION_IN_PROGRESS,
        GENERATION_COMPLETE
    }

    /**
     * A sequence at the end of the step.
     *
     * @param prefilled prompt tokens whose KV is there
     * @param scheduled whether it ran in this step
     * @param paused    whether it was preempted and waits to go on
     */
    public record Request(
            String id,
            Stage stage,
            int promptTokens,
            int cachedTokens,
            int prefilled,
            int generatedTokens,
            boolean scheduled,
            boolean paused,
            int preemptions) {}
}
