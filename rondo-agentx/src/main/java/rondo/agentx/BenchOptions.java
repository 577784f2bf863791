package rondo.agentx;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import rondo.agentx.client.TargetOptions;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.replay.TraceSampler;
import rondo.agentx.trace.TraceSelection;
import rondo.base.UserError;

/**
 * Everything that a run of the bench is told.
 *
 * @param plan                   how traces become prompts; its output cap is taken from {@code selection}
 * @param concurrency            session trees alive at all times
 * @param duration               how long new requests are sent; absent: {@code sessions} plays
 * @param sessions               plays in all; absent with no duration: every trace once, and every lane at least once
 *                               where wrapping is allowed
 * @param grace                  how long requests in flight may finish after the duration
 * @param allowDatasetWrap       more lanes than traces without a cache-bust marker
 * @param seed                   of fillers and of the order of traces
 * @param failedRequestThreshold share of failed requests above which the run is cancelled
 * @param tokensPerBlock         of the server's cache; present: its cached-token counts are checked (M7)
 * @param allowDrift             runs although the tokenizer does not give back its own words
 * @param artifacts              directory for the files of the run
 * @param command                command line, for the record
 */
public record BenchOptions(
        TargetOptions target,
        TraceSelection selection,
        PlanOptions plan,
        int concurrency,
        Optional<Duration> duration,
        OptionalInt sessions,
        Duration grace,
        boolean ignoreTraceDelays,
        OptionalDouble interTurnDelayCapSeconds,
        OptionalDouble traceIdleGapCapSeconds,
        OptionalDouble systemIdleGapCapSeconds,
        CacheBust cacheBust,
        boolean allowDatasetWrap,
        TraceSampler.Order order,
        long seed,
        OptionalDouble failedRequestThreshold,
        OptionalInt tokensPerBlock,
        boolean allowDrift,
        int gpus,
        Path artifacts,
        String command) {

    public BenchOptions {
        atLeast(concurrency >= 1, "--concurrency must be >= 1, got " + concurrency);
        atLeast(
                duration.isEmpty() || duration.get().toNanos() > 0,
                "--benchmark-duration must be > 0, got "
                        + duration.map(Duration::toSeconds).orElse(0L));
        atLeast(!grace.isNegative(), "--benchmark-grace-period must be >= 0, got " + grace.toSeconds());
        notNegative(interTurnDelayCapSeconds, "--inter-turn-delay-cap-seconds");
        notNegative(traceIdleGapCapSeconds, "--trace-idle-gap-cap-seconds");
        notNegative(systemIdleGapCapSeconds, "--system-idle-gap-cap-seconds");
        double threshold = failedRequestThreshold.orElse(0);
        atLeast(threshold >= 0 && threshold <= 1, "--failed-request-threshold must be from 0 to 1, got " + threshold);
    }

    private static void notNegative(OptionalDouble value, String flag) {
        atLeast(value.orElse(0) >= 0, flag + " must be >= 0, got " + value.orElse(0));
    }

    private static void atLeast(boolean right, String message) {
        if (!right) {
            throw new UserError(UserError.USAGE, "bench: " + message);
        }
    }

    /** Sets what differs from the defaults, one by one. */
    public static Builder builder(TargetOptions target, Path artifacts) {
        return new Builder(target, artifacts);
    }

    /** A builder that starts from these options. */
    public Builder toBuilder() {
        Builder b = new Builder(target, artifacts);
        b.selection = selection;
        b.plan = plan;
        b.concurrency = concurrency;
        b.duration = duration;
        b.sessions = sessions;
        b.grace = grace;
        b.ignoreTraceDelays = ignoreTraceDelays;
        b.interTurnDelayCapSeconds = interTurnDelayCapSeconds;
        b.traceIdleGapCapSeconds = traceIdleGapCapSeconds;
        b.systemIdleGapCapSeconds = systemIdleGapCapSeconds;
        b.cacheBust = cacheBust;
        b.allowDatasetWrap = allowDatasetWrap;
        b.order = order;
        b.seed = seed;
        b.failedRequestThreshold = failedRequestThreshold;
        b.tokensPerBlock = tokensPerBlock;
        b.allowDrift = allowDrift;
        b.gpus = gpus;
        b.command = command;
        return b;
    }

    /** Collects options; {@link #build} checks them. */
    public static final class Builder {
        private TargetOptions target;
        private Path artifacts;
        private TraceSelection selection = TraceSelection.all();
        private PlanOptions plan = PlanOptions.defaults();
        private int concurrency = 1;
        private Optional<Duration> duration = Optional.empty();
        private OptionalInt sessions = OptionalInt.empty();
        private Duration grace = Duration.ofSeconds(30);
        private boolean ignoreTraceDelays;
        private OptionalDouble interTurnDelayCapSeconds = OptionalDouble.empty();
        private OptionalDouble traceIdleGapCapSeconds = OptionalDouble.empty();
        private OptionalDouble systemIdleGapCapSeconds = OptionalDouble.empty();
        private CacheBust cacheBust = CacheBust.NONE;
        private boolean allowDatasetWrap;
        private TraceSampler.Order order = TraceSampler.Order.SEQUENTIAL;
        private long seed = 42;
        private OptionalDouble failedRequestThreshold = OptionalDouble.empty();
        private OptionalInt tokensPerBlock = OptionalInt.empty();
        private boolean allowDrift;
        private int gpus = 1;
        private String command = "";

        private Builder(TargetOptions target, Path artifacts) {
            this.target = target;
            this.artifacts = artifacts;
        }

        public Builder target(TargetOptions value) {
            target = value;
            return this;
        }

        public Builder artifacts(Path value) {
            artifacts = value;
            return this;
        }

        public Builder selection(TraceSelection value) {
            selection = value;
            return this;
        }

        public Builder plan(PlanOptions value) {
            plan = value;
            return this;
        }

        public Builder concurrency(int value) {
            concurrency = value;
            return this;
        }

        public Builder duration(Duration value) {
            duration = Optional.of(value);
            return this;
        }

        public Builder sessions(int value) {
            sessions = OptionalInt.of(value);
            return this;
        }

        public Builder grace(Duration value) {
            grace = value;
            return this;
        }

        public Builder ignoreTraceDelays(boolean value) {
            ignoreTraceDelays = value;
            return this;
        }

        public Builder interTurnDelayCapSeconds(double value) {
            interTurnDelayCapSeconds = OptionalDouble.of(value);
            return this;
        }

        public Builder traceIdleGapCapSeconds(double value) {
            traceIdleGapCapSeconds = OptionalDouble.of(value);
            return this;
        }

        public Builder systemIdleGapCapSeconds(double value) {
            systemIdleGapCapSeconds = OptionalDouble.of(value);
            return this;
        }

        public Builder cacheBust(CacheBust value) {
            cacheBust = value;
            return this;
        }

        public Builder allowDatasetWrap(boolean value) {
            allowDatasetWrap = value;
            return this;
        }

        public Builder order(TraceSampler.Order value) {
            order = value;
            return this;
        }

        public Builder seed(long value) {
            seed = value;
            return this;
        }

        public Builder failedRequestThreshold(double value) {
            failedRequestThreshold = OptionalDouble.of(value);
            return this;
        }

        public Builder tokensPerBlock(int value) {
            tokensPerBlock = OptionalInt.of(value);
            return this;
        }

        public Builder allowDrift(boolean value) {
            allowDrift = value;
            return this;
        }

        public Builder gpus(int value) {
            gpus = value;
            return this;
        }

        public Builder command(String value) {
            command = value;
            return this;
        }

        public BenchOptions build() {
            return new BenchOptions(
                    target,
                    selection,
                    plan.withMaxOutput(selection.maxOutput()),
                    concurrency,
                    duration,
                    sessions,
                    grace,
                    ignoreTraceDelays,
                    interTurnDelayCapSeconds,
                    traceIdleGapCapSeconds,
                    systemIdleGapCapSeconds,
                    cacheBust,
                    allowDatasetWrap,
                    order,
                    seed,
                    failedRequestThreshold,
                    tokensPerBlock,
                    allowDrift,
                    gpus,
                    artifacts,
                    command);
        }
    }
}
