package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import rondo.model.compute.Device;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.Tensor;
import rondo.model.compute.Vector;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/** A device that remembers the KV memory that was asked of it. */
final class WatchedDevice implements Device {
    private final Device device;
    private final List<KvMemory> memories = new ArrayList<>();

    WatchedDevice(Device device) {
        this.device = device;
    }

    KvMemory memory() {
        return memories.getLast();
    }

    @Override
    public KvMemory kv(KvSpec spec, int[] pages, int slots, int maxSeqLen) {
        memories.add(device.kv(spec, pages, slots, maxSeqLen));
        return memories.getLast();
    }

    @Override
    public String describe() {
        return device.describe();
    }

    @Override
    public Ops ops() {
        return device.ops();
    }

    @Override
    public Tensor tensor(int rows, int columns) {
        return device.tensor(rows, columns);
    }

    @Override
    public Weight weight(List<WeightSource> parts) {
        return device.weight(parts);
    }

    @Override
    public Weight embedding(WeightSource table) {
        return device.embedding(table);
    }

    @Override
    public Vector vector(float[] values) {
        return device.vector(values);
    }

    @Override
    public long freeBytes() {
        return device.freeBytes();
    }

    @Override
    public void close() {
        device.close();
    }
}
