package rondo.server.kvevents;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import rondo.engine.EngineHarness;
import rondo.engine.StepEvents;
import rondo.kv.LifeCycle;

/** An engine with pools so small that blocks come, move to the host, come back and go. */
final class Conversations {
    static final int B = 4;

    private Conversations() {}

    /** Life cycle 0 slides, 1 is full. */
    static EngineHarness engine(StepEvents events) {
        return engine(events, 40, LifeCycle.sliding(8), LifeCycle.full());
    }

    static EngineHarness engine(StepEvents events, int pages, LifeCycle... cycles) {
        return EngineHarness.setup()
                .tokensPerBlock(B)
                .lifeCycles(cycles)
                .pages(pages)
                .hostPages(12)
                .vocabulary(7)
                .events(events, 1 << 20)
                .open();
    }

    /** Conversations that share prefixes, on pools so small that blocks come and go. */
    static void play(EngineHarness harness, SplittableRandom random, int requests) throws Exception {
        List<int[]> texts = new ArrayList<>(List.of(new int[] {1}));
        for (int i = 0; i < requests; i++) {
            int[] old = texts.get(random.nextInt(texts.size()));
            int[] prompt = Arrays.copyOf(old, random.nextInt(old.length) + 1 + random.nextInt(12));
            for (int t = 0; t < prompt.length; t++) {
                prompt[t] = t < old.length ? old[t] : random.nextInt(3);
            }
            prompt = Arrays.copyOf(prompt, Math.min(prompt.length, 60));
            texts.add(prompt);
            harness.submit(prompt, 1 + random.nextInt(6));
            if (random.nextInt(3) == 0) {
                harness.runUntilIdle();
            }
            if (random.nextInt(25) == 0) {
                harness.engine.clearPrefixCache();
            }
        }
        harness.runUntilIdle();
    }
}
