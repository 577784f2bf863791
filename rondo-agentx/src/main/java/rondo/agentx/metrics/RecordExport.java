package rondo.agentx.metrics;

import java.util.OptionalDouble;
import rondo.agentx.BenchResult;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.ConversationKind;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;
import rondo.base.Json;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code profile_export.jsonl}: one line per request; times are nanoseconds since 1970. */
final class RecordExport {
    private RecordExport() {}

    static String jsonl(BenchResult result) {
        StringBuilder out = new StringBuilder();
        int index = 0;
        for (RequestRecord record : result.records()) {
            ObjectNode line = Json.mapper().createObjectNode();
            metadata(line.putObject("metadata"), record, result, index++);
            metrics(line.putObject("metrics"), record);
            error(line, record.result().outcome());
            out.append(Json.mapper().writeValueAsString(line)).append('\n');
        }
        return out.toString();
    }

    private static void metadata(ObjectNode m, RequestRecord record, BenchResult result, int index) {
        TurnResult r = record.result();
        TurnRequest q = r.request();
        Conversation c = q.stream();
        m.put("session_num", q.play().number());
        m.put("x_request_id", q.requestId());
        m.put("x_correlation_id", q.correlationId());
        m.put("conversation_id", c.id());
        m.put("turn_index", q.turn());
        m.put("source_trace_id", q.play().plan().traceId());
        m.put("source_outer_idx", q.what().outer());
        if (q.what().inner() >= 0) {
            m.put("source_inner_idx", q.what().inner());
        }
        m.put("source_kind", sourceKind(c.kind()));
        m.put("credit_issued_ns", result.epochNanos(r.due()));
        m.put("request_start_ns", result.epochNanos(r.start()));
        if (r.headers() != 0) {
            m.put("request_ack_ns", result.epochNanos(r.headers()));
        }
        m.put("request_end_ns", result.epochNanos(r.end()));
        m.put("worker_id", "worker_0");
        m.put("record_processor_id", "record_processor_0");
        m.put("benchmark_phase", "profiling");
        m.put("phase_index", 0);
        m.put("profiling_index", index);
        m.put("phase_name", "profiling");
        m.put("phase_kind", "profiling");
        boolean cancelled = r.outcome() instanceof Outcome.Cancelled;
        m.put("was_cancelled", cancelled);
        if (cancelled) {
            m.put("cancellation_time_ns", result.epochNanos(r.end()));
        }
        m.put("context_overflow_skip", r.outcome() instanceof Outcome.Overflow);
        m.put("agent_depth", c.isRoot() ? 0 : 1);
        if (!c.isRoot()) {
            m.put("parent_correlation_id", q.play().rootCorrelationId());
        }
        m.put("root_correlation_id", q.play().rootCorrelationId());
        m.put("lane", q.play().lane());
        m.put("pass", q.play().pass());
    }

    private static String sourceKind(ConversationKind kind) {
        return switch (kind) {
            case ROOT -> "weka_main";
            case SUBAGENT -> "weka_subagent";
            case SOLO_AGENT, AUXILIARY, WORKER_GROUP -> "weka_flat";
        };
    }

    private static void metrics(ObjectNode metrics, RequestRecord record) {
        if (!record.succeeded()) {
            value(metrics, "error_isl", record.inputTokens(), "tokens");
            return;
        }
        for (RecordMetric metric : RecordMetric.values()) {
            OptionalDouble value = metric.of(record);
            if (value.isPresent()) {
                value(metrics, metric.tag(), value.getAsDouble(), metric.unit());
            }
        }
        ObjectNode gaps = metrics.putObject("inter_chunk_latency");
        ArrayNode list = gaps.putArray("value");
        long[] times = record.result().contentTimes();
        for (int i = 1; i < times.length; i++) {
            list.add((times[i] - times[i - 1]) / 1e6);
        }
        gaps.put("unit", "ms");
        value(
                metrics,
                "theoretical_prefix_cache_hit_blocks",
                record.request().what().hitBlocks(),
                "blocks");
    }

    private static void value(ObjectNode metrics, String tag, double value, String unit) {
        ObjectNode m = metrics.putObject(tag);
        if (value == Math.rint(value) && Math.abs(value) < 1e15) {
            m.put("value", (long) value);
        } else {
            m.put("value", value);
        }
        m.put("unit", unit);
    }

    private static void error(ObjectNode line, Outcome outcome) {
        switch (outcome) {
            case Outcome.Success s -> line.putNull("error");
            case Outcome.Failed f -> error(line, f.code(), f.type(), f.message());
            case Outcome.Overflow o -> error(line, o.code(), o.type(), o.message());
            case Outcome.Cancelled c ->
                error(line, 499, "RequestCancellationError", "cut off at the end of the grace period");
        }
    }

    private static void error(ObjectNode line, int code, String type, String message) {
        ObjectNode error = line.putObject("error");
        error.put("code", code);
        error.put("type", type);
        error.put("message", message);
    }
}
