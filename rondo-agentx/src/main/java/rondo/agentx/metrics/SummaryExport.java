package rondo.agentx.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import rondo.agentx.BenchOptions;
import rondo.agentx.BenchResult;
import rondo.base.Json;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code profile_export_aiperf.json} and {@code .csv}. */
final class SummaryExport {
    private static final double[] PERCENTILES = {1, 5, 10, 25, 50, 75, 90, 95, 99};

    private SummaryExport() {}

    /** A single value of a run. */
    private record Value(String tag, String title, String unit, double value) {}

    static ObjectNode json(BenchResult result) {
        RunSummary s = result.summary();
        ObjectNode out = Json.mapper().createObjectNode();
        out.put("schema_version", "1.5");
        out.put("benchmark_id", result.benchmarkId());
        out.put("start_time", result.started().toString());
        out.put("end_time", result.ended().toString());
        out.put("was_cancelled", result.cancelled());
        inputConfig(out.putObject("input_config"), result.options());
        runInfo(out.putObject("run_info"), result);
        ObjectNode metadata = out.putObject("metadata");
        metadata.put("context_scale", result.options().plan().scale().factor());
        result.reasons().forEach(metadata.putArray("rondo_invalid_reasons")::add);
        result.warnings().forEach(metadata.putArray("warnings")::add);
        ObjectNode dataset = metadata.putObject("dataset");
        dataset.put("source_type", "local");
        dataset.put("num_dataset_entries", result.traces());
        errors(out.putArray("error_summary"), s);
        for (RecordMetric metric : RecordMetric.values()) {
            if (!s.of(metric).isEmpty()) {
                block(out.putObject(metric.tag()), s.of(metric), metric.unit());
            }
        }
        if (!s.interChunk().isEmpty()) {
            block(out.putObject("inter_chunk_latency"), s.interChunk(), "ms");
        }
        for (Value value : values(s)) {
            ObjectNode node = out.putObject(value.tag());
            node.put("unit", value.unit());
            put(node, "avg", value.value());
            if (value.tag().equals("theoretical_prefix_cache_hit")) {
                node.put("sum", s.hitBlocks());
                node.put("count", s.totalBlocks());
            }
        }
        ObjectNode efficiency = out.putObject("cache_efficiency");
        s.cacheEfficiency().forEach(efficiency::put);
        result.cacheCheck().ifPresent(check -> {
            ObjectNode node = out.putObject("cached_check");
            node.put("ok", check.ok());
            node.put("checked", check.checked());
            check.violations().forEach(node.putArray("violations")::add);
        });
        return out;
    }

    private static void inputConfig(ObjectNode c, BenchOptions o) {
        o.target().urls().forEach(u -> c.withArray("url").add(u.toString()));
        o.target().models().forEach(c.putArray("model")::add);
        c.put("concurrency", o.concurrency());
        o.duration().ifPresent(d -> c.put("benchmark_duration", d.toMillis() / 1000.0));
        o.sessions().ifPresent(n -> c.put("sessions", n));
        c.put("benchmark_grace_period", o.grace().toMillis() / 1000.0);
        c.put("ignore_trace_delays", o.ignoreTraceDelays());
        o.interTurnDelayCapSeconds().ifPresent(v -> c.put("inter_turn_delay_cap_seconds", v));
        o.traceIdleGapCapSeconds().ifPresent(v -> c.put("trace_idle_gap_cap_seconds", v));
        o.systemIdleGapCapSeconds().ifPresent(v -> c.put("system_idle_gap_cap_seconds", v));
        c.put("cache_bust", o.cacheBust().name().toLowerCase(Locale.ROOT));
        c.put("random_seed", o.seed());
        c.put("scale_context", o.plan().scale().factor());
        o.selection().maxContextLength().ifPresent(v -> c.put("max_context_length", v));
        o.selection().maxEntries().ifPresent(v -> c.put("num_dataset_entries", v));
        o.selection().maxOutput().ifPresent(v -> c.put("synthesis_max_osl", v));
        o.selection().maxInput().ifPresent(v -> c.put("synthesis_max_isl", v));
        ObjectNode extra = c.putObject("extra_inputs");
        o.target().extraInputs().forEach(extra::set);
    }

    private static void runInfo(ObjectNode info, BenchResult result) {
        info.put("benchmark_id", result.benchmarkId());
        info.put("random_seed", result.options().seed());
        info.put("trial", 0);
        info.put("run_label", "run_0001");
        info.put("variation_label", "base");
        info.put("variation_index", 0);
        info.putObject("variation_values");
        info.put("cli_command", result.options().command());
    }

