package rondo.cpu;

import static rondo.cpu.Lanes.F;
import static rondo.cpu.Lanes.I;
import static rondo.cpu.Lanes.ORDER;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/** What the machine gives at best, by the same means as the kernels: GB/s of reading, GFLOP/s of fused multiply-adds. */
final class Ceilings implements AutoCloseable {
    private static final long BYTES = 1L << 30;
    private static final int PIECE = 1 << 18;
    private static final int ROUNDS = 1 << 18;
    private static final int FMA_TILES = 32;
    private static final int CHAINS = 12;

    private final HugeMemory memory = new HugeMemory();
    private final MemorySegment data = memory.piece(BYTES);
    private final WorkTeam team;
    private final float[][] sinks;

    Ceilings(WorkTeam team) {
        this.team = team;
        sinks = new float[team.threads()][64];
        data.fill((byte) 1);
    }

    double readGigabytes() {
        long begin = System.nanoTime();
        team.run((tile, worker) -> sinks[worker][0] += read(data, (long) tile * PIECE), (int) (BYTES / PIECE), BYTES);
        return (double) BYTES / (System.nanoTime() - begin);
    }

    double fmaGigaflops() {
        long begin = System.nanoTime();
        team.run((tile, worker) -> fma(sinks[worker]), FMA_TILES, Long.MAX_VALUE);
        return 2.0 * CHAINS * F.length() * ROUNDS * FMA_TILES / (System.nanoTime() - begin);
    }

    private static int read(MemorySegment data, long from) {
        IntVector a = IntVector.zero(I);
        IntVector b = a;
        IntVector c = a;
        IntVector d = a;
        int step = I.length() * 4;
        for (long at = from; at < from + PIECE; at += 4L * step) {
            a = a.lanewise(VectorOperators.XOR, IntVector.fromMemorySegment(I, data, at, ORDER));
            b = b.lanewise(VectorOperators.XOR, IntVector.fromMemorySegment(I, data, at + step, ORDER));
            c = c.lanewise(VectorOperators.XOR, IntVector.fromMemorySegment(I, data, at + 2 * step, ORDER));
            d = d.lanewise(VectorOperators.XOR, IntVector.fromMemorySegment(I, data, at + 3 * step, ORDER));
        }
        return a.add(b).add(c.add(d)).reduceLanes(VectorOperators.ADD);
    }

    private static void fma(float[] sink) {
        FloatVector x = FloatVector.broadcast(F, 0.999f);
        FloatVector y = FloatVector.broadcast(F, 1e-3f);
        FloatVector a = y;
        FloatVector b = y;
        FloatVector c = y;
        FloatVector d = y;
        FloatVector e = y;
        FloatVector f = y;
        FloatVector g = y;
        FloatVector h = y;
        FloatVector i = y;
        FloatVector j = y;
        FloatVector k = y;
        FloatVector l = y;
        for (int n = 0; n < ROUNDS; n++) {
            a = a.fma(x, y);
            b = b.fma(x, y);
            c = c.fma(x, y);
            d = d.fma(x, y);
            e = e.fma(x, y);
            f = f.fma(x, y);
            g = g.fma(x, y);
            h = h.fma(x, y);
            i = i.fma(x, y);
            j = j.fma(x, y);
            k = k.fma(x, y);
            l = l.fma(x, y);
        }
        a.add(b)
                .add(c.add(d))
                .add(e.add(f))
                .add(g.add(h))
                .add(i.add(j))
                .add(k.add(l))
                .intoArray(sink, 0);
    }

    @Override
    public void close() {
        memory.close();
    }
}
