package rondo.agentx.report;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import rondo.agentx.BenchResult;
import rondo.agentx.metrics.Distribution;
import rondo.agentx.metrics.RecordMetric;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;

/** The pictures of runs beside each other, and of one run over time. */
final class Charts {
    private static final int POINTS = 200;

    private Charts() {}

    static String colour(int run) {
        return "s" + run % 6;
    }

    /** Total tokens per second over the median output speed of a session, one point per run. */
    static String frontier(List<BenchResult> runs) {
        Svg svg = new Svg(Svg.WIDTH, 360, "Throughput against output speed per session");
        Axis x = Axis.linear(
                runs.stream().mapToDouble(r -> r.summary().speed(50)).max().orElse(1) * 1.08, 70, 960);
        Axis y = Axis.linear(
                runs.stream()
                                .mapToDouble(r -> r.summary().totalTokensPerSecond())
                                .max()
                                .orElse(1)
                        * 1.08,
                300,
                34);
        svg.axes(x, y, "output speed per session, p50, tokens/s (faster for the user →)", "total tokens/s");
        StringBuilder line = new StringBuilder();
        runs.stream()
                .sorted(Comparator.comparingInt(r -> r.options().concurrency()))
                .forEach(r -> Svg.point(
                        line,
                        x.pixel(r.summary().speed(50)),
                        y.pixel(r.summary().totalTokensPerSecond())));
        if (runs.size() > 1) {
            svg.curve(line, "line");
        }
        for (int i = 0; i < runs.size(); i++) {
            RunSummary s = runs.get(i).summary();
            String name = sessions(runs.get(i));
            double px = x.pixel(s.speed(50));
            double py = y.pixel(s.totalTokensPerSecond());
            String tip = String.format(
                    Locale.ROOT,
                    "%s: %.0f tokens/s in all, %.1f tokens/s per session",
                    name,
                    s.totalTokensPerSecond(),
                    s.speed(50));
            svg.circle(px, py, 7, colour(i), tip);
            boolean right = px > 850;
            // Neighbouring points: labels alternate above and below.
            double shift = i % 2 == 0 ? -8 : 18;
            svg.text(right ? px - 10 : px + 10, py + shift, right ? "end" : "start", name, "strong");
        }
        return svg.toString();
    }

    static String sessions(BenchResult run) {
        int n = run.options().concurrency();
        return n + (n == 1 ? " session" : " sessions");
    }

    /** Share of requests below a value, one curve per run. */
    static String cumulative(List<BenchResult> runs, RecordMetric metric, String title) {
        Svg svg = new Svg(500, 300, title);
        double least = Double.MAX_VALUE;
        double most = 0;
        for (BenchResult run : runs) {
            Distribution d = run.summary().of(metric);
            if (!d.isEmpty()) {
                least = Math.min(least, d.percentile(1));
                most = Math.max(most, d.max());
            }
        }
        if (most == 0) {
            return svg.text(250, 150, "middle", "no request was measured").toString();
        }
        Axis x = Axis.logarithmic(Math.max(least, most / 1e5), most, 56, 480);
        Axis y = new Axis(0, 100, 245, 34, false);
        svg.axes(x, y, title + ", ms", "% of requests");
        for (int i = 0; i < runs.size(); i++) {
            Distribution d = runs.get(i).summary().of(metric);
            StringBuilder line = new StringBuilder();
            for (int k = 0; !d.isEmpty() && k <= POINTS; k++) {
                double p = 100.0 * k / POINTS;
                Svg.point(line, x.pixel(d.percentile(p)), y.pixel(p));
            }
            svg.curve(line, colour(i));
        }
        return svg.toString();
    }

    /** Input tokens per second over time, cached ones below computed ones; each spread over its request's TTFT. */
    static String inputOverTime(BenchResult run) {
        double[] cached = new double[POINTS];
        double[] computed = new double[POINTS];
        double seconds = length(run);
        for (RequestRecord r : run.records()) {
            if (r.succeeded() && r.result().hasContent()) {
                int hit = r.result().usage().cachedTokens().orElse(0);
                double from = run.seconds(r.result().start());
                double to = run.seconds(r.result().firstContent());
                spread(cached, from, to, hit, seconds);
                spread(computed, from, to, Math.max(0, r.inputTokens() - hit), seconds);
            }
        }
        return stacked("input tokens/s", "Input tokens per second", seconds, cached, "cached", computed, "computed");
    }

    /** Output tokens per second over time, spread over each request's decode. */
    static String outputOverTime(BenchResult run, int index) {
        double[] output = new double[POINTS];
        double seconds = length(run);
        for (RequestRecord r : run.records()) {
            if (r.succeeded() && r.result().hasContent()) {
                double from = run.seconds(r.result().firstContent());
                double to = run.seconds(r.result().lastContent());
                spread(output, from, to, r.outputTokens(), seconds);
            }
        }
        double[] none = new double[POINTS];
        return stacked(
                "output tokens/s", "Output tokens per second", seconds, output, colour(index), none, colour(index));
    }

    static double length(BenchResult run) {
        return Math.max(
                1e-3,
                run.records().stream()
                        .mapToDouble(r -> run.seconds(r.result().end()))
                        .max()
                        .orElse(1));
    }

    private static void spread(double[] bins, double from, double to, double tokens, double seconds) {
        double width = seconds / bins.length;
        double span = Math.max(to - from, width / 100);
        int first = Math.max(0, (int) (from / width));
        int last = Math.min(bins.length - 1, (int) ((from + span) / width));
        for (int b = first; b <= last; b++) {
            double overlap = Math.min(from + span, (b + 1) * width) - Math.max(from, b * width);
            if (overlap > 0) {
                bins[b] += tokens * overlap / span / width;
            }
        }
    }

    private static String stacked(
            String yTitle, String title, double seconds, double[] low, String lowColour, double[] high, String colour) {
        Svg svg = new Svg(Svg.WIDTH, 250, title);
        double most = 0;
        for (int b = 0; b < POINTS; b++) {
            most = Math.max(most, low[b] + high[b]);
        }
        Axis x = new Axis(0, seconds, 70, 980, false);
        Axis y = Axis.linear(most, 195, 34);
        StringBuilder lower = new StringBuilder();
        StringBuilder upper = new StringBuilder();
        Svg.point(lower, x.pixel(0), y.pixel(0));
        for (int b = 0; b < POINTS; b++) {
            double at = seconds * (b + 0.5) / POINTS;
            Svg.point(lower, x.pixel(at), y.pixel(low[b]));
            Svg.point(upper, x.pixel(at), y.pixel(low[b] + high[b]));
        }
        Svg.point(lower, x.pixel(seconds), y.pixel(0));
        for (int b = POINTS - 1; b >= 0; b--) {
            Svg.point(upper, x.pixel(seconds * (b + 0.5) / POINTS), y.pixel(low[b]));
        }
        svg.axes(x, y, "seconds since the start", yTitle);
        svg.area(upper, colour).area(lower, lowColour);
        return svg.toString();
    }

    static String millis(double value) {
        return value >= 1000
                ? String.format(Locale.ROOT, "%.2f s", value / 1000)
                : String.format(Locale.ROOT, "%.0f ms", value);
    }
}