    private static void errors(ArrayNode to, RunSummary s) {
        for (RunSummary.ErrorCount error : s.errors()) {
            ObjectNode node = to.addObject();
            ObjectNode details = node.putObject("error_details");
            details.put("code", error.code());
            details.put("type", error.type());
            details.put("message", error.message());
            node.put("count", error.count());
        }
    }

    private static void block(ObjectNode node, Distribution d, String unit) {
        node.put("unit", unit);
        node.put("avg", d.mean());
        node.put("min", d.min());
        node.put("max", d.max());
        for (double p : PERCENTILES) {
            node.put("p" + (int) p, d.percentile(p));
        }
        node.put("std", d.std());
        node.put("count", d.count());
        node.put("sum", d.sum());
    }

    private static List<Value> values(RunSummary s) {
        List<Value> out = new ArrayList<>();
        out.add(new Value("request_count", "Request Count", "requests", s.requests()));
        out.add(new Value("error_request_count", "Error Request Count", "requests", s.failed()));
        out.add(new Value("context_overflow_count", "Context Overflow Count", "requests", s.overflowed()));
        out.add(new Value("cancelled_request_count", "Cancelled Request Count", "requests", s.cancelled()));
        out.add(new Value("osl_mismatch_count", "Output Length Mismatch Count", "requests", s.lengthMismatches()));
        out.add(new Value("benchmark_duration", "Benchmark Duration", "sec", s.durationSeconds()));
        out.add(new Value("request_throughput", "Request Throughput", "requests/sec", s.requestsPerSecond()));
        out.add(new Value(
                "output_token_throughput", "Output Token Throughput", "tokens/sec", s.outputTokensPerSecond()));
        out.add(new Value("total_token_throughput", "Total Token Throughput", "tokens/sec", s.totalTokensPerSecond()));
        s.measuredHitPercent()
                .ifPresent(v -> out.add(
                        new Value("overall_usage_prompt_cache_read_pct", "Overall Usage Prompt Cache Read", "%", v)));
        if (s.totalBlocks() > 0) {
            out.add(new Value(
                    "theoretical_prefix_cache_hit", "Theoretical Prefix Cache Hit", "%", s.theoreticalHitPercent()));
        }
        out.add(new Value("interactivity_p50", "Interactivity P50", "tokens/sec/user", s.interactivity(50)));
        out.add(new Value("interactivity_p90", "Interactivity P90", "tokens/sec/user", s.interactivity(90)));
        out.add(new Value(
                "e2e_norm_interactivity_p90",
                "E2E-normalised Interactivity P90",
                "tokens/sec/user",
                s.e2eInteractivity(90)));
        out.add(new Value(
                "conversation_output_speed_p10",
                "Output Speed Per Conversation P10",
                "tokens/sec",
                s.conversationSpeed().percentile(10)));
        out.add(new Value(
                "dispatch_lag_p50", "Dispatch Lag P50", "ms", s.dispatchLag().percentile(50)));
        out.add(new Value(
                "dispatch_lag_p99", "Dispatch Lag P99", "ms", s.dispatchLag().percentile(99)));
        return out;
    }

    static String csv(BenchResult result) {
        RunSummary s = result.summary();
        StringBuilder out = new StringBuilder("Metric,avg,min,max,p1,p5,p10,p25,p50,p75,p90,p95,p99,std\n");
        List<RecordMetric> metrics = new ArrayList<>(List.of(RecordMetric.values()));
        metrics.sort(Comparator.comparing(RecordMetric::tag));
        for (RecordMetric metric : metrics) {
            Distribution d = s.of(metric);
            if (d.isEmpty()) {
                continue;
            }
            out.append(title(metric.title(), metric.unit()));
            out.append(',').append(number(d.mean())).append(',').append(number(d.min()));
            out.append(',').append(number(d.max()));
            for (double p : PERCENTILES) {
                out.append(',').append(number(d.percentile(p)));
            }
            out.append(',').append(number(d.std())).append('\n');
        }
        out.append("\nMetric,Value\n");
        List<Value> values = values(s);
        values.sort(Comparator.comparing(Value::tag));
        for (Value value : values) {
            out.append(title(value.title(), value.unit())).append(',');
            out.append(number(value.value())).append('\n');
        }
        return out.toString();
    }

    private static String title(String title, String unit) {
        return unit.equals("requests") ? title : title + " (" + unit + ")";
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : String.format(Locale.ROOT, "%.2f", value);
    }

    private static void put(ObjectNode node, String key, double value) {
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            node.put(key, (long) value);
        } else if (Double.isFinite(value)) {
            node.put(key, value);
        }
    }
}
