package rondo.agentx.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import rondo.agentx.BenchResult;
import rondo.agentx.BenchRow;
import rondo.agentx.metrics.Distribution;
import rondo.agentx.metrics.RecordMetric;

/** The table that people read, as plain text. */
public final class BenchTable {
    private static final List<String> HEAD = List.of(
            "Sessions",
            "Total tok/s",
            "Output tok/s",
            "Speed p50 / p90",
            "TTFT p50 / p90 / p99",
            "ITL p50",
            "Hits server / theory",
            "Requests",
            "Failed");

    private BenchTable() {}

    /** One line per run under a head and a rule; speeds in tokens per second and session, total with cached input. */
    public static String text(List<BenchRow> rows) {
        List<List<String>> cells = new ArrayList<>();
        cells.add(HEAD);
        rows.forEach(row -> cells.add(cells(row)));
        int[] widths = new int[HEAD.size()];
        for (List<String> line : cells) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], line.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (int r = 0; r < cells.size(); r++) {
            List<String> parts = new ArrayList<>();
            for (int i = 0; i < widths.length; i++) {
                parts.add(" ".repeat(widths[i] - cells.get(r).get(i).length())
                        + cells.get(r).get(i));
            }
            out.append(String.join("  ", parts)).append('\n');
            if (r == 0) {
                out.append("-".repeat(String.join("  ", parts).length())).append('\n');
            }
        }
        return out.toString();
    }

    static List<String> head() {
        return HEAD;
    }

    static List<String> cells(BenchRow row) {
        return List.of(
                Integer.toString(row.sessions()),
                number(row.totalTokensPerSecond()),
                number(row.outputTokensPerSecond()),
                number(row.outputSpeedP50()) + " / " + number(row.outputSpeedP90()),
                seconds(row.ttftP50Seconds()) + " / " + seconds(row.ttftP90Seconds()) + " / "
                        + seconds(row.ttftP99Seconds()) + " s",
                number(row.itlP50Millis()) + " ms",
                (row.hitsServerPercent().isPresent()
                                ? percent(row.hitsServerPercent().getAsDouble())
                                : "–") + " / " + percent(row.hitsTheoreticalPercent()),
                Integer.toString(row.requests()),
                Integer.toString(row.failedRequests()));
    }

    /** The table of one run and its main distributions. */
    public static String console(BenchResult result) {
        StringBuilder out = new StringBuilder(text(List.of(result.row()))).append('\n');
        out.append(String.format(
                Locale.ROOT, "%-36s %10s %10s %10s %10s %10s %10s%n", "", "avg", "min", "p50", "p90", "p99", "max"));
        for (RecordMetric metric : RecordMetric.values()) {
            Distribution d = result.summary().of(metric);
            if (!d.isEmpty()) {
                out.append(String.format(
                        Locale.ROOT,
                        "%-36s %10.2f %10.2f %10.2f %10.2f %10.2f %10.2f%n",
                        metric.title() + " (" + metric.unit() + ")",
                        d.mean(),
                        d.min(),
                        d.percentile(50),
                        d.percentile(90),
                        d.percentile(99),
                        d.max()));
            }
        }
        result.summary()
                .errors()
                .forEach(e -> out.append(String.format(
                        Locale.ROOT, "error %d %s: %s (%d times)%n", e.code(), e.type(), e.message(), e.count())));
        result.warnings().forEach(w -> out.append("warning: ").append(w).append('\n'));
        return out.toString();
    }

    /** Three significant digits or whole numbers. */
    static String number(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%.0f", value);
        }
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : "%.2f", value);
    }

    private static String seconds(double value) {
        return String.format(Locale.ROOT, value >= 10 ? "%.1f" : value >= 0.1 ? "%.2f" : "%.3f", value);
    }

    private static String percent(double value) {
        return String.format(Locale.ROOT, "%.1f %%", value);
    }
}
