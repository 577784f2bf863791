package rondo.model.compute.scalar;

import java.util.List;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/**
 * A matrix widened to float32 in panels of {@value #PANEL} output rows, {@code [panel][column][row in panel]}: so the
 * inner loop runs over outputs, and each output is still summed in the order of K.
 */
final class ScalarWeight implements Weight {
    static final int PANEL = 256;

    final float[][] panels;
    private final int rows;
    private final int columns;

    ScalarWeight(List<WeightSource> parts) {
        rows = parts.stream().mapToInt(WeightSource::rows).sum();
        columns = parts.getFirst().columns();
        panels = new float[(rows + PANEL - 1) / PANEL][Math.multiplyExact(PANEL, columns)];
        int row = 0;
        for (WeightSource part : parts) {
            if (part.columns() != columns) {
                throw new IllegalArgumentException(
                        part.name() + ": " + columns + " columns expected, got " + part.columns());
            }
            for (int r = 0; r < part.rows(); r++, row++) {
                takeRow(part, r, row);
            }
        }
    }

    private void takeRow(WeightSource part, int from, int to) {
        float[] panel = panels[to / PANEL];
        int lane = to % PANEL;
        long base = (long) from * columns;
        for (int k = 0; k < columns; k++) {
            panel[k * PANEL + lane] = Numbers.read(part.bytes(), part.type(), base + k);
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
    public long bytes() {
        return 4L * panels.length * PANEL * columns;
    }
}
