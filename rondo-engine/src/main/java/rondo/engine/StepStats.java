package rondo.engine;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;
import rondo.kv.KvCache;
import rondo.kv.KvLayout;
import rondo.kv.KvNumbers;
import rondo.kv.KvStats;
import rondo.kv.Tier;

/**
 * Notes what every step was: a row for those who watch, histograms, the log line. The engine thread writes numbers into
 * arrays that are there; objects are made by whoever reads.
 */
final class StepStats {
    private static final Logger LOG = LoggerFactory.getLogger(StepStats.class);

    // Columns of a row; the cache's numbers follow from KV on.
    static final int STEP = 0;
    static final int EPOCH_MICROS = 1;
    static final int LATENCY = 2;
    static final int DEVICE = 3;
    static final int DEVICE_BEFORE = 4;
    static final int ACTIVE = 5;
    static final int QUEUED = 6;
    static final int PAUSED = 7;
    static final int COMPLETED = 8;
    static final int QUEUE_NANOS = 9;
    static final int PREFILL_RUNS = 10;
    static final int PREFILL_TOKENS = 11;
    static final int DECODE_RUNS = 12;
    static final int DECODE_TOKENS = 13;
    static final int SAMPLED = 14;
    static final int HEAP = 15;
    private static final int FIRST_REQUEST = 16;
    private static final int REQUESTS = 17;
    static final int KV = 18;

    // Columns of a sequence's row; its label is the request's id.
    private static final int STAGE = 0;
    private static final int PROMPT = 1;
    private static final int CACHED = 2;
    private static final int PREFILLED = 3;
    private static final int GENERATED = 4;
    private static final int SCHEDULED = 5;
    private static final int IS_PAUSED = 6;
    private static final int PREEMPTIONS = 7;
    private static final int REQUEST_WIDTH = 8;

    private static final IterationRow.Stage[] STAGES = IterationRow.Stage.values();
    /** Rows per sequence are kept for at most so many. */
    private static final int MOST_REQUEST_ROWS = 1 << 18;

    private final EngineOptions.Statistics options;
    private final KvCache kv;
    private final Scheduler scheduler;
    private final Counters counters;
    private final int lifeCycles;
    private final List<Long> pageBytes;
    private final long epochMicros;

    private final RowRing rows;
    private final RowRing requestRows;
    private final NumberBoard kvBoard;
    private final KvNumbers kvNumbers;
    private final IterationLog log;

    final StepHistogram planNanos = StepHistogram.ofNanos();
    final StepHistogram deviceNanos = StepHistogram.ofNanos();
    final StepHistogram sampleNanos = StepHistogram.ofNanos();
    final StepHistogram prefillTokens = StepHistogram.ofTokens();
    final StepHistogram decodeTokens = StepHistogram.ofTokens();

    private final long[] scratch;
    private final long[] kvRow;
    private final long[] requestRow = new long[REQUEST_WIDTH];
    private final SequenceList ended = new SequenceList(false);
    private boolean collisionTold;
    private long previousEnd;
    private long previousDevice;
    private long endedBefore;
    private long queuedBefore;
    private long sampledBefore;

    StepStats(
            EngineOptions options,
            KvLayout layout,
            KvCache kv,
            Scheduler scheduler,
            Counters counters,
            TimeSource time) {
        this.options = options.statistics();
        this.kv = kv;
        this.scheduler = scheduler;
        this.counters = counters;
        lifeCycles = layout.lifeCycles().size();
        pageBytes = layout.pageBytes();
        epochMicros = System.currentTimeMillis() * 1000 - time.nanoTime() / 1000;
        int width = KV + KvNumbers.width(lifeCycles);
        scratch = new long[width];
        kvRow = new long[KvNumbers.width(lifeCycles)];
        kvNumbers = new KvNumbers(lifeCycles);
        kvBoard = new NumberBoard(kvRow.length);
        int keep = this.options.rows();
        rows = new RowRing(width, keep, false);
        requestRows = new RowRing(REQUEST_WIDTH, requestKeep(options, keep), true);
        log = new IterationLog(options.printIterLog(), lifeCycles);
        refreshKv();
    }

