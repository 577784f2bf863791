package rondo.agentx.metrics;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import rondo.agentx.plan.Turn;
import rondo.agentx.replay.Outcome;

/**
 * The numbers of one run (agentx-protocol.md §7).
 *
 * @param requests          that succeeded
 * @param failed            that failed, overflows and cut-off ones not counted
 * @param overflowed        refused as too long
 * @param cancelled         cut off by the harness
 * @param durationSeconds   from the first start to the last content, over successes
 * @param distributions     per record metric, over successes
 * @param interChunk        gaps between content chunks, milliseconds
 * @param inputTokens       sum over successes, cached ones included
 * @param cachedTokens      sum as the server reported; over requests that report it
 * @param cachedOf          prompt tokens of the requests that report cached ones
 * @param hitBlocks         blocks that an unbounded cache would have hit
 * @param totalBlocks       blocks of the successful prompts
 * @param cacheEfficiency   measured cached tokens / theoretical ones per class of turn (M6)
 * @param lengthMismatches  successes whose output is not as long as asked
 * @param withoutUsage      successes whose tokens the client had to count
 * @param conversationSpeed per conversation of at least 3 measured turns, tokens per second
 * @param errors            failures by kind
 */
public record RunSummary(
        int requests,
        int failed,
        int overflowed,
        int cancelled,
        double durationSeconds,
        Map<RecordMetric, Distribution> distributions,
        Distribution interChunk,
        Distribution dispatchLag,
        long inputTokens,
        long outputTokens,
        OptionalDouble cachedTokens,
        long cachedOf,
        long hitBlocks,
        long totalBlocks,
        Map<String, Double> cacheEfficiency,
        int lengthMismatches,
        int withoutUsage,
        Distribution conversationSpeed,
        List<ErrorCount> errors) {

    /** Failures with the same code, type and message. */
    public record ErrorCount(int code, String type, String message, int count) {}

    public Distribution of(RecordMetric metric) {
        return distributions.getOrDefault(metric, Distribution.of());
    }

    /** Input, cached input included, and output; tokens per second. */
    public double totalTokensPerSecond() {
        return rate((double) inputTokens + outputTokens);
    }

    public double outputTokensPerSecond() {
        return rate(outputTokens);
    }

    public double requestsPerSecond() {
        return rate(requests);
    }

    /** Server-reported prefix hits, percent of the prompt tokens; absent if the server reports none. */
    public OptionalDouble measuredHitPercent() {
        return cachedTokens.isPresent() && cachedOf > 0
                ? OptionalDouble.of(100 * cachedTokens.getAsDouble() / cachedOf)
                : OptionalDouble.empty();
    }

    public double theoreticalHitPercent() {
        return totalBlocks == 0 ? 0 : 100.0 * hitBlocks / totalBlocks;
    }

    /** M4: the p-th percentile of the per-request output speeds; p90 is the fast tail. Tokens per second. */
    public double speed(double p) {
        return of(RecordMetric.SPEED).percentile(p);
    }

    /** M2: the inverse of the p-th percentile of ITL; p90 is the slow tail. Tokens per second. */
    public double interactivity(double p) {
        double itl = of(RecordMetric.ITL).percentile(p);
        return itl > 0 ? 1000 / itl : 0;
    }

    /** M3: the inverse of the p-th percentile of the seconds per delivered token, TTFT included. */
    public double e2eInteractivity(double p) {
        Distribution speeds = of(RecordMetric.E2E_SPEED);
        double[] secondsPerToken = new double[speeds.count()];
        for (int i = 0; i < secondsPerToken.length; i++) {
            secondsPerToken[i] = 1 / speeds.sample(i);
        }
        double slow = Distribution.of(secondsPerToken).percentile(p);
        return slow > 0 ? 1 / slow : 0;
    }

    private double rate(double amount) {
        return durationSeconds > 0 ? amount / durationSeconds : 0;
    }

    /** Summarises all records of a run. */
    public static RunSummary of(List<RequestRecord> records) {
        List<RequestRecord> good =
                records.stream().filter(RequestRecord::succeeded).toList();
        Map<RecordMetric, Distribution> distributions = new EnumMap<>(RecordMetric.class);
        for (RecordMetric metric : RecordMetric.values()) {
            distributions.put(
                    metric,
                    Distribution.of(good.stream()
                            .map(metric::of)
                            .filter(OptionalDouble::isPresent)
                            .mapToDouble(OptionalDouble::getAsDouble)
                            .toArray()));
        }
        List<RequestRecord> reporting = good.stream()
                .filter(r -> r.result().usage().cachedTokens().isPresent())
                .toList();
        OptionalDouble cached = reporting.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(reporting.stream()
                        .mapToLong(r -> r.result().usage().cachedTokens().getAsInt())
                        .sum());
        return new RunSummary(
                good.size(),
                (int) records.stream().filter(RequestRecord::failed).count(),
                count(records, Outcome.Overflow.class),
                count(records, Outcome.Cancelled.class),
                seconds(good),
                distributions,
                interChunk(good),
                Distribution.of(records.stream()
                        .mapToDouble(RequestRecord::dispatchLagMillis)
                        .toArray()),
                good.stream().mapToLong(RequestRecord::inputTokens).sum(),
                good.stream().mapToLong(RequestRecord::outputTokens).sum(),
                cached,
                reporting.stream().mapToLong(RequestRecord::inputTokens).sum(),
                good.stream().mapToLong(r -> r.request().what().hitBlocks()).sum(),
                good.stream().mapToLong(r -> r.request().what().coveredBlocks()).sum(),
                efficiency(reporting),
                (int) good.stream().filter(RequestRecord::lengthMismatch).count(),
                (int) good.stream().filter(r -> !r.serverCounts()).count(),
                conversationSpeed(good),
                errors(records));
    }

    private static int count(List<RequestRecord> records, Class<? extends Outcome> kind) {
        return (int) records.stream()
                .filter(r -> kind.isInstance(r.result().outcome()))
                .count();
    }

    private static double seconds(List<RequestRecord> good) {
        long first = good.stream().mapToLong(r -> r.result().start()).min().orElse(0);
        long last = good.stream().mapToLong(RequestRecord::finish).max().orElse(0);
        return (last - first) / 1e9;
    }

    private static Distribution interChunk(List<RequestRecord> good) {
        int n = good.stream()
                .mapToInt(r -> Math.max(0, r.result().contentTimes().length - 1))
                .sum();
        double[] gaps = new double[n];
        int at = 0;
        for (RequestRecord r : good) {
            long[] times = r.result().contentTimes();
            for (int i = 1; i < times.length; i++) {
                gaps[at++] = (times[i] - times[i - 1]) / 1e6;
            }
        }
        return Distribution.of(gaps);
    }

    private static Map<String, Double> efficiency(List<RequestRecord> reporting) {
        Map<String, long[]> sums = new TreeMap<>();
        for (RequestRecord r : reporting) {
            Turn turn = r.request().what();
            String kind = r.request().stream().isRoot() ? "root" : "child";
            String when = r.request().turn() == 0 ? "_first_turn" : "_later_turns";
            long[] sum = sums.computeIfAbsent(kind + when, k -> new long[2]);
            sum[0] += r.result().usage().cachedTokens().getAsInt();
            sum[1] += (long) turn.hitBlocks() * r.request().play().plan().blockSize();
        }
        Map<String, Double> out = new LinkedHashMap<>();
        sums.forEach((name, sum) -> {
            if (sum[1] > 0) {
                out.put(name, (double) sum[0] / sum[1]);
            }
        });
        return out;
    }

    private static Distribution conversationSpeed(List<RequestRecord> good) {
        Map<String, double[]> sums = new LinkedHashMap<>();
        for (RequestRecord r : good) {
            if (r.itlMillis().isPresent()) {
                double[] sum = sums.computeIfAbsent(r.request().correlationId(), k -> new double[3]);
                sum[0]++;
                sum[1] += r.outputTokens() - 1;
                sum[2] += r.decodeMillis().getAsDouble() / 1000;
            }
        }
        return Distribution.of(sums.values().stream()
                .filter(s -> s[0] >= 3 && s[2] > 0)
                .mapToDouble(s -> s[1] / s[2])
                .toArray());
    }

    private static List<ErrorCount> errors(List<RequestRecord> records) {
        Map<Outcome.Failed, Integer> counts = new LinkedHashMap<>();
        for (RequestRecord r : records) {
            if (r.result().outcome() instanceof Outcome.Failed f) {
                counts.merge(f, 1, Integer::sum);
            }
        }
        List<ErrorCount> out = new ArrayList<>();
        counts.forEach((f, n) -> out.add(new ErrorCount(f.code(), f.type(), f.message(), n)));
        out.sort(Comparator.comparingInt(ErrorCount::count).reversed());
        return List.copyOf(out);
    }
}
