package rondo.model.compute.scalar;

import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/** An embedding table, widened to float32, row-major. */
final class ScalarTable implements Weight {
    final float[][] table;
    private final int columns;

    ScalarTable(WeightSource source) {
        columns = source.columns();
        table = new float[source.rows()][columns];
        for (int r = 0; r < table.length; r++) {
            for (int k = 0; k < columns; k++) {
                table[r][k] = Numbers.read(source.bytes(), source.type(), (long) r * columns + k);
            }
        }
    }

    @Override
    public int rows() {
        return table.length;
    }

    @Override
    public int columns() {
        return columns;
    }

    @Override
    public long bytes() {
        return 4L * table.length * columns;
    }
}