    private static int requestKeep(EngineOptions options, int keep) {
        if (!options.statistics().requests()) {
            return 1;
        }
        return keep < 0 ? keep : (int) Math.min(MOST_REQUEST_ROWS, Math.max(4L * options.maxBatchSize(), 64L * keep));
    }

    // ---- engine thread

    /** A step was planned and submitted. */
    void submitted(Flight f, long now) {
        for (int i = 0; i < f.runs.size(); i++) {
            Sequence s = f.runs.get(i);
            s.ranBefore = s.ranIn;
            s.ranIn = f.step;
        }
        planNanos.record(now - f.begunNanos);
        prefillTokens.record(f.prefillTokens);
        decodeTokens.record(f.decodeTokens);
    }

    /** A step was awaited and its results applied. */
    void completed(Flight f, long now) {
        long step = f.step;
        deviceNanos.record(f.deviceNanos);
        sampleNanos.record(f.hostNanos);
        long[] row = scratch;
        row[STEP] = step;
        row[EPOCH_MICROS] = epochMicros + now / 1000;
        row[LATENCY] = now - Math.max(previousEnd, f.begunNanos);
        previousEnd = now;
        row[DEVICE] = f.deviceNanos;
        row[DEVICE_BEFORE] = previousDevice;
        previousDevice = f.deviceNanos;
        row[ACTIVE] = scheduler.active.size();
        row[PAUSED] = scheduler.paused();
        row[QUEUED] = scheduler.waiting.size() - scheduler.waitingAgain();
        long endedNow =
                counters.get(Counters.FINISHED) + counters.get(Counters.CANCELLED) + counters.get(Counters.FAILED);
        row[COMPLETED] = endedNow - endedBefore;
        endedBefore = endedNow;
        row[QUEUE_NANOS] = scheduler.admissions.queueNanos - queuedBefore;
        queuedBefore = scheduler.admissions.queueNanos;
        long sampled = counters.get(Counters.GENERATED_TOKENS);
        row[SAMPLED] = sampled - sampledBefore;
        sampledBefore = sampled;
        row[PREFILL_RUNS] = f.prefillRuns;
        row[PREFILL_TOKENS] = f.prefillTokens;
        row[DECODE_RUNS] = f.runs.size() - f.prefillRuns;
        row[DECODE_TOKENS] = f.decodeTokens;
        Runtime jvm = Runtime.getRuntime();
        row[HEAP] = jvm.totalMemory() - jvm.freeMemory();
        if (step % options.kvInterval() == 0) {
            refreshKv();
        }
        System.arraycopy(kvRow, 0, row, KV, kvRow.length);
        row[FIRST_REQUEST] = requestRows.next();
        if (options.requests()) {
            addRequests(step);
        }
        row[REQUESTS] = requestRows.next() - row[FIRST_REQUEST];
        rows.add(row, null);
        if (f.runs.isEmpty()) {
            // Such a step only waits for copies.
            counters.add(Counters.COPY_WAIT_NANOS, now - f.begunNanos);
        } else {
            log.line(row);
        }
    }

    /** A sequence has ended; the row of the step says so. */
    void ended(Sequence s) {
        if (options.requests()) {
            ended.add(s);
        }
    }

    /** Publishes the cache's numbers. */
    void refreshKv() {
        kv.stats(kvNumbers);
        if (kvNumbers.keyCollisions() > 0 && !collisionTold) {
            collisionTold = true;
            LOG.warn(
                    "a 256-bit key of the KV cache stood for other tokens than those looked up; the tokens decide, so no"
                            + " answer is wrong: key_collisions={}",
                    kvNumbers.keyCollisions());
        }
        kvNumbers.copyTo(kvRow, 0);
        kvBoard.post(kvRow);
    }

