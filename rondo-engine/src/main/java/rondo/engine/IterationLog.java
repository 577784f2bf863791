package rondo.engine;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.kv.KvNumbers;

/** One line per step in the spelling of trtllm-serve's {@code print_iter_log}, so that its parsers read ours. */
final class IterationLog {
    private static final Logger LOG = LoggerFactory.getLogger(IterationLog.class);

    private final boolean on;
    private final int lifeCycles;
    private final DateTimeFormatter stamp =
            DateTimeFormatter.ofPattern("MM-dd-yyyy HH:mm:ss").withZone(ZoneId.systemDefault());

    IterationLog(boolean on, int lifeCycles) {
        this.on = on;
        this.lifeCycles = lifeCycles;
    }

    /** After a step; the row is that of {@link StepStats}. */
    void line(long[] row) {
        if (on) {
            LOG.info(text(row));
        }
    }

    /** Waiting ones before the slash of {@code currank_total_requests}, active ones behind it. */
    String text(long[] row) {
        double utilisation = KvNumbers.stats(row, StepStats.KV, lifeCycles).utilisation();
        return String.format(
                Locale.ROOT,
                "iter = %d, global_rank = 0, rank = 0, num_scheduled_requests = %d, kv_cache_util = %s,"
                        + " currank_total_requests = %d/%d, host_step_time = %sms, prev_device_step_time = %sms,"
                        + " timestamp = %s, states = {'num_ctx_requests': %d, 'num_ctx_tokens': %d,"
                        + " 'num_generation_tokens': %d}",
                row[StepStats.STEP],
                row[StepStats.PREFILL_RUNS] + row[StepStats.DECODE_RUNS],
                rounded(utilisation),
                row[StepStats.QUEUED] + row[StepStats.PAUSED],
                row[StepStats.ACTIVE],
                rounded(row[StepStats.LATENCY] / 1e6),
                rounded(row[StepStats.DEVICE_BEFORE] / 1e6),
                stamp.format(Instant.ofEpochMilli(row[StepStats.EPOCH_MICROS] / 1000)),
                row[StepStats.PREFILL_RUNS],
                row[StepStats.PREFILL_TOKENS],
                row[StepStats.DECODE_TOKENS]);
    }

    /** As Python prints a float: 0.1, 7.4, 0.0; never more than three decimals. */
    private static String rounded(double value) {
        return Double.toString(Math.round(value * 1000) / 1000.0);
    }
}
