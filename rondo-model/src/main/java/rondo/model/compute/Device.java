package rondo.model.compute;

import java.util.List;

/** A place that computes: memory, weights in its own layout, and {@link Ops}. Used from one thread. */
public interface Device extends AutoCloseable {
    /** One line for the log: what it is and how it computes. */
    String describe();

    Ops ops();

    Tensor tensor(int rows, int columns);

    /** Takes in matrices with equal columns as one, stacked by rows in this order (fused projections). */
    Weight weight(List<WeightSource> parts);

    /** Takes in an embedding table, of which single rows are read. */
    Weight embedding(WeightSource table);

    Vector vector(float[] values);

    /** {@code pages[group]} pages per group, and block tables for {@code slots} sequences of {@code maxSeqLen} tokens. */
    KvMemory kv(KvSpec spec, int[] pages, int slots, int maxSeqLen);

    /** Bytes that may still be allocated, as far as the device can tell. */
    long freeBytes();

    /** Frees everything that it made. */
    @Override
    void close();
}
