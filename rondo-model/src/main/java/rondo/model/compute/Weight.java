package rondo.model.compute;

/** A matrix [rows, columns] in the device's own layout; y = x · Wᵀ has {@code rows} outputs. */
public interface Weight {
    int rows();

    int columns();

    /** Bytes that one pass over it reads. */
    long bytes();
}
