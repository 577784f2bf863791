package rondo.cpu;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.model.compute.Device;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.Tensor;
import rondo.model.compute.Vector;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/**
 * The processor as a device: weights and KV pages in huge-page memory outside the heap, activations as float arrays, kernels
 * by the Vector API, the calling thread as worker 0. Results depend neither on the threads nor on what is computed together.
 */
public final class CpuDevice implements Device {
    private final WorkTeam team;
    private final HugeMemory memory = new HugeMemory();
    private final Repacker repacker;
    private final CpuOps ops;
    private final List<KvMemory> pages = new ArrayList<>();

    private final boolean warmUp;
    private @Nullable WarmUp warming;
    private boolean halfWeights;

    /**
     * Needs the module {@code jdk.incubator.vector}; {@link Cpu#open} looks whether it is there.
     *
     * @param threads workers in all, the calling thread included
     */
    public CpuDevice(int threads) {
        this(threads, false);
    }

    /** @param warmUp the kernels are compiled in a thread of its own as soon as there is a KV memory */
    CpuDevice(int threads, boolean warmUp) {
        this.warmUp = warmUp;
        team = new WorkTeam(threads);
        repacker = new Repacker(team, memory);
        ops = new CpuOps(team);
    }

    @Override
    public String describe() {
        return "cpu threads=" + team.threads() + " vector_bits=" + Lanes.COUNT * Float.SIZE;
    }

    @Override
    public Ops ops() {
        return ops;
    }

    @Override
    public Tensor tensor(int rows, int columns) {
        return new CpuTensor(rows, columns);
    }

    @Override
    public Weight weight(List<WeightSource> parts) {
        PanelWeight weight = repacker.panels(parts);
        halfWeights |= weight.half();
        return weight;
    }

    @Override
    public Weight embedding(WeightSource table) {
        return repacker.table(table);
    }

    @Override
    public Vector vector(float[] values) {
        return new CpuVector(values);
    }

    @Override
    public KvMemory kv(KvSpec spec, int[] pageCounts, int slots, int maxSeqLen) {
        KvMemory made = new CpuKv(spec, pageCounts, slots, maxSeqLen);
        pages.add(made);
        if (warmUp && warming == null) {
            warming = new WarmUp(halfWeights);
        }
        return made;
    }

    @Override
    public long freeBytes() {
        return Cpu.freeBytes();
    }

    @Override
    public void close() {
        if (warming != null) {
            warming.close();
        }
        team.close();
        pages.forEach(KvMemory::close);
        pages.clear();
        memory.close();
    }
}
