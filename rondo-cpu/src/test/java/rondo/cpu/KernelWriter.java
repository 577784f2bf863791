package rondo.cpu;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes {@code PanelKernels.java}: the inner loops of every matrix product, unrolled over rows and units because C2
 * keeps vectors in registers only within one method. Run {@link #main} after a change here; a test compares.
 */
final class KernelWriter {
    /** Where the output lies, from the module's directory. */
    static final Path OUTPUT = Path.of("src/main/java/rondo/cpu/PanelKernels.java");

    private static final List<Integer> ROWS = List.of(1, 2, 3, 4, 6, 8, 12);

    private static final String HEAD = """
            package rondo.cpu;

            import static rondo.cpu.Lanes.F;
            import static rondo.cpu.Lanes.I;
            import static rondo.cpu.Lanes.ORDER;

            import java.lang.foreign.MemorySegment;
            import jdk.incubator.vector.FloatVector;
            import jdk.incubator.vector.IntVector;
            import jdk.incubator.vector.VectorOperators;

            /**
             * The inner loops of every matrix product; written by {@code KernelWriter}, do not edit. A panel is 16 outputs wide: its
             * step k is one tile of 64 bytes, bf16 with the pair (2k, 2k+1) of one output in each 32-bit lane, float32 as two tiles. Each
             * accumulator belongs to one row and one unit of lanes and adds its products in the order of k, so an output's bits
             * depend on its own row and column alone.
             *
             * <p>{@code *Rows<n>} = linear: x is packed [k][n] from {@code xo}; out[i·stride + o] = Σ. {@code *Mix<n>} = the values of
             * attention: x are n rows of scores, {@link #SCORES} apart; the pairs from {@code first} to {@code end} lie in chunks of
             * {@code chunkPairs}, which begin at {@code chunks[]}.
             */
            final class PanelKernels {
                /** Floats from one row of scores to the next: a range of 256 and some, so that rows do not share cache sets. */
                static final int SCORES = 272;

                private static final int HIGH = 0xffff0000;

                private PanelKernels() {}
            """;

    private final StringBuilder text = new StringBuilder(HEAD);

    private KernelWriter() {}

    public static void main(String[] args) throws IOException {
        Files.writeString(OUTPUT, write());
    }

    static String write() {
        KernelWriter writer = new KernelWriter();
        for (boolean half : new boolean[] {true, false}) {
            for (int rows : ROWS) {
                writer.linear(half, rows, rows <= 2 ? 4 : 2);
            }
            for (int rows : ROWS) {
                writer.mix(half, rows);
            }
        }
        return writer.text.append("}\n").toString();
    }

    private void linear(boolean half, int rows, int units) {
        line(0, "");
        line(1, "static void " + (half ? "bf16" : "f32") + "Rows" + rows + "(");
        List<String> parameters = new ArrayList<>(List.of("MemorySegment w"));
        for (int u = 0; u < units; u++) {
            parameters.add("long w" + u);
        }
        parameters.addAll(List.of("int pairs", "float[] x", "int xo", "float[] out"));
        for (int u = 0; u < units; u++) {
            parameters.add("int o" + u);
        }
        parameters.add("int stride");
        parameters(parameters);
        accumulators(rows, units);
        line(2, "for (int k = 0; k < pairs; k++) {");
        line(3, "long at = k * " + (half ? "64L" : "128L") + ";");
        line(3, "int xk = xo + k * " + 2 * rows + ";");
        step(3, half, rows, units, "xk", 1, rows);
        line(2, "}");
        stores(rows, units);
        line(1, "}");
    }

    private void mix(boolean half, int rows) {
        line(0, "");
        line(1, "static void " + (half ? "bf16" : "f32") + "Mix" + rows + "(");
        parameters(List.of(
                "MemorySegment w",
                "long[] chunks",
                "int chunkPairs",
                "long d0",
                "long d1",
                "int first",
                "int end",
                "float[] x",
                "int xo",
                "float[] out",
                "int o0",
                "int o1",
                "int stride"));
        accumulators(rows, 2);
        line(2, "for (int c = first / chunkPairs; c * chunkPairs < end; c++) {");
        line(3, "int base = c * chunkPairs;");
        line(3, "int stop = Math.min(end, base + chunkPairs);");
        line(3, "long w0 = chunks[c] + d0;");
        line(3, "long w1 = chunks[c] + d1;");
        line(3, "for (int k = Math.max(first, base); k < stop; k++) {");
        line(4, "long at = (k - base) * " + (half ? "64L" : "128L") + ";");
        line(4, "int xk = xo + k * 2;");
        step(4, half, rows, 2, "xk", 272, 1);
        line(3, "}");
        line(2, "}");
        stores(rows, 2);
        line(1, "}");
    }

    /** As the formatter has them: on one line where that fits, else one a line. */
    private void parameters(List<String> all) {
        String joined = String.join(", ", all) + ") {";
        if (joined.length() <= 120 - 12) {
            line(3, joined);
        } else {
            for (int i = 0; i < all.size(); i++) {
                line(3, all.get(i) + (i == all.size() - 1 ? ") {" : ","));
            }
        }
    }

    private void accumulators(int rows, int units) {
        for (int i = 0; i < rows; i++) {
            for (int u = 0; u < units; u++) {
                line(2, "FloatVector " + sum(i, u) + " = FloatVector.zero(F);");
            }
        }
    }

    /** One tile of each unit: the even k of the pair, then the odd one. */
    private void step(int indent, boolean half, int rows, int units, String x, int rowStep, int kStep) {
        if (half) {
            for (int u = 0; u < units; u++) {
                line(indent, "IntVector t" + u + " = IntVector.fromMemorySegment(I, w, w" + u + " + at, ORDER);");
            }
            for (int u = 0; u < units; u++) {
                line(
                        indent,
                        "FloatVector v" + u + " = t" + u
                                + ".lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();");
            }
        } else {
            for (int u = 0; u < units; u++) {
                line(indent, "FloatVector v" + u + " = FloatVector.fromMemorySegment(F, w, w" + u + " + at, ORDER);");
            }
        }
        products(indent, true, rows, units, x, rowStep, 0);
        for (int u = 0; u < units; u++) {
            line(
                    indent,
                    half
                            ? "v" + u + " = t" + u + ".and(HIGH).reinterpretAsFloats();"
                            : "v" + u + " = FloatVector.fromMemorySegment(F, w, w" + u + " + at + 64, ORDER);");
        }
        products(indent, false, rows, units, x, rowStep, kStep);
    }

    private void products(int indent, boolean declare, int rows, int units, String x, int rowStep, int offset) {
        for (int i = 0; i < rows; i++) {
            int at = i * rowStep + offset;
            String index = at == 0 ? x : x + " + " + at;
            line(
                    indent,
                    (declare && i == 0 ? "FloatVector b" : "b") + " = FloatVector.broadcast(F, x[" + index + "]);");
            for (int u = 0; u < units; u++) {
                line(indent, sum(i, u) + " = v" + u + ".fma(b, " + sum(i, u) + ");");
            }
        }
    }

    private void stores(int rows, int units) {
        for (int i = 0; i < rows; i++) {
            for (int u = 0; u < units; u++) {
                String row = i == 0 ? "" : i == 1 ? " + stride" : " + " + i + " * stride";
                line(2, sum(i, u) + ".intoArray(out, o" + u + row + ");");
            }
        }
    }

    private static String sum(int row, int unit) {
        return "abcd".charAt(unit) + "" + row;
    }

    private void line(int indent, String content) {
        if (!content.isEmpty()) {
            text.append("    ".repeat(indent)).append(content);
        }
        text.append('\n');
    }
}
