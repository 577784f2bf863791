package rondo.kv;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The memory's part of decode steps, per block that fills: 64 sequences beside each other, each of which grows by a token
 * per step, has it hashed and committed, and lets go of what leaves the window; every new page evicts one. An invocation
 * is one step, two blocks' worth; now and then all sequences end and others begin, which is in the figure.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class DecodeBench {
    private static final int SEQUENCES = 64;
    private static final int PROMPT = 4096;
    private static final int OUTPUT = 16_384;
    private static final int SLOTS = SEQUENCES * (PROMPT + OUTPUT) / Loads.B + 8_000;

    private final PromptKeys[] prompts = new PromptKeys[4 * SEQUENCES];
    private final PageWork work = new PageWork();
    private final int[] reservation = new int[SEQUENCES];
    private final SequenceKeys[] keys = new SequenceKeys[SEQUENCES];
    private KvCacheManager kv;
    private long step;
    private int next;

    @Setup
    public void fill() {
        kv = Loads.cache(Loads.cycles("hybrid"), SLOTS, KvOptions.defaults());
        for (int i = 0; i < SLOTS * Loads.B / 100_000 + 1; i++) {
            Loads.play(kv, Loads.keys(Loads.tokens(-i, 100_000)), 8192);
        }
        for (int i = 0; i < prompts.length; i++) {
            prompts[i] = Loads.keys(Loads.tokens(i, PROMPT));
        }
    }

    /** The sequences so far end, and new ones are prefilled. */
    private void begin() {
        for (int i = 0; i < SEQUENCES; i++) {
            if (keys[i] != null) {
                kv.release(reservation[i], step, true);
            }
        }
        for (int i = 0; i < SEQUENCES; i++) {
            PromptKeys prompt = prompts[next++ % prompts.length];
            work.clear();
            reservation[i] = kv.admit(kv.match(prompt, PROMPT - 1), Retention.of(PROMPT), i, work)
                    .orElseThrow();
            keys[i] = new SequenceKeys(prompt, OUTPUT);
            int rest = PROMPT - kv.reservations().history[reservation[i]];
            kv.fences(step, step, step);
            kv.grow(reservation[i], rest, rest, work);
            kv.submitted(reservation[i], rest, ++step);
            kv.completed(reservation[i], rest, keys[i]);
        }
    }

    @Benchmark
    @OperationsPerInvocation(SEQUENCES / Loads.B)
    public int decode() {
        if (keys[0] == null || keys[0].outputTokens() == OUTPUT) {
            begin();
        }
        kv.fences(step, step, step);
        work.clear();
        step++;
        for (int r : reservation) {
            if (kv.grow(r, 1, 1, work) == 0) {
                throw new AssertionError("no room");
            }
            kv.submitted(r, 1, step);
        }
        for (int i = 0; i < SEQUENCES; i++) {
            keys[i].append((int) step & 0xFFFF ^ i);
            kv.completed(reservation[i], 1, keys[i]);
        }
        return work.edits;
    }
}
