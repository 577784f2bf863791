package rondo.model.checkpoint;

import java.util.Optional;
import rondo.model.compute.ElementType;

/** The number types that a safetensors header may name. */
public enum StoredType {
    F64(8),
    F32(4),
    F16(2),
    BF16(2),
    I64(8),
    I32(4),
    I16(2),
    I8(1),
    U8(1),
    BOOL(1),
    F8_E4M3(1),
    F8_E5M2(1);

    private final int bytes;

    StoredType(int bytes) {
        this.bytes = bytes;
    }

    public int bytes() {
        return bytes;
    }

    static Optional<StoredType> named(String name) {
        for (StoredType type : values()) {
            if (type.name().equals(name)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** What the decoder reads it as; empty for types that no weight of a decoder has. */
    Optional<ElementType> element() {
        return switch (this) {
            case F32 -> Optional.of(ElementType.F32);
            case F16 -> Optional.of(ElementType.F16);
            case BF16 -> Optional.of(ElementType.BF16);
            case F64, I64, I32, I16, I8, U8, BOOL, F8_E4M3, F8_E5M2 -> Optional.empty();
        };
    }
}
