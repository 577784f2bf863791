package rondo.cli;

import java.util.Locale;
import rondo.agentx.metrics.Distribution;
import rondo.agentx.metrics.RecordMetric;
import rondo.agentx.metrics.RunSummary;
import rondo.base.Json;
import rondo.kv.KvLayout;
import rondo.kv.KvStats;
import rondo.kv.Tier;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A simulation's numbers for people and for programs. */
final class SimulationReport {
    private static final double NANOS = 1e9;

    private final SimulationResult result;
    private final MemoryPlan memory;
    private final int sessions;

    SimulationReport(SimulationResult result, MemoryPlan memory, int sessions) {
        this.result = result;
        this.memory = memory;
        this.sessions = sessions;
    }

    /** A table of names and values. */
    String text() {
        RunSummary summary = result.summary();
        KvStats.Counters kv = result.kv().counters();
        StringBuilder out = new StringBuilder();
        row(out, "Sessions", "%d", sessions);
        row(out, "Requests", "%d, failed %d, too long %d", summary.requests(), summary.failed(), summary.overflowed());
        row(out, "Prefix hits", "%.2f %% of prompt tokens, theory %.2f %%", result.hitPercent(), theory());
        latency(out, "TTFT p50 / p90 / p99", summary.of(RecordMetric.TTFT), 1000, "s");
        latency(out, "ITL p50 / p90 / p99", summary.of(RecordMetric.ITL), 1, "ms");
        row(
                out,
                "Tokens per second",
                "%.0f with cached input, %.1f output",
                summary.totalTokensPerSecond(),
                summary.outputTokensPerSecond());
        row(
                out,
                "Preemptions",
                "%d suspended, %d paused; %d of %d computed tokens were computed again",
                result.engine().preemption().suspensions(),
                result.engine().preemption().recomputations(),
                result.engine().preemption().recomputedTokens(),
                result.computedTokens());
        row(
                out,
                "Pages",
                "dropped %d, to the host %d, back %d, copied for partial reuse %d",
                kv.dropped(),
                kv.offloaded(),
                kv.onboarded(),
                kv.copied() + kv.copiedFromHost());
        pools(out);
        row(
                out,
                "Time",
                "%.0f s virtual, busy %.1f %%, waiting for copies %.1f s, %d steps; %.1f s real",
                result.virtualNanos() / NANOS,
                100.0 * result.busyNanos() / Math.max(1, result.virtualNanos()),
                result.copyWaitNanos() / NANOS,
                result.engine().steps(),
                result.wallNanos() / NANOS);
        summary.errors()
                .forEach(e -> row(out, "Failed", "%d times: %d %s: %s", e.count(), e.code(), e.type(), e.message()));
        return out.toString();
    }

    private void pools(StringBuilder out) {
        KvLayout layout = memory.pools().layout();
        for (KvStats.Pool pool : result.kv().pools()) {
            if (pool.tier() == Tier.HOST && pool.total() == 0) {
                continue;
            }
            int window = layout.lifeCycles().get(pool.lifeCycle()).window();
            row(
                    out,
                    "Pool " + (window == 0 ? "full" : "window " + window) + (pool.tier() == Tier.HOST ? ", host" : ""),
                    "%d pages, %.1f GiB, %d tokens; %d free at the end",
                    pool.total(),
                    (double) pool.total() * layout.pageBytes().get(pool.lifeCycle()) / (1L << 30),
                    (long) pool.total() * layout.tokensPerBlock(),
                    pool.free());
        }
    }

    /** One JSON object and a line break; times in seconds or milliseconds as the names say. */
    String json() {
        RunSummary summary = result.summary();
        KvStats.Counters kv = result.kv().counters();
        ObjectNode root = Json.mapper().createObjectNode();
        root.put("sessions", sessions)
                .put("requests", summary.requests())
                .put("failed", summary.failed())
                .put("too_long", summary.overflowed())
                .put("hit_percent", result.hitPercent())
                .put("theoretical_hit_percent", theory())
                .put("total_tokens_per_second", summary.totalTokensPerSecond())
                .put("output_tokens_per_second", summary.outputTokensPerSecond())
                .put("prompt_tokens", result.engine().promptTokens())
                .put("cached_tokens", result.engine().cachedTokens())
                .put("generated_tokens", result.engine().generatedTokens())
                .put("computed_tokens", result.computedTokens())
                .put("recomputed_tokens", result.engine().preemption().recomputedTokens())
                .put("suspensions", result.engine().preemption().suspensions())
                .put("recomputations", result.engine().preemption().recomputations())
                .put("pages_dropped", kv.dropped())
                .put("pages_offloaded", kv.offloaded())
                .put("pages_onboarded", kv.onboarded())
                .put("pages_copied", kv.copied() + kv.copiedFromHost())
                .put("steps", result.engine().steps())
                .put("virtual_seconds", result.virtualNanos() / NANOS)
                .put("busy_seconds", result.busyNanos() / NANOS)
                .put("copy_wait_seconds", result.copyWaitNanos() / NANOS)
                .put("wall_seconds", result.wallNanos() / NANOS);
        distribution(root.putObject("ttft_ms"), summary.of(RecordMetric.TTFT));
        distribution(root.putObject("itl_ms"), summary.of(RecordMetric.ITL));
        ArrayNode pools = root.putArray("pools");
        KvLayout layout = memory.pools().layout();
        for (KvStats.Pool pool : result.kv().pools()) {
            pools.addObject()
                    .put("life_cycle", pool.lifeCycle())
                    .put("window", layout.lifeCycles().get(pool.lifeCycle()).window())
                    .put("tier", pool.tier().name().toLowerCase(Locale.ROOT))
                    .put("pages", pool.total())
                    .put("page_bytes", layout.pageBytes().get(pool.lifeCycle()))
                    .put("free", pool.free())
                    .put("evictable", pool.evictable());
        }
        return root + "\n";
    }

    private double theory() {
        return result.summary().theoreticalHitPercent();
    }

    private static void distribution(ObjectNode to, Distribution d) {
        to.put("mean", d.mean())
                .put("p50", d.percentile(50))
                .put("p90", d.percentile(90))
                .put("p99", d.percentile(99))
                .put("max", d.max());
    }

    private static void latency(StringBuilder out, String name, Distribution millis, double divisor, String unit) {
        row(
                out,
                name,
                "%.3f / %.3f / %.3f %s",
                millis.percentile(50) / divisor,
                millis.percentile(90) / divisor,
                millis.percentile(99) / divisor,
                unit);
    }

    private static void row(StringBuilder out, String name, String format, Object... values) {
        out.append(String.format(Locale.ROOT, "%-22s %s%n", name, String.format(Locale.ROOT, format, values)));
    }
}
