package rondo.agentx.metrics;

import rondo.agentx.BenchResult;
import rondo.base.Json;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo_point.json}: what a sweep needs to know of a run (agentx-protocol.md §9). */
final class PointExport {
    private PointExport() {}

    static ObjectNode json(BenchResult result) {
        RunSummary s = result.summary();
        ObjectNode out = Json.mapper().createObjectNode();
        out.put("concurrency", result.options().concurrency());
        out.put("gpus", result.options().gpus());
        out.put("valid", result.reasons().isEmpty());
        result.reasons().forEach(out.putArray("reasons")::add);
        out.put("total_tps", s.totalTokensPerSecond());
        out.put("total_tps_per_gpu", s.totalTokensPerSecond() / result.options().gpus());
        out.put("output_tps", s.outputTokensPerSecond());
        seconds(out.putObject("ttft_s"), s.of(RecordMetric.TTFT));
        seconds(out.putObject("itl_s"), s.of(RecordMetric.ITL));
        ObjectNode speed = out.putObject("speed");
        speed.put("p50", s.speed(50));
        speed.put("p90", s.speed(90));
        ObjectNode interactivity = out.putObject("intvty");
        interactivity.put("p50", s.interactivity(50));
        interactivity.put("p90", s.interactivity(90));
        ObjectNode e2e = out.putObject("e2e_norm_intvty");
        e2e.put("p50", s.e2eInteractivity(50));
        e2e.put("p90", s.e2eInteractivity(90));
        out.put("quick", false);
        ObjectNode cache = out.putObject("cache");
        s.measuredHitPercent().ifPresent(v -> cache.put("measured_pct", v));
        cache.put("theoretical_pct", s.theoreticalHitPercent());
        out.put("requests", s.requests());
        out.put("errors", s.failed());
        out.put("overflow", s.overflowed());
        out.put("osl_mismatch", s.lengthMismatches());
        result.options().duration().ifPresent(d -> coverage(out.putObject("coverage"), result, d.toNanos() / 1e9));
        ObjectNode idle = out.putObject("idle");
        idle.put("tree_jumps", result.idle().treeJumps());
        idle.put("tree_s", result.idle().treeSeconds());
        idle.put("system_jumps", result.idle().systemJumps());
        idle.put("system_s", result.idle().systemSeconds());
        ObjectNode lag = out.putObject("dispatch_lag_ms");
        lag.put("p50", s.dispatchLag().percentile(50));
        lag.put("p99", s.dispatchLag().percentile(99));
        out.set("row", result.row().json());
        return out;
    }

    /** How far into the configured duration tokens were seen (agentx-protocol.md §7.4). */
    private static void coverage(ObjectNode to, BenchResult result, double seconds) {
        double ttft = 0;
        double itl = 0;
        double content = 0;
        for (RequestRecord r : result.records()) {
            if (r.result().hasContent()) {
                double last = result.seconds(r.result().lastContent());
                content = Math.max(content, last);
                if (r.succeeded()) {
                    ttft = Math.max(ttft, result.seconds(r.result().firstContent()));
                    itl = r.itlMillis().isPresent() ? Math.max(itl, last) : itl;
                }
            }
        }
        to.put("ttft_ratio", Math.clamp(ttft / seconds, 0, 1));
        to.put("inter_token_latency_ratio", Math.clamp(itl / seconds, 0, 1));
        to.put("streaming_content_ratio", Math.clamp(content / seconds, 0, 1));
    }

    private static void seconds(ObjectNode to, Distribution millis) {
        to.put("p50", millis.percentile(50) / 1000);
        to.put("p90", millis.percentile(90) / 1000);
        to.put("p95", millis.percentile(95) / 1000);
    }
}
