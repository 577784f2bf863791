package rondo.engine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SteadyStateTest {
    private static final int SEQUENCES = 32;
    private static final int STEPS = 10_000;

    /**
     * In a JVM of its own that only interprets: compiled code makes objects of the compiler's own when it is taken back,
     * and spares some that the program makes; here exactly what is written counts.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void tenThousandDecodeStepsAllocateNothing(boolean overlap) throws Exception {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process java = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xint",
                        "-Xmx512m",
                        "--add-modules=jdk.incubator.vector",
                        "-cp",
                        classPath,
                        SteadyStateTest.class.getName(),
                        Boolean.toString(overlap))
                .redirectErrorStream(true)
                .start();
        String said = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(java.waitFor()).as(said).isZero();
        assertThat(said.lines().toList().getLast()).as(said).isEqualTo("allocated 0");
    }

    /** What the child does. */
    public static void main(String[] args) throws Exception {
        try (EngineHarness h = EngineHarness.setup()
                .options(EngineOptions.of(SEQUENCES, 4096, 58_000))
                .overlap(Boolean.parseBoolean(args[0]))
                .tokensPerBlock(32)
                .pages(SEQUENCES * 1820)
                .time(new ManualClock())
                .model((tokens, count, position, vocabulary) -> tokens[count - 1] + 1 & 511)
                .open()) {
            h.executor.readNewest(1);
            List<Generation> all = new ArrayList<>();
            for (int i = 0; i < SEQUENCES; i++) {
                all.add(h.submit(new SplittableRandom(i).ints(50, 0, 500).toArray(), 57_000));
            }
            TokenBatch batch = new TokenBatch();
            // Buffers find their sizes, and the takers give their chunks back.
            run(h, all, batch, 1000);
            long allocated = allocated(h, all, batch, STEPS);
            EngineStats stats = h.engine.stats();
            boolean steady = stats.running() == SEQUENCES && stats.generatedTokens() > (long) STEPS * SEQUENCES;
            System.out.println(steady ? "allocated " + allocated : "not steady: " + stats);
        }
    }

    private static long allocated(EngineHarness h, List<Generation> all, TokenBatch batch, int steps) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        run(h, all, batch, steps);
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    private static void run(EngineHarness h, List<Generation> all, TokenBatch batch, int steps) {
        for (int step = 0; step < steps; step++) {
            h.engine.tick();
            if (step % 16 == 15) {
                for (int i = 0; i < all.size(); i++) {
                    all.get(i).take(batch, 0);
                }
            }
        }
    }
}
