package rondo.model.compute;

/** Activations [rows, columns] in the device's own type (float32 on a CPU), made once and reused by every step. */
public interface Tensor {
    int rows();

    int columns();

    /** Copies one row out as float32; for tests, sampling on the host and taps, not for the forward pass. */
    void read(int row, float[] into);
}
