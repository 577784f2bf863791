package rondo.kv;

import java.util.Collections;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Evict and offload, per page: as {@link BlockLifeBench}, with both tiers full. Every new page has one copied to the host,
 * ahead of need, and that one has the host drop another; the copies land at once. What {@link BlockLifeBench} costs is in
 * it: the difference is what the decision, the move and its landing cost.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class OffloadBench {
    private static final int BLOCKS = 1024;
    private static final int CHUNK = 8192;

    private PromptKeys[] prompts = {};
    private final PageWork work = new PageWork();

    /** Slots of the device and of the host. */
    @Param({"16384", "131072"})
    public int slots;

    private KvCacheManager kv;
    private int next;
    private long step;
    private long batch;
    private long moved;

    @Setup
    public void fill() {
        prompts = new PromptKeys[4 * slots / BLOCKS];
        for (int i = 0; i < prompts.length; i++) {
            int[] tokens = Loads.tokens(i, BLOCKS * Loads.B);
            tokens[0] = i; // no two begin alike by chance
            prompts[i] = Loads.keys(tokens);
        }
        KvLayout layout = new KvLayout(Loads.B, Loads.cycles("full"), Collections.nCopies(1, 425_984L));
        KvPools pools = new KvPools(layout, Collections.nCopies(1, slots + 1), Collections.nCopies(1, slots));
        kv = new KvCacheManager(pools, KvOptions.defaults(), 64, 1 << 20);
        for (int i = 0; i < prompts.length; i++) {
            life();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCKS)
    public long life() {
        PromptKeys keys = prompts[next++ % prompts.length];
        long before = moved;
        work.clear();
        Match match = kv.match(keys, keys.tokens() - 1);
        int r = kv.admit(match, Retention.of(keys.tokens()), 0, work).orElseThrow();
        for (int history = match.tokens(); history < keys.tokens(); ) {
            int granted = kv.grow(r, Math.min(CHUNK, keys.tokens() - history), 1, work);
            kv.demoteAhead(work);
            moved += work.tierCopies.count;
            if (work.tierCopies.count > 0) {
                kv.copiesStarted(++batch);
                kv.copied(batch);
            }
            step++;
            if (granted > 0) {
                kv.submitted(r, granted, step);
                kv.completed(r, granted, keys);
                history += granted;
            }
            kv.fences(step, step, step);
            work.clear();
        }
        kv.release(r, step, true);
        if (step > 8L * prompts.length && moved - before < BLOCKS / 2) {
            throw new AssertionError("pages moved: " + (moved - before));
        }
        return moved;
    }
}
