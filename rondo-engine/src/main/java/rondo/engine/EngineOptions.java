package rondo.engine;

import rondo.base.UserError;
import rondo.engine.spi.StepLimits;

/**
 * How the engine schedules; the names of the YAML keys stand beside each component.
 *
 * @param maxBatchSize     {@code max_batch_size}: sequences active at once, and runs of one step
 * @param maxNumTokens     {@code max_num_tokens}: tokens of one step
 * @param maxSeqLen        {@code max_seq_len}, the effective value: prompt and output of one sequence, in tokens
 * @param chunkedPrefill   {@code enable_chunked_prefill}
 * @param capacity         {@code scheduler_config.capacity_scheduler_policy}
 * @param chunking         {@code scheduler_config.context_chunking_policy}
 * @param queueOrder       {@code scheduler_config.waiting_queue_policy}
 * @param prefixAware      {@code scheduler_config.enable_prefix_aware_scheduling}; pays only with the reuse policy
 *     {@code all_reusable}, so give false with any other
 * @param overlap          the opposite of {@code disable_overlap_scheduler}
 * @param preemption       {@code rondo.preemption}
 * @param maxQueueSize     {@code rondo.max_queue_size}: waiting requests
 * @param maxQueuedTokens  {@code rondo.max_queued_tokens}: prompt tokens of waiting requests
 * @param queueTimeoutMillis {@code rondo.queue_timeout_ms}; 0 = none
 * @param requestTimeoutMillis {@code rondo.request_timeout_ms}; 0 = none
 * @param printIterLog     {@code print_iter_log}: one log line per step
 * @param starvationMillis {@code rondo.starvation_ms}: nothing younger is admitted once the oldest has waited so long
 * @param statistics       what is kept of every step
 * @param batchWaitMicros  {@code batch_wait_timeout_ms}: how long new requests wait for others to begin with; 0 = not at
 *     all
 */
