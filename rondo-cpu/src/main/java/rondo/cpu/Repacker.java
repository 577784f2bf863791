package rondo.cpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import rondo.model.compute.ElementType;
import rondo.model.compute.WeightSource;

/** Brings matrices of a checkpoint into the kernels' layouts, all threads at once. float16 is widened to float32. */
final class Repacker {
    private static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT = JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** About what reading, turning and writing one number costs. */
    private static final long NANOS_PER_NUMBER = 1;

    private final WorkTeam team;
    private final HugeMemory memory;

    Repacker(WorkTeam team, HugeMemory memory) {
        this.team = team;
        this.memory = memory;
    }

    /** The parts stacked by rows. bf16 stays bf16 if all parts are; else everything becomes float32. */
    PanelWeight panels(List<WeightSource> parts) {
        int columns = parts.getFirst().columns();
        int rows = 0;
        boolean half = true;
        for (WeightSource part : parts) {
            if (part.columns() != columns) {
                throw new IllegalArgumentException(
                        part.name() + ": " + columns + " columns expected, got " + part.columns());
            }
            rows += part.rows();
            half &= part.type() == ElementType.BF16;
        }
        long panelBytes = PanelWeight.panelBytes(columns, half);
        int panels = (rows + Lanes.PANEL - 1) / Lanes.PANEL;
        MemorySegment data = memory.piece(panels * panelBytes);
        PanelWeight weight = new PanelWeight(rows, columns, half, data);
        int perTile = (int) Math.max(1, (1 << 18) / panelBytes);
        int tiles = (panels + perTile - 1) / perTile;
        boolean keepHalf = half;
        Scratch[] scratch = new Scratch[team.threads()];
        for (int i = 0; i < scratch.length; i++) {
            scratch[i] = new Scratch(columns, half);
        }
        team.run(
                (tile, worker) -> {
                    int end = Math.min(panels, (tile + 1) * perTile);
                    for (int panel = tile * perTile; panel < end; panel++) {
                        panel(
                                parts,
                                columns,
                                keepHalf,
                                panel,
                                data.asSlice(panel * panelBytes, panelBytes),
                                scratch[worker]);
                    }
                },
                tiles,
                (long) rows * columns * NANOS_PER_NUMBER);
        return weight;
    }

    /** The table as it is, off the file's mapping. */
    RowTable table(WeightSource source) {
        boolean half = source.type() == ElementType.BF16;
        long rowBytes = (long) source.columns() * (half ? 2 : 4);
        MemorySegment data = memory.piece(source.rows() * rowBytes);
        int perTile = (int) Math.max(1, (1 << 20) / rowBytes);
        int tiles = (source.rows() + perTile - 1) / perTile;
        team.run(
                (tile, worker) -> {
                    int from = tile * perTile;
                    int end = Math.min(source.rows(), from + perTile);
                    if (source.type() != ElementType.F16) {
                        long bytes = (end - from) * rowBytes;
                        MemorySegment.copy(source.bytes(), from * rowBytes, data, from * rowBytes, bytes);
                    } else {
                        for (long i = (long) from * source.columns(); i < (long) end * source.columns(); i++) {
                            data.set(
                                    FLOAT,
                                    i * 4,
                                    Float.float16ToFloat(source.bytes().get(SHORT, i * 2)));
                        }
                    }
                },
                tiles,
                (long) source.rows() * source.columns() / 4);
        return new RowTable(source.rows(), source.columns(), half, data);
    }

    /** One worker's scratch: a row as it comes, and a panel as it goes. */
    private static final class Scratch {
        private final short[] halfRow;
        private final float[] floatRow;
        private final int[] halfTiles;
        private final float[] floatTiles;

        Scratch(int columns, boolean half) {
            int padded = 2 * PanelWeight.pairs(columns);
            halfRow = new short[half ? padded : 0];
            halfTiles = new int[half ? padded / 2 * Lanes.PANEL : 0];
            floatRow = new float[half ? 0 : columns];
            floatTiles = new float[half ? 0 : padded * Lanes.PANEL];
        }
    }

    private static void panel(
            List<WeightSource> parts, int columns, boolean half, int panel, MemorySegment into, Scratch scratch) {
        for (int lane = 0; lane < Lanes.PANEL; lane++) {
            if (half) {
                Arrays.fill(scratch.halfRow, (short) 0);
                halfRow(parts, panel * Lanes.PANEL + lane, columns, scratch.halfRow);
                spread(scratch.halfRow, lane, scratch.halfTiles);
            } else {
                Arrays.fill(scratch.floatRow, 0);
                floatRow(parts, panel * Lanes.PANEL + lane, columns, scratch.floatRow);
                spread(scratch.floatRow, lane, scratch.floatTiles);
            }
        }
        if (half) {
            MemorySegment.copy(scratch.halfTiles, 0, into, INT, 0, scratch.halfTiles.length);
        } else {
            MemorySegment.copy(scratch.floatTiles, 0, into, FLOAT, 0, scratch.floatTiles.length);
        }
    }

    private static void spread(short[] row, int lane, int[] tiles) {
        for (int k = 0; k < row.length / 2; k++) {
            tiles[k * Lanes.PANEL + lane] = (row[2 * k] & 0xffff) | row[2 * k + 1] << 16;
        }
    }

    private static void spread(float[] row, int lane, float[] tiles) {
        for (int k = 0; k < row.length; k++) {
            tiles[k * Lanes.PANEL + lane] = row[k];
        }
    }

    private static void halfRow(List<WeightSource> parts, int row, int columns, short[] into) {
        int first = 0;
        for (WeightSource part : parts) {
            if (row < first + part.rows()) {
                MemorySegment.copy(part.bytes(), SHORT, (long) (row - first) * columns * 2, into, 0, columns);
                return;
            }
            first += part.rows();
        }
    }

    private static void floatRow(List<WeightSource> parts, int row, int columns, float[] into) {
        int first = 0;
        for (WeightSource part : parts) {
            if (row < first + part.rows()) {
                long at = (long) (row - first) * columns;
                for (int k = 0; k < columns; k++) {
                    into[k] = number(part, at + k);
                }
                return;
            }
            first += part.rows();
        }
    }

    private static float number(WeightSource source, long index) {
        return switch (source.type()) {
            case F32 -> source.bytes().get(FLOAT, index * 4);
            case BF16 -> Float.intBitsToFloat(source.bytes().get(SHORT, index * 2) << 16);
            case F16 -> Float.float16ToFloat(source.bytes().get(SHORT, index * 2));
        };
    }
}
