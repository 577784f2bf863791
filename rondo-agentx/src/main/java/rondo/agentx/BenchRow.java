package rondo.agentx;

import java.util.OptionalDouble;
import rondo.agentx.metrics.RecordMetric;
import rondo.agentx.metrics.RunSummary;
import rondo.base.Json;
import tools.jackson.databind.node.ObjectNode;

/**
 * The columns that people in this field read, one row per run.
 *
 * @param totalTokensPerSecond      cached input included
 * @param outputSpeedP90            tokens per second; the fast tail
 * @param hitsServerPercent         absent where the server reports none
 * @param failedRequests            context overflows included
 */
public record BenchRow(
        int sessions,
        double totalTokensPerSecond,
        double outputTokensPerSecond,
        double outputSpeedP50,
        double outputSpeedP90,
        double ttftP50Seconds,
        double ttftP90Seconds,
        double ttftP99Seconds,
        double itlP50Millis,
        OptionalDouble hitsServerPercent,
        double hitsTheoreticalPercent,
        int requests,
        int failedRequests,
        double durationSeconds) {

    static BenchRow of(BenchResult result) {
        RunSummary s = result.summary();
        return new BenchRow(
                result.options().concurrency(),
                s.totalTokensPerSecond(),
                s.outputTokensPerSecond(),
                s.speed(50),
                s.speed(90),
                s.of(RecordMetric.TTFT).percentile(50) / 1000,
                s.of(RecordMetric.TTFT).percentile(90) / 1000,
                s.of(RecordMetric.TTFT).percentile(99) / 1000,
                s.of(RecordMetric.ITL).percentile(50),
                s.measuredHitPercent(),
                s.theoreticalHitPercent(),
                s.requests(),
                s.failed() + s.overflowed(),
                s.durationSeconds());
    }

    /** The row as JSON, keys in snake case. */
    public ObjectNode json() {
        ObjectNode out = Json.mapper().createObjectNode();
        out.put("sessions", sessions);
        out.put("total_tokens_per_s", totalTokensPerSecond);
        out.put("output_tokens_per_s", outputTokensPerSecond);
        out.put("output_speed_per_session_p50", outputSpeedP50);
        out.put("output_speed_per_session_p90", outputSpeedP90);
        out.put("ttft_p50_s", ttftP50Seconds);
        out.put("ttft_p90_s", ttftP90Seconds);
        out.put("ttft_p99_s", ttftP99Seconds);
        out.put("itl_p50_ms", itlP50Millis);
        if (hitsServerPercent.isPresent()) {
            out.put("prefix_cache_hits_server_pct", hitsServerPercent.getAsDouble());
        } else {
            out.putNull("prefix_cache_hits_server_pct");
        }
        out.put("prefix_cache_hits_theoretical_pct", hitsTheoreticalPercent);
        out.put("requests", requests);
        out.put("failed_requests", failedRequests);
        out.put("duration_s", durationSeconds);
        return out;
    }
}
