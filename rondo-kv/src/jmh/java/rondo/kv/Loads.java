package rondo.kv;

import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import rondo.base.TokenIds;

/** Caches and prompts of the size that agents bring, for the benchmarks. */
final class Loads {
    static final int B = 32;
    /** Muse Glimmer's window. */
    static final int WINDOW = 2048;

    private static final int VOCABULARY = 200_000;

    private Loads() {}

    static List<LifeCycle> cycles(String name) {
        return switch (name) {
            case "full" -> List.of(LifeCycle.full());
            case "hybrid" -> List.of(LifeCycle.sliding(WINDOW), LifeCycle.full());
            default -> throw new IllegalArgumentException(name);
        };
    }

    static KvCacheManager cache(List<LifeCycle> cycles, int slots, KvOptions options) {
        KvLayout layout = new KvLayout(B, cycles, Collections.nCopies(cycles.size(), 425_984L));
        KvPools pools = new KvPools(
                layout, Collections.nCopies(cycles.size(), slots + 1), Collections.nCopies(cycles.size(), 0));
        return new KvCacheManager(pools, options, 64, 1 << 20);
    }

    static int[] tokens(long seed, int count) {
        return new SplittableRandom(seed).ints(count, 0, VOCABULARY).toArray();
    }

    static PromptKeys keys(int[] tokens) {
        return PromptKeys.of(TokenIds.of(tokens), CacheScope.unsalted(), B);
    }

    /** A whole life without output: prefill in chunks, commit, end. */
    static void play(KvCacheManager kv, PromptKeys keys, int chunk) {
        PageWork work = new PageWork();
        int r = kv.admit(kv.match(keys, keys.tokens() - 1), Retention.of(keys.tokens()), 0, work)
                .orElseThrow();
        int history = kv.reservations().history[r];
        while (history < keys.tokens()) {
            int granted = kv.grow(r, Math.min(chunk, keys.tokens() - history), 1, work);
            if (granted == 0) {
                throw new AssertionError("no room at " + history);
            }
            kv.submitted(r, granted, 0);
            kv.completed(r, granted, keys);
            history += granted;
            work.clear();
        }
        kv.release(r, 0, true);
    }
}
