package rondo.agentx.replay;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import rondo.agentx.plan.Marker.CacheBust;

/**
 * How a replay runs.
 *
 * @param lanes            trees alive at the same time
 * @param duration         how long new requests are sent; absent: until the sampler has no more plays
 * @param grace            how long requests in flight may finish after that
 * @param ignoreDelays     all recorded delays become 0
 * @param delayCapSeconds  upper bound of each recorded delay, child start offsets included
 * @param treeIdleSeconds  longest time that a tree may be idle (D5)
 * @param systemIdleSeconds longest time that the whole replay may be idle (D6)
 * @param benchmarkId      unique per run; part of every cache-bust marker
 */
public record ReplayOptions(
        int lanes,
        Optional<Duration> duration,
        Duration grace,
        boolean ignoreDelays,
        OptionalDouble delayCapSeconds,
        OptionalDouble treeIdleSeconds,
        OptionalDouble systemIdleSeconds,
        CacheBust cacheBust,
        String benchmarkId) {

    /** Every trace in recorded time, no markers. */
    public static ReplayOptions of(int lanes) {
        return new ReplayOptions(
                lanes,
                Optional.empty(),
                Duration.ofSeconds(30),
                false,
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                OptionalDouble.empty(),
                CacheBust.NONE,
                "");
    }
}
