package rondo.agentx.report;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import rondo.agentx.metrics.Distribution;
import rondo.agentx.metrics.RecordMetric;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;

/** Says in words why a request was slow, as far as a client can tell. */
final class SlowReasons {
    private final double medianItl;
    private final double millisPerComputedToken;

    SlowReasons(RunSummary summary, List<RequestRecord> records) {
        this.medianItl = summary.of(RecordMetric.ITL).percentile(50);
        this.millisPerComputedToken = Distribution.of(records.stream()
                        .filter(r -> r.succeeded() && r.result().hasContent() && computed(r) > 0)
                        .mapToDouble(r -> r.ttftMillis().getAsDouble() / computed(r))
                        .toArray())
                .percentile(50);
    }

    /** The slowest successful requests, slowest first. */
    static List<RequestRecord> slowest(List<RequestRecord> records, int count) {
        return records.stream()
                .filter(r -> r.succeeded() && r.result().hasContent())
                .sorted(Comparator.comparingDouble(
                                (RequestRecord r) -> r.latencyMillis().orElse(0))
                        .reversed())
                .limit(count)
                .toList();
    }

    private static int computed(RequestRecord r) {
        return r.inputTokens() - r.result().usage().cachedTokens().orElse(0);
    }

    String of(RequestRecord r) {
        double ttft = r.ttftMillis().orElse(0);
        double decode = r.decodeMillis().orElse(0);
        if (decode >= ttft) {
            double itl = r.itlMillis().orElse(0);
            return itl > 1.5 * medianItl
                    ? format("slow decode: %.1f ms per token, the run's median is %.1f", itl, medianItl)
                    : format("long output: %d tokens at %.1f ms each", r.outputTokens(), itl);
        }
        int computed = computed(r);
        double expected = computed * millisPerComputedToken;
        long allowed = (long) r.request().what().hitBlocks()
                * r.request().play().plan().blockSize();
        int cached = r.result().usage().cachedTokens().orElse(0);
        if (r.result().usage().cachedTokens().isPresent() && allowed - cached > 0.2 * r.inputTokens()) {
            return format("lost prefix: only %d tokens came from the cache, the trace allows %d", cached, allowed);
        }
        if (ttft > 2 * expected) {
            return format(
                    "waited: %d tokens to compute usually take %s here, the first token took %s",
                    computed, Charts.millis(expected), Charts.millis(ttft));
        }
        return r.request().turn() == 0
                ? format("first prompt of a conversation: %d tokens to compute", computed)
                : format("much new input: %d tokens to compute", computed);
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