    private void addRequests(long step) {
        for (int i = 0; i < ended.size(); i++) {
            add(ended.get(i), IterationRow.Stage.GENERATION_COMPLETE, step);
        }
        ended.clear();
        for (int i = 0; i < scheduler.active.size(); i++) {
            Sequence s = scheduler.active.get(i);
            add(
                    s,
                    s.state == Sequence.State.PREFILL || s.suspendedFrom == Sequence.State.PREFILL && suspended(s)
                            ? IterationRow.Stage.CONTEXT_IN_PROGRESS
                            : IterationRow.Stage.GENERATION_IN_PROGRESS,
                    step);
        }
        int first = Math.min(scheduler.waiting.size(), scheduler.active.size() + 64);
        for (int i = 0; i < first; i++) {
            add(scheduler.waiting.get(i), IterationRow.Stage.QUEUED, step);
        }
    }

    private void add(Sequence s, IterationRow.Stage stage, long step) {
        long[] row = requestRow;
        row[STAGE] = stage.ordinal();
        row[PROMPT] = s.promptTokens();
        row[CACHED] = s.cachedTokens;
        row[PREFILLED] = stage == IterationRow.Stage.QUEUED ? 0 : Math.min(s.history, s.promptTokens());
        row[GENERATED] = s.keys.outputTokens();
        row[SCHEDULED] = s.ranIn == step || s.ranBefore == step ? 1 : 0;
        row[IS_PAUSED] = suspended(s) || stage == IterationRow.Stage.QUEUED && s.preemptions > 0 ? 1 : 0;
        row[PREEMPTIONS] = s.preemptions;
        requestRows.add(row, s.request.id());
    }

    private static boolean suspended(Sequence s) {
        return s.state == Sequence.State.SUSPENDED;
    }

    // ---- any thread

    KvStats kvStats() {
        return KvNumbers.stats(kvBoard.read(), 0, lifeCycles);
    }

    EngineStats.Steps steps() {
        return new EngineStats.Steps(
                planNanos.snapshot(),
                deviceNanos.snapshot(),
                sampleNanos.snapshot(),
                prefillTokens.snapshot(),
                decodeTokens.snapshot());
    }

    /** The steps since the last call that are still there, oldest first. */
    List<IterationRow> drain() {
        List<IterationRow> out = new ArrayList<>();
        for (RowRing.Row row : rows.drain()) {
            out.add(read(row.values()));
        }
        return out;
    }

    private IterationRow read(long[] row) {
        KvStats kvStats = KvNumbers.stats(row, KV, lifeCycles);
        List<IterationRow.Request> requests = new ArrayList<>();
        for (RowRing.Row r : requestRows.range(row[FIRST_REQUEST], row[FIRST_REQUEST] + row[REQUESTS])) {
            requests.add(request(r));
        }
        return new IterationRow(
                row[STEP],
                row[EPOCH_MICROS],
                row[LATENCY],
                row[DEVICE],
                (int) row[ACTIVE],
                (int) row[QUEUED],
                (int) row[PAUSED],
                (int) row[COMPLETED],
                row[QUEUE_NANOS],
                new IterationRow.Batch((int) row[PREFILL_RUNS], (int) row[PREFILL_TOKENS], (int) row[DECODE_RUNS], (int)
                        row[DECODE_TOKENS]),
                (int) row[SAMPLED],
                new IterationRow.Memory(bytes(kvStats, Tier.DEVICE), row[HEAP], bytes(kvStats, Tier.HOST)),
                kvStats,
                requests);
    }

    private static IterationRow.Request request(RowRing.Row r) {
        long[] row = r.values();
        return new IterationRow.Request(
                r.label().toString(),
                STAGES[(int) row[STAGE]],
                (int) row[PROMPT],
                (int) row[CACHED],
                (int) row[PREFILLED],
                (int) row[GENERATED],
                row[SCHEDULED] != 0,
                row[IS_PAUSED] != 0,
                (int) row[PREEMPTIONS]);
    }

    private long bytes(KvStats stats, Tier tier) {
        long sum = 0;
        for (KvStats.Pool pool : stats.pools()) {
            sum += pool.tier() == tier ? pool.total() * pageBytes.get(pool.lifeCycle()) : 0;
        }
        return sum;
    }
}
