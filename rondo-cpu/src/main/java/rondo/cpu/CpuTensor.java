package rondo.cpu;

import rondo.base.UserError;
import rondo.model.compute.Tensor;

/**
 * Activations as one float array, row after row. Rows are padded to 16 columns; the padding holds zeros (or what a
 * weight's zero rows make of a row), so that kernels may work on whole vectors.
 */
final class CpuTensor implements Tensor {
    /** Rows behind the last one: a product's last block may write up to three too many. */
    private static final int SPARE_ROWS = 3;

    /** Floats behind all rows that a kernel may read or write. */
    private static final int SLACK = 64;

    final float[] data;
    final int stride;
    private final int rows;
    private final int columns;

    CpuTensor(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        stride = Lanes.padded(columns);
        long floats = (long) (rows + SPARE_ROWS) * stride + SLACK;
        if (floats > Integer.MAX_VALUE - 8) {
            throw new UserError(
                    UserError.MEMORY,
                    "memory: activations of " + rows + " x " + columns + " are too big for one array;"
                            + " lower max_num_tokens");
        }
        try {
            data = new float[(int) floats];
        } catch (OutOfMemoryError e) {
            throw new UserError(
                    UserError.MEMORY,
                    "memory: the Java heap has no room for activations of " + rows + " x " + columns + " ("
                            + (floats >> 18) + " MiB); raise -Xmx or lower max_num_tokens",
                    e);
        }
    }

    @Override
    public int rows() {
        return rows;
    }

    @Override
    public int columns() {
        return columns;
    }

    @Override
    public void read(int row, float[] into) {
        System.arraycopy(data, row * stride, into, 0, columns);
    }
}
