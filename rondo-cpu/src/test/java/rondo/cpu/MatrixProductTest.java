package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.model.compute.ElementType;
import rondo.model.compute.Tensor;
import rondo.model.compute.Weight;
import rondo.model.compute.WeightSource;

/** Every output is one chain of fused multiply-adds in the order of K: checked to the bit against just that. */
class MatrixProductTest {
    @Test
    void everyRowCountGivesTheSameBits() {
        SplittableRandom random = new SplittableRandom(3);
        try (CpuDevice device = new CpuDevice(2)) {
            for (ElementType type : ElementType.values()) {
                for (int rows = 1; rows <= 40; rows++) {
                    check(device, random, type, rows, 1 + random.nextInt(150), 1 + random.nextInt(90));
                }
            }
        }
    }

    @Test
    void everyShapeGivesTheSameBits() {
        Seeds.forEach(60, random -> {
            ElementType type = ElementType.values()[random.nextInt(3)];
            try (CpuDevice device = new CpuDevice(1 + random.nextInt(3))) {
                check(device, random, type, 1 + random.nextInt(60), 1 + random.nextInt(700), 1 + random.nextInt(400));
            }
        });
    }

    @Test
    void moreRowsThanArePackedAtOnceGiveTheSameBits() {
        try (CpuDevice device = new CpuDevice(2)) {
            check(device, new SplittableRandom(5), ElementType.BF16, 1100, 70, 30);
        }
    }

    @Test
    void gatheredRowsGiveTheLogitsOfThoseRows() {
        SplittableRandom random = new SplittableRandom(9);
        try (CpuDevice device = new CpuDevice(2)) {
            int columns = 50;
            float[] w = Numbers.random(random, 333 * columns);
            Weight head = device.weight(List.of(Numbers.source(ElementType.BF16, 333, columns, w)));
            Tensor in = filled(device, random, 30, columns);
            for (int[] index : new int[][] {{29}, {0, 29, 3}, {5, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}}) {
                Tensor out = device.tensor(index.length, 333);
                device.ops().logits(out, in, index, index.length, head, 0.5f, 3f);
                for (int j = 0; j < index.length; j++) {
                    float[] x = Numbers.read(in, index[j]);
                    for (int o = 0; o < 333; o++) {
                        double z = product(ElementType.BF16, w, o, x);
                        double wanted = 3 * Math.tanh(0.5 * z / 3);
                        assertThat(Numbers.read(out, j)[o]).isCloseTo((float) wanted, within(1e-6f));
                    }
                }
            }
        }
    }

    private static org.assertj.core.data.Offset<Float> within(float x) {
        return org.assertj.core.api.Assertions.within(x);
    }

    static void check(CpuDevice device, SplittableRandom random, ElementType type, int rows, int outputs, int columns) {
        float[] w = Numbers.random(random, outputs * columns);
        List<WeightSource> parts = new ArrayList<>();
        for (int from = 0; from < outputs; ) {
            int part = Math.min(outputs - from, 1 + random.nextInt(outputs));
            float[] piece = new float[part * columns];
            System.arraycopy(w, from * columns, piece, 0, piece.length);
            parts.add(Numbers.source(type, part, columns, piece));
            from += part;
        }
        Weight weight = device.weight(parts);
        Tensor in = filled(device, random, rows, columns);
        Tensor out = device.tensor(rows, outputs + random.nextInt(3));
        device.ops().linear(out, in, rows, weight);
        for (int row = 0; row < rows; row++) {
            float[] x = Numbers.read(in, row);
            float[] y = Numbers.read(out, row);
            for (int o = 0; o < outputs; o++) {
                if (Float.floatToIntBits(y[o]) != Float.floatToIntBits(product(type, w, o, x))) {
                    fail("%s rows %d of %d x %d: row %d output %d", type, rows, outputs, columns, row, o);
                }
            }
        }
    }

    private static Tensor filled(CpuDevice device, SplittableRandom random, int rows, int columns) {
        Tensor in = device.tensor(rows, columns);
        for (int row = 0; row < rows; row++) {
            Numbers.write(in, row, Numbers.random(random, columns));
        }
        return in;
    }

    private static float product(ElementType type, float[] w, int output, float[] x) {
        float sum = 0;
        for (int k = 0; k < x.length; k++) {
            sum = Math.fma(Numbers.rounded(type, w[output * x.length + k]), x[k], sum);
        }
        return sum;
    }
}
