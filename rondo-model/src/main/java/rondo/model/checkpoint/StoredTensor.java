package rondo.model.checkpoint;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import rondo.model.compute.ElementType;

/** One tensor of a checkpoint: its type, its shape, and its bytes (mapped, row-major, little-endian). */
public record StoredTensor(String name, StoredType type, List<Long> shape, MemorySegment bytes, Path file) {
    public StoredTensor {
        shape = List.copyOf(shape);
    }

    /** Its type as the decoder reads it; empty for types that no weight has. */
    public Optional<ElementType> element() {
        return type.element();
    }
}
