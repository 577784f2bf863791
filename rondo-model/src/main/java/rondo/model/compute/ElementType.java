package rondo.model.compute;

/** Types of stored numbers that the decoder can read. */
public enum ElementType {
    F32(4),
    BF16(2),
    F16(2);

    private final int bytes;

    ElementType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }
}
