package rondo.engine;

import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.kv.KvStats;

/** One line per step in the spelling of trtllm-serve's {@code print_iter_log}, so that its parsers read ours. */
final class IterationLog {
    private static final Logger LOG = LoggerFactory.getLogger(IterationLog.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("MM-dd-yyyy HH:mm:ss").withZone(ZoneId.systemDefault());

    private final boolean on;
    private final Clock clock = Clock.systemUTC();
    private long previousDeviceNanos;

    IterationLog(boolean on) {
        this.on = on;
    }

    /** After the step. */
    void done(Flight f, int waiting, int active, KvStats kv, long hostNanos, long deviceNanos) {
        if (!on) {
            return;
        }
        LOG.info(String.format(
                Locale.ROOT,
                "iter = %d, global_rank = 0, rank = 0, num_scheduled_requests = %d, kv_cache_util = %.3f,"
                        + " currank_total_requests = %d/%d, host_step_time = %.1fms, prev_device_step_time = %.1fms,"
                        + " timestamp = %s, states = {'num_ctx_requests': %d, 'num_ctx_tokens': %d,"
                        + " 'num_generation_tokens': %d}",
                f.step,
                f.runs.size(),
                kv.utilisation(),
                waiting,
                active,
                hostNanos / 1e6,
                previousDeviceNanos / 1e6,
                STAMP.format(clock.instant()),
                f.prefillRuns,
                f.prefillTokens,
                f.decodeTokens));
        previousDeviceNanos = deviceNanos;
    }
}
