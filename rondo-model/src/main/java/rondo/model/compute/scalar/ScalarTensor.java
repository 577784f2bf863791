package rondo.model.compute.scalar;

import rondo.model.compute.Tensor;

/** Activations, row-major. */
final class ScalarTensor implements Tensor {
    final float[] data;
    private final int rows;
    private final int columns;

    ScalarTensor(int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        data = new float[Math.multiplyExact(rows, columns)];
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
        System.arraycopy(data, row * columns, into, 0, columns);
    }
}
