package rondo.agentx;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import rondo.agentx.metrics.CacheCheck;
import rondo.agentx.metrics.RequestRecord;
import rondo.agentx.metrics.RunSummary;
import rondo.agentx.replay.Dispatcher.IdleSkips;

/**
 * One run of the bench, whole.
 *
 * @param originNanos  instant of the run's clock that {@code started} names; records are on that clock
 * @param traces       that were replayed, by count
 * @param cancelled    whether it was ended early
 * @param reasons      why the run is not valid, empty if it is
 * @param warnings     one line each
 * @param cacheCheck   present if the options asked for it
 */
public record BenchResult(
        BenchOptions options,
        String benchmarkId,
        Instant started,
        Instant ended,
        long originNanos,
        int traces,
        List<RequestRecord> records,
        RunSummary summary,
        IdleSkips idle,
        boolean cancelled,
        List<String> reasons,
        List<String> warnings,
        Optional<CacheCheck> cacheCheck,
        Path artifacts) {

    /** Nanoseconds since 1970 of an instant of the run's clock. */
    public long epochNanos(long clockNanos) {
        return started.getEpochSecond() * 1_000_000_000L + started.getNano() + (clockNanos - originNanos);
    }

    /** Seconds since the start of the run. */
    public double seconds(long clockNanos) {
        return (clockNanos - originNanos) / 1e9;
    }

    /** The row of the table that people read. */
    public BenchRow row() {
        return BenchRow.of(this);
    }
}
