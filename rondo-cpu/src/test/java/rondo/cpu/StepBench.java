package rondo.cpu;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import rondo.base.TimeSource;
import rondo.engine.spi.StepLimits;
import rondo.model.DType;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.SyntheticCheckpoint;
import rondo.model.compute.ElementType;
import rondo.model.decoder.StepDriver;

/**
 * Whole steps of a model beside the machine's ceilings, in interleaved rounds: {@code StepBench <model directory | 1b:<where
 * to write it>> [threads] [rounds] [batch]}. Prints medians; a machine that others use gives wrong figures.
 */
final class StepBench {
    private static final int PROMPT = 512;
    private static final int DECODES = 16;

    private StepBench() {}

    public static void main(String[] args) throws Exception {
        Path model = Path.of(args[0].startsWith("1b:") ? args[0].substring(3) : args[0]);
        int threads = args.length > 1 ? Integer.parseInt(args[1]) : 2;
        int rounds = args.length > 2 ? Integer.parseInt(args[2]) : 7;
        int batch = args.length > 3 ? Integer.parseInt(args[3]) : 1;
        if (args[0].startsWith("1b:") && !Files.exists(model.resolve("model.safetensors"))) {
            SyntheticCheckpoint.write(model, SyntheticCheckpoint.Shape.oneBillion(true), ElementType.BF16);
        }
        CountedWork work = new CountedWork();
        long begin = System.nanoTime();
        var options = ModelOptions.defaults().withKvDtype(DType.BFLOAT16);
        var loaded = ModelLoader.load(model, options, work.around(new CpuDevice(threads)), TimeSource.system());
        System.out.printf(Locale.ROOT, "load %.0f ms%n", (System.nanoTime() - begin) / 1e6);
        int slots = Math.max(2, batch + 1);
        var limits = new StepLimits(slots, PROMPT, slots, 4096);
        try (WorkTeam team = new WorkTeam(threads);
                Ceilings ceilings = new Ceilings(team);
                StepDriver driver = new StepDriver(loaded.executor(), limits, 140 * slots, 0)) {
            int vocabulary = loaded.executor().model().vocabulary();
            int[] ids = new SplittableRandom(1).ints(PROMPT, 0, vocabulary).toArray();
            double[][] seen = new double[8][rounds];
            for (int r = -2; r < rounds; r++) {
                double read = ceilings.readGigabytes();
                double fma = ceilings.fmaGigaflops();
                work.reset();
                long t0 = System.nanoTime();
                long c0 = cpuNanos();
                driver.step(new StepDriver.Piece(0, 0, ids, 1));
                long t1 = System.nanoTime();
                long operations = work.operations;
                long c1 = cpuNanos();
                work.reset();
                StepDriver.Piece[] pieces = new StepDriver.Piece[batch];
                for (int i = 0; i < DECODES; i++) {
                    for (int b = 0; b < batch; b++) {
                        pieces[b] = new StepDriver.Piece(b, PROMPT + i, new int[] {ids[i]}, 1);
                    }
                    driver.step(pieces);
                }
                long t2 = System.nanoTime();
                long c2 = cpuNanos();
                if (r >= 0) {
                    seen[0][r] = read;
                    seen[1][r] = fma;
                    seen[2][r] = (t1 - t0) / 1e6;
                    seen[3][r] = (t2 - t1) / 1e6 / DECODES;
                    seen[4][r] = operations / (double) (t1 - t0) / fma * 100;
                    seen[5][r] = work.weightBytes / (double) (t2 - t1) / read * 100;
                    seen[6][r] = (c1 - c0) / 1e6;
                    seen[7][r] = (c2 - c1) / 1e6 / DECODES;
                }
            }
            double prefill = median(seen[2]);
            double decode = median(seen[3]);
            System.out.printf(Locale.ROOT, "read %.1f GB/s, fma %.0f GFLOP/s%n", median(seen[0]), median(seen[1]));
            System.out.printf(
                    Locale.ROOT,
                    "prefill %d: %.1f ms (own cpu %.1f), %.0f tokens/s, products alone %.0f %% of the fma peak%n",
                    PROMPT,
                    prefill,
                    median(seen[6]),
                    PROMPT / prefill * 1e3,
                    median(seen[4]));
            System.out.printf(
                    Locale.ROOT,
                    "decode x%d: %.3f ms (own cpu %.3f), %.1f tokens/s, weights alone %.0f %% of the read bandwidth%n",
                    batch,
                    decode,
                    median(seen[7]),
                    batch * 1e3 / decode,
                    median(seen[5]));
        }
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }
}
