package rondo.cpu;

import java.lang.foreign.MemorySegment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Threads;

/**
 * Calls every matrix kernel on a little made-up data until the JIT compiler has taken it, beside the start of the program.
 * A kernel that is not compiled is a hundred times slower, so without this the first requests would pay some seconds.
 */
final class WarmUp implements Runnable, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** Steps of a call's loop and calls: the compiler's last tier wants 600 calls, and 15,000 calls and steps together. */
    private static final int PAIRS = 24;

    private static final int CALLS = 700;

    /** Most needed first: decodes of one sequence, whole blocks of a prefill, then small batches. */
    private static final int[] ROWS = {1, 12, 4, 2, 8, 6, 3};

    private final boolean half;
    private final Thread thread;
    private volatile boolean stopped;

    /** @param half the kernels of bf16, else those of float32 */
    WarmUp(boolean half) {
        this.half = half;
        thread = Threads.start("rondo-warm-up", this);
    }

    @Override
    public void run() {
        long begin = System.nanoTime();
        try (HugeMemory memory = new HugeMemory()) {
            MemorySegment weights = memory.piece(8L * PAIRS * Lanes.TILE_BYTES);
            float[] x = new float[(Lanes.MAX_ROWS + 1) * PanelKernels.SCORES];
            float[] out = new float[Lanes.MAX_ROWS * 4 * Lanes.PANEL];
            for (int rows : ROWS) {
                if (rows <= Lanes.MAX_ROWS) {
                    products(rows, weights, x, out);
                    mixes(rows, weights, x, out);
                }
            }
        }
        LOG.debug("cpu: kernels warmed up ms={}", (System.nanoTime() - begin) / 1_000_000);
    }

    private void products(int rows, MemorySegment w, float[] x, float[] out) {
        for (int i = 0; i < CALLS && !stopped; i++) {
            if (rows <= 2) {
                Kernels.four(half, rows, w, 0, 0, 0, 0, PAIRS, x, 0, out, 0, 16, 32, 48, 64);
            } else {
                Kernels.two(half, rows, w, 0, 0, PAIRS, x, 0, out, 0, 16, 32);
            }
        }
    }

    private void mixes(int rows, MemorySegment w, float[] x, float[] out) {
        long[] chunks = new long[2];
        for (int i = 0; i < CALLS && !stopped; i++) {
            Kernels.mix(half, rows, w, chunks, PAIRS / 2, 0, 0, 0, PAIRS, x, 0, out, 0, 16, 32);
        }
    }

    /** Ends it, done or not. */
    @Override
    public void close() {
        stopped = true;
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
