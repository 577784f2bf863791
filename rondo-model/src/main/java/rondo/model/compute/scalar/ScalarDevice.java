package rondo.model.compute.scalar;

import java.util.List;
import rondo.model.compute.Device;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.Tensor;
import rondo.model.compute.Vector;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/**
 * A device in plain Java, on the heap, on the calling thread: the specification of the SPI, the oracle of fast kernels,
 * and the fallback where those cannot run. All arithmetic is float32, every dot product is summed in the order of K.
 */
public final class ScalarDevice implements Device {
    private final ScalarOps ops = new ScalarOps();

    @Override
    public String describe() {
        return "scalar: plain Java, float32, 1 thread";
    }

    @Override
    public Ops ops() {
        return ops;
    }

    @Override
    public Tensor tensor(int rows, int columns) {
        return new ScalarTensor(rows, columns);
    }

    @Override
    public Weight weight(List<WeightSource> parts) {
        return new ScalarWeight(parts);
    }

    @Override
    public Weight embedding(WeightSource table) {
        return new ScalarTable(table);
    }

    @Override
    public Vector vector(float[] values) {
        return new ScalarVector(values.clone());
    }

    @Override
    public KvMemory kv(KvSpec spec, int[] pages, int slots, int maxSeqLen) {
        return new ScalarKv(spec, pages, slots, maxSeqLen);
    }

    @Override
    public long freeBytes() {
        Runtime runtime = Runtime.getRuntime();
        return runtime.maxMemory() - (runtime.totalMemory() - runtime.freeMemory());
    }

    @Override
    public void close() {
        // Everything is on the heap.
    }

    record ScalarVector(float[] values) implements Vector {
        @Override
        public int length() {
            return values.length;
        }

        @Override
        public float get(int index) {
            return values[index];
        }
    }
}
