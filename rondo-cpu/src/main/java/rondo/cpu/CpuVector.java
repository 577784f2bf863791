package rondo.cpu;

import org.jspecify.annotations.Nullable;
import rondo.model.compute.Vector;

/** A small vector as a float array, padded with zeros to a multiple of 16. */
final class CpuVector implements Vector {
    private static final CpuVector NONE = new CpuVector(new float[0]);

    final float[] data;
    private final int length;
    private @Nullable RopeTable rope;

    CpuVector(float[] values) {
        length = values.length;
        data = new float[Lanes.padded(length)];
        System.arraycopy(values, 0, data, 0, length);
    }

    /** The device's own vector behind the interface. */
    static CpuVector of(Vector vector) {
        if (vector instanceof CpuVector own) {
            return own;
        }
        if (vector.length() == 0) {
            return NONE;
        }
        throw new IllegalArgumentException("a vector of another device");
    }

    /** The rotations by these frequencies, made when they are first asked for. */
    RopeTable rope() {
        RopeTable table = rope;
        if (table == null) {
            table = new RopeTable(data, length);
            rope = table;
        }
        return table;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public float get(int index) {
        return data[index];
    }
}
