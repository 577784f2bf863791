package rondo.agentx.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import rondo.agentx.BenchOptions;
import rondo.agentx.BenchResult;
import rondo.agentx.metrics.Artifacts;
import rondo.agentx.metrics.RecordMetric;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;
import rondo.base.UserError;

/** One self-contained HTML page about one or several runs: no script, no network, light, dark and on paper. */
public final class ReportHtml {
    private static final int SLOWEST = 12;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final List<BenchResult> runs;
    private final StringBuilder out = new StringBuilder();

    private ReportHtml(List<BenchResult> runs) {
        this.runs = runs;
    }

    /** Writes the page of these runs; the file is whole or absent. */
    public static void write(Path file, List<BenchResult> runs) {
        if (runs.isEmpty()) {
            throw new UserError(UserError.USAGE, "report: there is no run to report");
        }
        Artifacts.text(file, new ReportHtml(runs).page());
    }

    private String page() {
        out.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")
                .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                .append("<title>Rondo bench report</title><style>\n")
                .append(style())
                .append("</style></head><body>\n");
        head();
        table();
        compare();
        for (int i = 0; i < runs.size(); i++) {
            run(runs.get(i), i);
        }
        definitions();
        return out.append("</body></html>\n").toString();
    }

    private static String style() {
        try (InputStream in = ReportHtml.class.getResourceAsStream("report.css")) {
            if (in == null) {
                throw new IllegalStateException("report.css is not in the jar");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("report.css cannot be read", e);
        }
    }

    private void head() {
        BenchResult first = runs.getFirst();
        BenchOptions o = first.options();
        out.append("<h1>Agent sessions, replayed</h1><p class=\"soft\">")
                .append(TIME.format(first.started()))
                .append("</p><dl>");
        item("Model", String.join(", ", o.target().models()));
        item(
                "Server",
                String.join(
                        ", ", o.target().urls().stream().map(Object::toString).toList()));
        item(
                "Traces",
                first.traces() + ", seed " + o.seed() + ", context scale 1/"
                        + o.plan().scale().factor());
        item("Pauses", pauses(o));
        if (!o.command().isEmpty()) {
            item("Command", o.command());
        }
        out.append("</dl>\n");
    }

    private static String pauses(BenchOptions o) {
        if (o.ignoreTraceDelays()) {
            return "left out (--ignore-trace-delays)";
        }
        return o.interTurnDelayCapSeconds().isPresent()
                ? "as recorded, at most " + o.interTurnDelayCapSeconds().getAsDouble() + " s"
                : "as recorded";
    }

    private void item(String name, String value) {
        out.append("<dt>").append(Svg.escape(name)).append("</dt><dd>");
        out.append(Svg.escape(value)).append("</dd>");
    }

    private void table() {
        out.append("<h2>Results</h2><div class=\"scroll\"><table><thead><tr>");
        BenchTable.head().forEach(h -> out.append("<th>").append(Svg.escape(h)).append("</th>"));
        out.append("</tr></thead><tbody>");
        for (BenchResult run : runs) {
            out.append("<tr>");
            BenchTable.cells(run.row())
                    .forEach(c -> out.append("<td>").append(Svg.escape(c)).append("</td>"));
            out.append("</tr>");
        }
        out.append("</tbody></table></div>\n");
        for (BenchResult run : runs) {
            String who = Charts.sessions(run) + ": ";
            run.reasons().forEach(r -> warn(who + "not a valid submission: " + r));
            run.warnings().forEach(w -> warn(who + w));
            run.cacheCheck()
                    .filter(c -> !c.ok())
                    .ifPresent(c -> c.violations().forEach(v -> warn(who + "cached tokens: " + v)));
            run.summary()
                    .errors()
                    .forEach(e -> warn(String.format(
                            Locale.ROOT, "%s%d times %d %s: %s", who, e.count(), e.code(), e.type(), e.message())));
        }
    }

    private void warn(String text) {
        out.append("<p class=\"warn\">").append(Svg.escape(text)).append("</p>");
    }

    private void compare() {
        out.append("<h2>Throughput against speed</h2><figure>").append(Charts.frontier(runs));
        out.append("<figcaption>More sessions push the point up (more tokens in all) and to the left (slower for each"
                + " session).</figcaption></figure>\n");
        out.append("<h2>How long requests take</h2>");
        legend();
        out.append("<div class=\"pair\"><figure>")
                .append(Charts.cumulative(runs, RecordMetric.TTFT, "time to first token"))
                .append(
                        "<figcaption>TTFT includes the queue, the network and the prefill.</figcaption></figure><figure>")
                .append(Charts.cumulative(runs, RecordMetric.ITL, "time per output token"))
                .append("<figcaption>ITL: from the first to the last token, divided by the tokens after the first."
                        + "</figcaption></figure></div>\n");
    }

    private void legend() {
        out.append("<p class=\"legend\">");
        for (int i = 0; i < runs.size(); i++) {
            out.append("<i style=\"background:var(--").append(Charts.colour(i)).append(")\"></i>");
            out.append(Charts.sessions(runs.get(i)));
        }
        out.append("</p>");
    }

    private void run(BenchResult run, int index) {
        RunSummary s = run.summary();
        out.append("<h2>").append(Charts.sessions(run)).append("</h2><p class=\"soft\">");
        out.append(Svg.escape(String.format(
                Locale.ROOT,
                "%d requests in %.1f s, %d failed. Interactivity p50 / p90 (slow tail): %s / %s tokens/s.",
                s.requests(),
                s.durationSeconds(),
                s.failed() + s.overflowed(),
                BenchTable.number(s.interactivity(50)),
                BenchTable.number(s.interactivity(90)))));
        out.append("</p><p class=\"legend\"><i style=\"background:var(--cached)\"></i>cached input")
                .append("<i style=\"background:var(--computed)\"></i>computed input</p><figure>")
                .append(Charts.inputOverTime(run))
                .append("</figure><figure>")
                .append(Charts.outputOverTime(run, index))
                .append("</figure>");
        out.append("<p class=\"legend\">Requests:<i style=\"background:var(--prefill)\"></i>queue and prefill")
                .append("<i style=\"background:var(--decode)\"></i>decode")
                .append("<i style=\"background:var(--child-prefill)\"></i>")
                .append("<i style=\"background:var(--child-decode)\"></i>the same of subagents")
                .append("<i style=\"background:var(--failed)\"></i>failed</p><figure>")
                .append(SwimLanes.draw(run))
                .append("<figcaption>One band per lane; point at a request for its numbers.</figcaption></figure>\n");
        slowest(run);
    }

    private void slowest(BenchResult run) {
        SlowReasons reasons = new SlowReasons(run.summary(), run.records());
        out.append("<h3>Slowest requests</h3><div class=\"scroll\"><table><thead><tr><th class=\"text\">Request</th>")
                .append("<th>Start</th><th>Latency</th><th>TTFT</th><th>In</th><th>Cached</th><th>Out</th>")
                .append("<th class=\"text\">Why</th></tr></thead><tbody>");
        for (RequestRecord r : SlowReasons.slowest(run.records(), SLOWEST)) {
            out.append("<tr><td class=\"text\">")
                    .append(Svg.escape(
                            r.request().stream().id() + " turn " + r.request().turn()))
                    .append("</td>");
            cell(String.format(Locale.ROOT, "%.1f s", run.seconds(r.result().start())));
            cell(Charts.millis(r.latencyMillis().orElse(0)));
            cell(Charts.millis(r.ttftMillis().orElse(0)));
            cell(Integer.toString(r.inputTokens()));
            cell(
                    r.result().usage().cachedTokens().isPresent()
                            ? Integer.toString(r.result().usage().cachedTokens().getAsInt())
                            : "–");
            cell(Integer.toString(r.outputTokens()));
            out.append("<td class=\"text\">").append(Svg.escape(reasons.of(r))).append("</td></tr>");
        }
        out.append("</tbody></table></div>\n");
    }

    private void cell(String text) {
        out.append("<td>").append(Svg.escape(text)).append("</td>");
    }

    private void definitions() {
        out.append("<h2>What the numbers mean</h2><dl>");
        item("Total tok/s", "(input + output tokens) / duration over successful requests; cached input counts in full");
        item(
                "Speed p50 / p90",
                "percentiles of the per-request output speed, 1 / ITL; p90 is the fast tail: one request in ten is at"
                        + " least that fast");
        item("TTFT", "first chunk with text, reasoning or a tool call, counted from the sending of the request");
        item("ITL", "(last - first content chunk) / (output tokens - 1), tokens as the server counts them");
        item(
                "Hits server / theory",
                "cached tokens that the server reports / what an unbounded cache would hit by the recorded times");
        item("Duration", "from the first request's start to the last content chunk of a successful request");
        out.append("</dl>\n");
    }
}
