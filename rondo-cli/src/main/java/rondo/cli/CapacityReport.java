package rondo.cli;

import java.util.List;
import java.util.Locale;
import rondo.base.Json;
import rondo.cli.config.ByteSize;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;
import rondo.model.arch.DecoderSpec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Writes an {@link Outlook} for people and for programs: {@code rondo serve --print_capacity [--json]}. */
final class CapacityReport {
    private final Outlook outlook;
    private final MemoryPlan plan;
    private final KvLayout layout;
    private final Capacity capacity;

    CapacityReport(Outlook outlook) {
        this.outlook = outlook;
        this.plan = outlook.plan();
        this.layout = plan.pools().layout();
        this.capacity = outlook.capacity();
    }

    String text() {
        StringBuilder out = new StringBuilder();
        DecoderSpec spec = outlook.model().spec();
        line(
                out,
                "model       %s, %d layers (%s), weights %s",
                spec.architecture(),
                spec.layers().size(),
                layers(spec),
                ByteSize.rounded(outlook.weightBytes()));
        line(
                out,
                "memory      %s %s, less weights %s and step buffers %s",
                ByteSize.rounded(outlook.memoryBytes()),
                outlook.deviceNamed() ? "of the device" : "free on this machine",
                ByteSize.rounded(outlook.weightBytes()),
                ByteSize.rounded(outlook.stepBytes()));
        line(
                out,
                "kv cache    %s on the device (%s), %s on the host, %s, blocks of %d tokens",
                ByteSize.rounded(plan.bytes()),
                plan.deviceBound().key,
                plan.hostBytes() == 0 ? "none" : ByteSize.rounded(plan.hostBytes()),
                outlook.model().kvDtype().key(),
                layout.tokensPerBlock());
        line(out, "max_seq_len %d (%s)", plan.maxSeqLen(), plan.lengthReason());
        out.append('\n');
        pools(out);
        out.append('\n');
        sessions(out);
        out.append('\n');
        outlook.hints().forEach(hint -> line(out, "- %s", hint));
        return out.toString();
    }

    private static String layers(DecoderSpec spec) {
        long full =
                spec.layers().stream().filter(l -> l.attention().window() == 0).count();
        long sliding = spec.layers().size() - full;
        return sliding == 0 ? "all full attention" : full + " full, " + sliding + " sliding";
    }

    private void pools(StringBuilder out) {
        line(
                out,
                "%-5s%8s%12s%14s%14s%12s%14s%14s",
                "pool",
                "window",
                "page bytes",
                "device pages",
                "tokens",
                "bytes",
                "host pages",
                "tokens");
        for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
            LifeCycle cycle = layout.lifeCycles().get(lc);
            long pages = plan.pools().deviceSlots().get(lc) - 1;
            long host = plan.pools().hostSlots().get(lc);
            line(
                    out,
                    "%-5d%8s%12d%14d%14d%12s%14d%14d",
                    lc,
                    cycle.isFull() ? "full" : Integer.toString(cycle.window()),
                    layout.pageBytes().get(lc),
                    pages,
                    pages * layout.tokensPerBlock(),
                    ByteSize.rounded(pages * layout.pageBytes().get(lc)),
                    host,
                    host * layout.tokensPerBlock());
        }
    }

    private void sessions(StringBuilder out) {
        line(
                out,
                "%-20s%12s%10s%10s%12s%10s",
                "sessions of tokens",
                "bytes each",
                "running",
                "kept",
                "with host",
                "bound by");
        List<Capacity.Sessions> rows = capacity.sessions();
        for (Capacity.Sessions row : rows) {
            line(
                    out,
                    "%-20s%12s%10d%10d%12d%10s",
                    row.tokens() + (row == rows.getLast() ? " (max)" : ""),
                    ByteSize.rounded(row.deviceBytes()),
                    row.running(),
                    row.kept(),
                    row.keptInAll(),
                    "pool " + row.keptBy());
        }
        line(out, "running: at once on the device; kept: go on without recomputing; with host: kept in both tiers");
    }

    private static void line(StringBuilder out, String format, Object... values) {
        out.append(String.format(Locale.ROOT, format, values).stripTrailing()).append('\n');
    }

    String json() {
        ObjectNode root = Json.mapper().createObjectNode();
        DecoderSpec spec = outlook.model().spec();
        root.putObject("model")
                .put("architecture", spec.architecture())
                .put("layers", spec.layers().size())
                .put("parameters", outlook.model().parameters())
                .put("kv_dtype", outlook.model().kvDtype().key());
        root.putObject("memory")
                .put("bytes", outlook.memoryBytes())
                .put("of_this_machine", !outlook.deviceNamed())
                .put("weight_bytes", outlook.weightBytes())
                .put("step_bytes", outlook.stepBytes())
                .put("kv_device_bytes", plan.bytes())
                .put("kv_device_bytes_from", plan.deviceBound().key)
                .put("kv_host_bytes", plan.hostBytes());
        root.put("tokens_per_block", layout.tokensPerBlock());
        root.put("max_batch_size", outlook.config().limits().maxBatchSize());
        root.put("max_seq_len", plan.maxSeqLen());
        root.put("max_seq_len_from", plan.lengthReason());
        ArrayNode pools = root.putArray("pools");
        for (int lc = 0; lc < layout.lifeCycles().size(); lc++) {
            long pageBytes = layout.pageBytes().get(lc);
            long pages = plan.pools().deviceSlots().get(lc) - 1;
            long host = plan.pools().hostSlots().get(lc);
            pools.addObject()
                    .put("window", layout.lifeCycles().get(lc).window())
                    .put("page_bytes", pageBytes)
                    .put("device_slots", pages + 1)
                    .put("device_pages", pages)
                    .put("device_tokens", pages * layout.tokensPerBlock())
                    .put("host_pages", host)
                    .put("host_tokens", host * layout.tokensPerBlock());
        }
        ArrayNode sessions = root.putArray("sessions");
        for (Capacity.Sessions row : capacity.sessions()) {
            sessions.addObject()
                    .put("tokens", row.tokens())
                    .put("device_bytes", row.deviceBytes())
                    .put("running", row.running())
                    .put("running_bound_by_pool", row.limitedBy())
                    .put("kept", row.kept())
                    .put("kept_with_host", row.keptInAll())
                    .put("kept_bound_by_pool", row.keptBy());
        }
        ArrayNode hints = root.putArray("hints");
        outlook.hints().forEach(hints::add);
        return root.toPrettyString() + "\n";
    }
}
