package rondo.engine;

import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line per step in the spelling of trtllm-serve's {@code print_iter_log}, so that its parsers read ours. */
final class IterationLog {
    private static final Logger LOG = LoggerFactory.getLogger(IterationLog.class);
    private static final DateTimeFormatter STAMP =
            DateTimeFormatter.ofPattern("MM-dd-yyyy HH:mm:ss").withZone(ZoneId.systemDefault());

    private final boolean on;
    private final Clock clock = Clock.systemUTC();
    private long previousDeviceNanos;
    private int prefillRuns;
    private int prefillTokens;
    private int decodeTokens;

    IterationLog(boolean on) {
        this.on = on;
    }

    /** Before the step: what its runs are. */
    void planned(SequenceList runs) {
        if (!on) {
            return;
        }
        prefillRuns = 0;
        prefillTokens = 0;
        decodeTokens = 0;
        for (int i = 0; i < runs.size(); i++) {
            Sequence s = runs.get(i);
            if (s.state == Sequence.State.DECODE) {
                decodeTokens += s.planned;
            } else {
                prefillRuns++;
                prefillTokens += s.planned;
            }
        }
    }

    /** After the step. */
    void done(long step, int runs, int waiting, int active, double utilisation, long hostNanos, long deviceNanos) {
        if (!on) {
            return;
        }
        LOG.info(String.format(
                Locale.ROOT,
                "iter = %d, global_rank = 0, rank = 0, num_scheduled_requests = %d, kv_cache_util = %.3f,"
                        + " currank_total_requests = %d/%d, host_step_time = %.1fms, prev_device_step_time = %.1fms,"
                        + " timestamp = %s, states = {'num_ctx_requests': %d, 'num_ctx_tokens': %d,"
                        + " 'num_generation_tokens': %d}",
                step,
                runs,
                utilisation,
                waiting,
                active,
                hostNanos / 1e6,
                previousDeviceNanos / 1e6,
                STAMP.format(clock.instant()),
                prefillRuns,
                prefillTokens,
                decodeTokens));
        previousDeviceNanos = deviceNanos;
    }
}
