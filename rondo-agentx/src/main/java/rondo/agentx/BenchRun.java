package rondo.agentx;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.agentx.client.HttpTurnSender;
import rondo.agentx.metrics.Artifacts;
import rondo.agentx.metrics.CacheCheck;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;
import rondo.agentx.plan.FillerPool;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PromptText;
import rondo.agentx.plan.PromptText.Message;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.replay.Dispatcher;
import rondo.agentx.replay.ReplayOptions;
import rondo.agentx.replay.TraceSampler;
import rondo.agentx.replay.TurnSender;
import rondo.agentx.trace.Trace;
import rondo.base.Ids;
import rondo.base.TimeSource;
import rondo.base.TokenIds;
import rondo.base.UserError;
import rondo.text.Tokenizer;

/** One run: traces are replayed against a server, measured, and written down. */
public final class BenchRun {
    private static final Logger LOG = LoggerFactory.getLogger(BenchRun.class);
    private static final long LONGEST_PARK = Duration.ofSeconds(1).toNanos();

    private final BenchOptions options;
    private final Tokenizer tokenizer;
    private final Function<List<Message>, TokenIds> template;
    private final TimeSource clock = TimeSource.system();

    private volatile boolean cancelled;
    private volatile @Nullable Dispatcher current;

    /**
     * @param tokenizer of the served model
     * @param template  messages to tokens as the server sees them, generation prompt included; used only where the
     *                  options give {@code tokensPerBlock}
     */
    public BenchRun(BenchOptions options, Tokenizer tokenizer, Function<List<Message>, TokenIds> template) {
        this.options = options;
        this.tokenizer = tokenizer;
        this.template = template;
    }

    /** Ends the run early; what was measured is written, stamped {@code run_cancelled}. From any thread. */
    public void cancel() {
        cancelled = true;
        Dispatcher dispatcher = current;
        if (dispatcher != null) {
            dispatcher.stop();
        }
    }

    /** Replays the traces and writes the artifacts; blocks until all is done. */
    public BenchResult run(List<Trace> traces, Progress progress) {
        List<String> warnings = new ArrayList<>();
        List<SessionPlan> plans = plans(traces, warnings);
        FillerPool pool = FillerPool.of(tokenizer);
        PromptText text = new PromptText(pool, options.seed());
        new DriftCheck(tokenizer, text).check(plans, options.allowDrift());
        artifactsDirectory();
        int plays = plays(plans.size());
        int expected = options.duration().isPresent() ? 0 : expected(plans, plays);
        if (options.duration().isEmpty() && plays < options.concurrency()) {
            warnings.add("only " + plays + " of " + options.concurrency() + " lanes are used: there are no more traces"
                    + " to play (--cache-bust first_turn_prefix or --allow-dataset-wrap play them again)");
        }
        warnings.forEach(progress::note);
        progress.note(describe(plans, plays));

        String id = Ids.hex(32);
        Recorder recorder = new Recorder(clock, this::count, options, expected, progress);
        Instant started;
        long origin;
        Dispatcher.IdleSkips skips;
        try (HttpTurnSender sender = new HttpTurnSender(options.target(), pool, options.seed(), clock, this::count)) {
            sender.warmUp();
            started = Instant.now();
            origin = clock.nanoTime();
            recorder.begin();
            skips = replay(sender, sampler(plans, plays), id, recorder);
        }
        Instant ended = Instant.now();
        List<RequestRecord> records = recorder.records();
        RunSummary summary = RunSummary.of(records);
        recorder.warnings(summary, warnings);
        Optional<CacheCheck> check = options.tokensPerBlock().isPresent()
                ? Optional.of(CacheCheck.of(
                        records, text, template, options.tokensPerBlock().getAsInt()))
                : Optional.empty();
        BenchResult result = new BenchResult(
                options,
                id,
                started,
                ended,
                origin,
                plans.size(),
                records,
                summary,
                skips,
                cancelled || recorder.tooManyFailures(),
                reasons(summary, recorder),
                List.copyOf(warnings),
                check,
                options.artifacts());
        Artifacts.write(result);
        return result;
    }