public record EngineOptions(
        int maxBatchSize,
        int maxNumTokens,
        int maxSeqLen,
        boolean chunkedPrefill,
        Capacity capacity,
        Chunking chunking,
        QueueOrder queueOrder,
        boolean prefixAware,
        boolean overlap,
        Preemption preemption,
        int maxQueueSize,
        long maxQueuedTokens,
        long queueTimeoutMillis,
        long requestTimeoutMillis,
        boolean printIterLog,
        long starvationMillis,
        Statistics statistics,
        long batchWaitMicros) {
    /**
     * What is kept of every step until it is read.
     *
     * @param rows       {@code max_stats_len}: steps; -1 = all
     * @param requests   {@code enable_iter_req_stats}: also a row per sequence
     * @param kvInterval {@code kv_cache_config.iteration_stats_interval}: steps between two looks at the cache
     */
    public record Statistics(int rows, boolean requests, int kvInterval) {
        public Statistics {
            if (rows < -1) {
                throw new UserError(UserError.USAGE, "config: max_stats_len must be >= -1, got " + rows);
            }
            atLeastOne("kv_cache_config.iteration_stats_interval", kvInterval);
        }

        public static Statistics defaults() {
            return new Statistics(1000, false, 1);
        }
    }

    /** When a waiting sequence may begin. */
    public enum Capacity {
        /** As soon as its next chunk fits; a full pool pauses the youngest. */
        MAX_UTILIZATION,
        /** Only when all of it fits to its end. */
        GUARANTEED_NO_EVICT
    }

    /** How several prefills share a step. */
    public enum Chunking {
        FIRST_COME_FIRST_SERVED,
        EQUAL_PROGRESS
    }

    /** In which order sequences are served. */
    public enum QueueOrder {
        FCFS,
        /** Higher {@link GenerationRequest#priority} first, then by arrival. */
        PRIORITY
    }

    /** What happens to the youngest when pages run out. */
    public enum Preemption {
        /** To the host where there is room, else recompute. */
        AUTO,
        RECOMPUTE,
        OFFLOAD
    }

    public EngineOptions {
        atLeastOne("max_batch_size", maxBatchSize);
        atLeastOne("max_num_tokens", maxNumTokens);
        atLeastOne("rondo.max_queue_size", maxQueueSize);
        atLeastOne("rondo.max_queued_tokens", maxQueuedTokens);
        if (maxSeqLen < 2) {
            throw new UserError(UserError.USAGE, "config: max_seq_len must be >= 2, got " + maxSeqLen);
        }
        notNegative("rondo.queue_timeout_ms", queueTimeoutMillis);
        notNegative("rondo.request_timeout_ms", requestTimeoutMillis);
        notNegative("rondo.starvation_ms", starvationMillis);
        notNegative("batch_wait_timeout_ms", batchWaitMicros);
    }

    /** The usual settings: chunked prefill, first come first served, one step at a time, preemption by recompute. */
    public static EngineOptions of(int maxBatchSize, int maxNumTokens, int maxSeqLen) {
        return new Draft(maxBatchSize, maxNumTokens, maxSeqLen).done();
    }

    public EngineOptions withChunkedPrefill(boolean on) {
        Draft draft = new Draft(this);
        draft.chunkedPrefill = on;
        return draft.done();
    }

    public EngineOptions withOverlap(boolean on) {
        Draft draft = new Draft(this);
        draft.overlap = on;
        return draft.done();
    }

    public EngineOptions withPreemption(Preemption how) {
        Draft draft = new Draft(this);
        draft.preemption = how;
        return draft.done();
    }

    public EngineOptions withQueue(QueueOrder order, int size, long tokens) {
        Draft draft = new Draft(this);
        draft.queueOrder = order;
        draft.maxQueueSize = size;
        draft.maxQueuedTokens = tokens;
        return draft.done();
    }

    public EngineOptions withPrefixAware(boolean on) {
        Draft draft = new Draft(this);
        draft.prefixAware = on;
        return draft.done();
    }

    /** Milliseconds; 0 = none. */
    public EngineOptions withTimeouts(long queueMillis, long requestMillis) {
        Draft draft = new Draft(this);
        draft.queueTimeoutMillis = queueMillis;
        draft.requestTimeoutMillis = requestMillis;
        return draft.done();
    }

    public EngineOptions withIterLog(boolean on) {
        Draft draft = new Draft(this);
        draft.printIterLog = on;
        return draft.done();
    }

    public EngineOptions withPolicies(Capacity capacity, Chunking chunking) {
        Draft draft = new Draft(this);
        draft.capacity = capacity;
        draft.chunking = chunking;
        return draft.done();
    }

    /** Milliseconds. */
    public EngineOptions withStarvation(long millis) {
        Draft draft = new Draft(this);
        draft.starvationMillis = millis;
        return draft.done();
    }

    public EngineOptions withStatistics(Statistics statistics) {
        Draft draft = new Draft(this);
        draft.statistics = statistics;
        return draft.done();
    }

    /** Microseconds; 0 = none. */
    public EngineOptions withBatchWait(long micros) {
        Draft draft = new Draft(this);
        draft.batchWaitMicros = micros;
        return draft.done();
    }

    /** The options while one of them changes. */
    private static final class Draft {
        private final int maxBatchSize;
        private final int maxNumTokens;
        private final int maxSeqLen;
        private boolean chunkedPrefill = true;
        private Capacity capacity = Capacity.MAX_UTILIZATION;
        private Chunking chunking = Chunking.FIRST_COME_FIRST_SERVED;
        private QueueOrder queueOrder = QueueOrder.FCFS;
        private boolean prefixAware = true;
        private boolean overlap;
        private Preemption preemption = Preemption.AUTO;
        private int maxQueueSize = 1024;
        private long maxQueuedTokens;
        private long queueTimeoutMillis;
        private long requestTimeoutMillis;
        private boolean printIterLog;
        private long starvationMillis = 10_000;
        private Statistics statistics = Statistics.defaults();
        private long batchWaitMicros;

        Draft(int maxBatchSize, int maxNumTokens, int maxSeqLen) {
            this.maxBatchSize = maxBatchSize;
            this.maxNumTokens = maxNumTokens;
            this.maxSeqLen = maxSeqLen;
            this.maxQueuedTokens = 64L * maxSeqLen;
        }

        Draft(EngineOptions o) {
            this(o.maxBatchSize, o.maxNumTokens, o.maxSeqLen);
            chunkedPrefill = o.chunkedPrefill;
            capacity = o.capacity;
            chunking = o.chunking;
            queueOrder = o.queueOrder;
            prefixAware = o.prefixAware;
            overlap = o.overlap;
            preemption = o.preemption;
            maxQueueSize = o.maxQueueSize;
            maxQueuedTokens = o.maxQueuedTokens;
            queueTimeoutMillis = o.queueTimeoutMillis;
            requestTimeoutMillis = o.requestTimeoutMillis;
            printIterLog = o.printIterLog;
            starvationMillis = o.starvationMillis;
            statistics = o.statistics;
            batchWaitMicros = o.batchWaitMicros;
        }

        EngineOptions done() {
            return new EngineOptions(
                    maxBatchSize,
                    maxNumTokens,
                    maxSeqLen,
                    chunkedPrefill,
                    capacity,
                    chunking,
                    queueOrder,
                    prefixAware,
                    overlap,
                    preemption,
                    maxQueueSize,
                    maxQueuedTokens,
                    queueTimeoutMillis,
                    requestTimeoutMillis,
                    printIterLog,
                    starvationMillis,
                    statistics,
                    batchWaitMicros);
        }
    }

    /** The largest step that the engine will plan: with it the executor is opened. One row per run: nobody drafts. */
    public StepLimits limits() {
        // A row is the last token of a run, so a step has no more rows than tokens.
        return new StepLimits(maxBatchSize, maxNumTokens, Math.min(maxBatchSize, maxNumTokens), maxSeqLen);
    }

    private static void atLeastOne(String key, long value) {
        if (value < 1) {
            throw new UserError(UserError.USAGE, "config: " + key + " must be >= 1, got " + value);
        }
    }

    private static void notNegative(String key, long value) {
        if (value < 0) {
            throw new UserError(UserError.USAGE, "config: " + key + " must be >= 0, got " + value);
        }
    }
}
