package rondo.kv;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import rondo.base.TokenIds;

/** A prompt of a million tokens of which 96 % are cached: its match, the reservation of its pages, and its next turn. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class LongPromptBench {
    private static final int TOKENS = 1_000_000;
    private static final int CACHED = 960_000;
    private static final int MORE = 800;

    private PromptKeys keys = PromptKeys.of(TokenIds.empty(), CacheScope.unsalted(), Loads.B);
    private TokenIds nextTurn = TokenIds.empty();
    private KvCacheManager kv;

    @Setup
    public void fill() {
        int[] tokens = Loads.tokens(1, TOKENS);
        keys = Loads.keys(tokens);
        nextTurn = keys.ids().append(Loads.tokens(2, MORE), 0, MORE);
        kv = Loads.cache(Loads.cycles("hybrid"), TOKENS / Loads.B + 8192, KvOptions.defaults());
        int[] other = Loads.tokens(3, 100_000);
        System.arraycopy(tokens, 0, other, 0, 50_000);
        Loads.play(kv, Loads.keys(Arrays.copyOf(tokens, CACHED)), 8192);
        Loads.play(kv, Loads.keys(other), 8192);
    }

    @Benchmark
    public Match match() {
        return kv.match(keys, TOKENS - 1);
    }

    @Benchmark
    public PromptKeys extendTheChainBy800Tokens() {
        return keys.extend(nextTurn);
    }

    /** Admission holds the cached pages, growing gives a chunk; released again outside of the measurement. */
    @State(Scope.Thread)
    public static class Reserved {
        private final PageWork work = new PageWork();
        private KvCacheManager kv;
        private Match match;
        private int reservation;

        @Setup(Level.Invocation)
        public void find(LongPromptBench bench) {
            kv = bench.kv;
            kv.fences(0, 0, 0);
            work.clear();
            match = kv.match(bench.keys, TOKENS - 1);
            if (match.tokens() != CACHED) {
                throw new AssertionError("matched " + match.tokens());
            }
        }

        @TearDown(Level.Invocation)
        public void release() {
            kv.release(reservation, 0, false);
        }
    }

    @Benchmark
    public int reserve(Reserved r) {
        r.reservation = r.kv.admit(r.match, Retention.of(TOKENS), 0, r.work).orElseThrow();
        return r.kv.grow(r.reservation, 8192, 8192, r.work);
    }
}