    private Dispatcher.IdleSkips replay(TurnSender sender, TraceSampler sampler, String id, Recorder recorder) {
        Thread self = Thread.currentThread();
        Dispatcher dispatcher =
                new Dispatcher(replayOptions(id), sampler, sender, clock, recorder, () -> LockSupport.unpark(self));
        recorder.watch(dispatcher);
        current = dispatcher;
        if (cancelled) {
            dispatcher.stop();
        }
        while (true) {
            long next = dispatcher.tick();
            if (dispatcher.done()) {
                return dispatcher.idleSkips();
            }
            recorder.report();
            long wait = Math.min(LONGEST_PARK, next - clock.nanoTime());
            if (wait > 0) {
                LockSupport.parkNanos(this, wait);
            }
        }
    }

    private List<SessionPlan> plans(List<Trace> traces, List<String> warnings) {
        List<SessionPlan> plans = new ArrayList<>();
        for (Trace trace : options.selection().apply(traces, options.plan().scale())) {
            SessionPlanner.Planned planned = SessionPlanner.plan(trace, options.plan());
            plans.add(planned.plan());
            warnings.addAll(planned.warnings());
        }
        return plans;
    }

    /** Plays in all where no duration bounds the run. */
    private int plays(int traces) {
        boolean wrap = options.allowDatasetWrap() || options.cacheBust() != CacheBust.NONE;
        return options.sessions().orElse(wrap ? Math.max(traces, options.concurrency()) : traces);
    }

    private static int expected(List<SessionPlan> plans, int plays) {
        int turns = 0;
        for (int i = 0; i < plays; i++) {
            turns += plans.get(i % plans.size()).turnCount();
        }
        return turns;
    }

    private TraceSampler sampler(List<SessionPlan> plans, int plays) {
        boolean wrap = options.allowDatasetWrap() || options.cacheBust() != CacheBust.NONE;
        if (!wrap && options.duration().isPresent() && options.concurrency() > plans.size()) {
            throw new UserError(
                    UserError.USAGE,
                    "bench: --concurrency " + options.concurrency() + " is more than the " + plans.size()
                            + " traces; give --allow-dataset-wrap or --cache-bust first_turn_prefix");
        }
        TraceSampler endless = TraceSampler.endless(plans, options.order(), options.seed());
        return options.duration().isPresent() && options.sessions().isEmpty() ? endless : endless.limit(plays);
    }

    private ReplayOptions replayOptions(String id) {
        return new ReplayOptions(
                options.concurrency(),
                options.duration(),
                options.grace(),
                options.ignoreTraceDelays(),
                options.interTurnDelayCapSeconds(),
                options.traceIdleGapCapSeconds(),
                options.systemIdleGapCapSeconds(),
                options.cacheBust(),
                id);
    }

    private List<String> reasons(RunSummary summary, Recorder recorder) {
        List<String> reasons = new ArrayList<>();
        int responses = summary.requests() + summary.failed() + summary.overflowed();
        if (responses > 0 && summary.overflowed() > 0.01 * responses) {
            reasons.add("context_overflow_rate_exceeded");
        }
        if (cancelled || recorder.tooManyFailures()) {
            reasons.add("run_cancelled");
        }
        if (options.plan().scale().factor() > 1) {
            reasons.add("context_scaled");
        }
        return List.copyOf(reasons);
    }

    private String describe(List<SessionPlan> plans, int plays) {
        long turns = plans.stream().mapToLong(SessionPlan::turnCount).sum();
        String bound = options.duration()
                .map(d -> d.toSeconds() + " s")
                .orElse(plays + (plays == 1 ? " session" : " sessions"));
        LOG.info(
                "bench: start traces={} turns={} concurrency={} bound=\"{}\" seed={}",
                plans.size(),
                turns,
                options.concurrency(),
                bound,
                options.seed());
        return String.format(
                Locale.ROOT,
                "%d traces with %d requests, %d at a time, %s",
                plans.size(),
                turns,
                options.concurrency(),
                bound);
    }

    private void artifactsDirectory() {
        Path directory = options.artifacts();
        try {
            Files.createDirectories(directory);
        } catch (IOException e) {
            throw new UserError(UserError.USAGE, "bench: cannot create " + directory + ": " + e.getMessage(), e);
        }
    }

    private int count(String text) {
        return tokenizer.encode(text, false, false).length();
    }
}
