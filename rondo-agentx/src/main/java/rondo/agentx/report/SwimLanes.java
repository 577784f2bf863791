package rondo.agentx.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import rondo.agentx.BenchResult;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.replay.Outcome;

/** Every session's requests over time: one band per lane, root turns on top, subagents below, prefill then decode. */
final class SwimLanes {
    private static final double ROW = 12;
    private static final double GAP = 10;
    private static final int MOST_REQUESTS = 6000;

    private SwimLanes() {}

    static String draw(BenchResult run) {
        Map<Integer, List<List<RequestRecord>>> lanes = new TreeMap<>();
        List<RequestRecord> shown = run.records().stream()
                .sorted(Comparator.comparingLong(r -> r.result().start()))
                .limit(MOST_REQUESTS)
                .toList();
        Map<Integer, List<RequestRecord>> byLane = new LinkedHashMap<>();
        for (RequestRecord r : shown) {
            byLane.computeIfAbsent(r.request().play().lane(), l -> new ArrayList<>())
                    .add(r);
        }
        byLane.forEach((lane, records) -> lanes.put(lane, rows(records)));
        int rows = lanes.values().stream().mapToInt(List::size).sum();
        double height = 40 + rows * ROW + lanes.size() * GAP + 30;
        Svg svg = new Svg(Svg.WIDTH, height, "Requests of every session over time");
        Axis x = new Axis(0, Charts.length(run), 70, 980, false);
        for (double tick : x.ticks()) {
            svg.line(x.pixel(tick), 20, x.pixel(tick), height - 34);
            svg.text(x.pixel(tick), height - 20, "middle", Axis.label(tick));
        }
        svg.text(525, height - 5, "middle", "seconds since the start");
        double top = 24;
        for (Map.Entry<Integer, List<List<RequestRecord>>> lane : lanes.entrySet()) {
            svg.text(62, top + ROW, "end", "lane " + lane.getKey());
            for (List<RequestRecord> row : lane.getValue()) {
                for (RequestRecord r : row) {
                    request(svg, run, x, top, r);
                }
                top += ROW;
            }
            top += GAP;
        }
        return svg.toString();
    }

    /** Root turns in the first row; others in the first row that is free. */
    private static List<List<RequestRecord>> rows(List<RequestRecord> records) {
        List<List<RequestRecord>> rows = new ArrayList<>();
        rows.add(new ArrayList<>());
        for (RequestRecord r : records) {
            int at = r.request().stream().isRoot() ? 0 : 1;
            while (at < rows.size() && busy(rows.get(at), r)) {
                at++;
            }
            while (at >= rows.size()) {
                rows.add(new ArrayList<>());
            }
            rows.get(at).add(r);
        }
        return rows;
    }

    private static boolean busy(List<RequestRecord> row, RequestRecord r) {
        return !row.isEmpty() && row.getLast().result().end() > r.result().start();
    }

    private static void request(Svg svg, BenchResult run, Axis x, double top, RequestRecord r) {
        double start = x.pixel(run.seconds(r.result().start()));
        double end = x.pixel(run.seconds(r.result().end()));
        String tip = tip(r);
        if (!r.succeeded()) {
            svg.rect(start, top, Math.max(4, end - start), ROW - 3, "failed", tip);
            return;
        }
        String kind = r.request().stream().isRoot() ? "" : "child-";
        double first = r.result().hasContent() ? x.pixel(run.seconds(r.result().firstContent())) : end;
        svg.rect(start, top, first - start, ROW - 3, kind + "prefill", tip);
        svg.rect(first, top, end - first, ROW - 3, kind + "decode", tip);
    }

    static String tip(RequestRecord r) {
        String what = r.request().stream().id() + " turn " + r.request().turn();
        return switch (r.result().outcome()) {
            case Outcome.Success s ->
                String.format(
                        Locale.ROOT,
                        "%s: TTFT %s, decode %s, %d tokens in (%s cached), %d out",
                        what,
                        Charts.millis(r.ttftMillis().orElse(0)),
                        Charts.millis(r.decodeMillis().orElse(0)),
                        r.inputTokens(),
                        r.result().usage().cachedTokens().isPresent()
                                ? Integer.toString(
                                        r.result().usage().cachedTokens().getAsInt())
                                : "unknown",
                        r.outputTokens());
            case Outcome.Failed f -> what + ": failed, " + f.code() + " " + f.type() + ": " + f.message();
            case Outcome.Overflow o -> what + ": prompt too long, " + o.message();
            case Outcome.Cancelled c -> what + ": cut off at the end of the run";
        };
    }
}
