package rondo.engine;

import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepPlan;
import rondo.kv.CacheScope;
import rondo.kv.KvCacheManager;
import rondo.kv.KvLayout;
import rondo.kv.KvOptions;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PromptKeys;

/** One plan for 64 running and 64 waiting sequences of 100,000 tokens each. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
public class PlanBench {
    private static final int SEQUENCES = 64;
    private static final int TOKENS = 100_000;
    private static final int STEP = 8192;
    private static final int BLOCK = 32;

    /** Why the others wait: all slots are taken, or slots are free and the pool of full attention is not. */
    @Param({"slots", "pages"})
    public String full;

    private final Flight flight = new Flight(2 * SEQUENCES);
    private KvCacheManager kv;
    private Scheduler scheduler;
    private StepPlan plan;
    private long step;

    @Setup
    public void fill() {
        int slots = full.equals("slots") ? SEQUENCES : 2 * SEQUENCES;
        EngineOptions options = EngineOptions.of(slots, STEP, 131_072).withOverlap(true);
        KvLayout layout = new KvLayout(BLOCK, List.of(LifeCycle.sliding(1024), LifeCycle.full()), List.of(1L, 1L));
        // The prompts share nothing; 64 of them and what they decode meanwhile fill the second pool.
        int pages = SEQUENCES * (TOKENS / BLOCK + 40) + 1;
        KvPools pools = new KvPools(layout, List.of(40_000, pages), List.of(0, 0));
        kv = new KvCacheManager(pools, KvOptions.defaults(), slots, 131_072);
        scheduler = new Scheduler(options, kv, layout, new QueueLimits(1000, 1L << 40));
        plan = new StepPlan(options.limits(), 1000);
        for (int i = 0; i < 2 * SEQUENCES; i++) {
            Sequence s = new Sequence(request(i), g -> {}, c -> {}, 0);
            s.arrival = i + 1;
            scheduler.waiting.insert(s);
        }
        while (!allDecode()) {
            run();
        }
        run();
    }

    private static GenerationRequest request(int i) {
        int[] ids = new SplittableRandom(i).ints(TOKENS, 0, 1000).toArray();
        PromptKeys keys = PromptKeys.of(TokenIds.of(ids), CacheScope.unsalted(), BLOCK);
        return GenerationRequest.of("r" + i, keys, 5000, SamplingParams.greedy(), StopRules.endingWith());
    }

    private boolean allDecode() {
        int decodes = 0;
        for (int i = 0; i < scheduler.active.size(); i++) {
            decodes += scheduler.active.get(i).state == Sequence.State.DECODE ? 1 : 0;
        }
        return decodes == SEQUENCES;
    }

    /** A step that gives every row the token 7, awaited at once. */
    private void run() {
        kv.fences(step, step, step);
        plan.clear();
        scheduler.plan(plan, flight, step, true, 0);
        step++;
        for (int i = 0; i < flight.runs.size(); i++) {
            kv.submitted(flight.runs.get(i).reservation, flight.length[i], step);
        }
        flight.submitted(step);
        for (int i = 0; i < flight.runs.size(); i++) {
            Sequence s = flight.runs.get(i);
            s.inFlight--;
            kv.completed(s.reservation, flight.length[i], s.keys);
            s.history += flight.length[i];
            if (flight.row[i] != Flight.NO_ROW) {
                s.samplesInFlight--;
                s.keys.append(7);
            }
        }
    }

    /** The plan is not submitted, so each invocation finds the same state. */
    @Benchmark
    public boolean plan() {
        plan.clear();
        return scheduler.plan(plan, flight, step, false, 0);
    }
}
