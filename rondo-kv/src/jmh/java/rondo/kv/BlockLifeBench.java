package rondo.kv;

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
 * Allocate, commit and free, per block: a prompt of {@link #BLOCKS} blocks that is new to a full cache is admitted, gets
 * its pages (each of which evicts one), is committed and released. The keys are made before, as on a request's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class BlockLifeBench {
    private static final int BLOCKS = 1000;

    private PromptKeys[] prompts = {};
    private final PageWork work = new PageWork();
    /** A block of a hybrid cache has two pages, one per life cycle. */
    @Param({"full", "hybrid"})
    public String cycles;

    /** Slots per life cycle. */
    @Param({"32000", "256000"})
    public int slots;

    private KvCacheManager kv;
    private int next;
    private long step;

    @Setup
    public void fill() {
        // Room for half of the prompts: what comes round again has been evicted.
        prompts = new PromptKeys[2 * slots / BLOCKS];
        for (int i = 0; i < prompts.length; i++) {
            int[] tokens = Loads.tokens(i, BLOCKS * Loads.B);
            tokens[0] = i; // no two begin alike by chance
            prompts[i] = Loads.keys(tokens);
        }
        kv = Loads.cache(Loads.cycles(cycles), slots, KvOptions.defaults());
        for (int i = 0; i < prompts.length; i++) {
            life();
        }
    }

    @Benchmark
    @OperationsPerInvocation(BLOCKS)
    public int life() {
        PromptKeys keys = prompts[next++ % prompts.length];
        step++;
        kv.fences(step - 1, step - 1, step - 1);
        work.clear();
        Match match = kv.match(keys, keys.tokens() - 1);
        if (match.tokens() > 0) {
            throw new AssertionError("the prompt should have been evicted, found " + match.tokens());
        }
        int r = kv.admit(match, Retention.of(keys.tokens()), 0, work).orElseThrow();
        int granted = kv.grow(r, keys.tokens(), keys.tokens(), work);
        kv.submitted(r, granted, step);
        kv.completed(r, granted, keys);
        kv.release(r, step, true);
        return work.edits;
    }
}
