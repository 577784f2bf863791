package rondo.model;

import java.util.Optional;
import rondo.model.compute.ElementType;

/** A number type as the configuration writes it. */
public enum DType {
    AUTO("auto"),
    FLOAT16("float16"),
    BFLOAT16("bfloat16"),
    FLOAT32("float32");

    private final String key;

    DType(String key) {
        this.key = key;
    }

    /** As it is written in YAML and in {@code config.json}. */
    public String key() {
        return key;
    }

    /** The type of that name; empty if there is none. */
    public static Optional<DType> of(String key) {
        for (DType type : values()) {
            if (type.key.equals(key)) {
                return Optional.of(type);
            }
        }
        return Optional.empty();
    }

    /** The element type; AUTO must have been resolved. */
    ElementType element() {
        return switch (this) {
            case FLOAT16 -> ElementType.F16;
            case BFLOAT16 -> ElementType.BF16;
            case FLOAT32 -> ElementType.F32;
            case AUTO -> throw new IllegalStateException("auto is not resolved");
        };
    }
}
