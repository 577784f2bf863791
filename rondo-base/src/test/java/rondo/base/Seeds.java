package rondo.base;

import java.util.SplittableRandom;

/** Seeds of property tests: {@code -Dseed=N} repeats one run; a failure names its seed. */
public final class Seeds {
    /** A check that draws everything random from the generator it is given. */
    @FunctionalInterface
    public interface Check {
        void run(SplittableRandom random) throws Exception;
    }

    private Seeds() {}

    /** Runs the check with {@code count} seeds, or with the one given by {@code -Dseed}. */
    public static void forEach(int count, Check check) {
        String fixed = System.getProperty("seed", "");
        if (!fixed.isEmpty()) {
            runOne(Long.parseLong(fixed), check);
            return;
        }
        for (int i = 0; i < count; i++) {
            runOne(1_000_003L * i + 17, check);
        }
    }

    private static void runOne(long seed, Check check) {
        try {
            check.run(new SplittableRandom(seed));
        } catch (Throwable e) {
            throw new AssertionError("failed with -Dseed=" + seed + ": " + e.getMessage(), e);
        }
    }
}
