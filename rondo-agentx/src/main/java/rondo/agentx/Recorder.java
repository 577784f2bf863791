package rondo.agentx;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.ToIntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;
import rondo.agentx.replay.Dispatcher;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.ReplayObserver;
import rondo.agentx.replay.TurnResult;
import rondo.agentx.replay.Usage;
import rondo.base.TimeSource;

/** Keeps what came back, reports progress, and stops a run that fails too often (agentx-protocol.md W7). */
final class Recorder implements ReplayObserver {
    private static final long REPORT_EVERY = 1_000_000_000L;
    private static final double MOST_LAG_MILLIS = 50;

    private final TimeSource clock;
    private final ToIntFunction<String> countTokens;
    private final BenchOptions options;
    private final int expected;
    private final Progress progress;
    private final List<RequestRecord> records = new ArrayList<>();
    private final Histogram ttftMicros = new Histogram(3);
    private long begin;

    private @Nullable Dispatcher dispatcher;
    private long nextReport;
    private int failed;
    private int overflowed;
    private long totalTokens;
    private long outputTokens;
    private long promptTokens;
    private long cachedTokens;
    private boolean tooManyFailures;

    Recorder(
            TimeSource clock,
            ToIntFunction<String> countTokens,
            BenchOptions options,
            int expected,
            Progress progress) {
        this.clock = clock;
        this.countTokens = countTokens;
        this.options = options;
        this.expected = expected;
        this.progress = progress;
    }

    /** The first request is about to be sent. */
    void begin() {
        begin = clock.nanoTime();
        nextReport = begin + REPORT_EVERY;
    }

    void watch(Dispatcher watched) {
        dispatcher = watched;
    }

    @Override
    public void returned(TurnResult result) {
        RequestRecord record = record(result);
        records.add(record);
        if (record.succeeded()) {
            totalTokens += record.inputTokens() + (long) record.outputTokens();
            outputTokens += record.outputTokens();
            record.ttftMillis().ifPresent(ms -> ttftMicros.recordValue(Math.max(0, (long) (ms * 1000))));
            Usage usage = result.usage();
            if (usage.cachedTokens().isPresent()) {
                cachedTokens += usage.cachedTokens().getAsInt();
                promptTokens += record.inputTokens();
            }
        } else if (record.failed()) {
            failed++;
        } else if (result.outcome() instanceof Outcome.Overflow) {
            overflowed++;
        }
        stopIfHopeless();
    }

    private RequestRecord record(TurnResult result) {
        OptionalInt prompt = result.usage().promptTokens();
        OptionalInt completion = result.usage().completionTokens();
        int output = completion.isPresent() ? completion.getAsInt() : countTokens.applyAsInt(result.text());
        return new RequestRecord(
                result,
                prompt.orElse(result.request().what().promptTokens()),
                output,
                prompt.isPresent() && completion.isPresent());
    }

    private void stopIfHopeless() {
        int seen = records.size() - overflowed;
        int least = Math.max(options.concurrency(), 10);
        if (options.failedRequestThreshold().isPresent()
                && !tooManyFailures
                && seen >= least
                && failed > options.failedRequestThreshold().getAsDouble() * seen
                && dispatcher != null) {
            tooManyFailures = true;
            progress.note(String.format(
                    Locale.ROOT,
                    "%d of %d requests failed, more than --failed-request-threshold allows: the run is cancelled",
                    failed,
                    seen));
            dispatcher.stop();
        }
    }

    /** Tells the progress once a second. */
    void report() {
        long now = clock.nanoTime();
        if (now < nextReport || dispatcher == null) {
            return;
        }
        nextReport = now + REPORT_EVERY;
        double seconds = (now - begin) / 1e9;
        progress.running(new Progress.Live(
                seconds,
                dispatcher.liveTrees(),
                dispatcher.inFlight(),
                records.size(),
                expected,
                failed + overflowed,
                totalTokens,
                outputTokens,
                ttftMicros.getTotalCount() == 0 ? 0 : ttftMicros.getValueAtPercentile(50) / 1000.0,
                promptTokens == 0 ? 0 : 100.0 * cachedTokens / promptTokens,
                options.duration()
                        .map(d -> Math.max(0, d.toNanos() / 1e9 - seconds))
                        .orElse(-1.0)));
    }

    boolean tooManyFailures() {
        return tooManyFailures;
    }

    List<RequestRecord> records() {
        return List.copyOf(records);
    }

    /** What a sceptic should know about the numbers. */
    void warnings(RunSummary summary, List<String> to) {
        double lag = summary.dispatchLag().percentile(99);
        if (lag > MOST_LAG_MILLIS) {
            to.add(String.format(Locale.ROOT, "requests left %.0f ms late at p99: the harness was short of CPU", lag));
        }
        if (summary.withoutUsage() > 0) {
            to.add(summary.withoutUsage()
                    + " answers had no usage: their tokens were counted by the client, without the chat template");
        }
        if (summary.lengthMismatches() > 0) {
            to.add(summary.lengthMismatches()
                    + " answers are not as long as asked (more than 5 % or 50 tokens off): is ignore_eos honoured?");
        }
        if (summary.measuredHitPercent().isPresent()
                && summary.measuredHitPercent().getAsDouble() < summary.theoreticalHitPercent() - 5) {
            to.add(String.format(
                    Locale.ROOT,
                    "the server hit %.1f %% of the prompt tokens in its cache, the traces allow %.1f %%",
                    summary.measuredHitPercent().getAsDouble(),
                    summary.theoreticalHitPercent()));
        }
    }
}
