package rondo.model.checkpoint;

import java.util.List;

/** A tensor that somebody wants: its name and its extents, row-major. */
public record TensorShape(String name, List<Long> shape) {
    public TensorShape {
        shape = List.copyOf(shape);
    }

    long elements() {
        long product = 1;
        for (long extent : shape) {
            product = Math.multiplyExact(product, extent);
        }
        return product;
    }
}
