package rondo.cpu;

import java.util.Arrays;
import rondo.model.compute.StepShape;

/**
 * Cosines and sines of rotated positions, kept because every layer of a step asks for the same ones. The angle is the
 * float32 product position · frequency (models.md §0). Filled by the calling thread before a region, only read inside.
 */
final class RopeTable {
    private static final int ROWS = 8192;

    private final float[] frequencies;
    private final int half;
    private final int[] positions = new int[ROWS];
    private final float[] cosSin;

    RopeTable(float[] frequencies, int half) {
        this.frequencies = frequencies;
        this.half = half;
        cosSin = new float[ROWS * 2 * half];
        Arrays.fill(positions, -1);
    }

    /** Makes the rows of a step's positions; where two positions share a row, the later one has it. */
    void prepare(StepShape step) {
        for (int r = 0; r < step.runs; r++) {
            int end = step.context[r] + step.length[r];
            for (int position = step.context[r]; position < end; position++) {
                int row = position & ROWS - 1;
                if (positions[row] != position) {
                    compute(position, cosSin, row * 2 * half);
                    positions[row] = position;
                }
            }
        }
    }

    /** Cosines, then sines, of a position: in {@link #values} from this index, or −1 if another position took its row. */
    int find(int position) {
        int row = position & ROWS - 1;
        return positions[row] == position ? row * 2 * half : -1;
    }

    float[] values() {
        return cosSin;
    }

    void compute(int position, float[] into, int at) {
        for (int j = 0; j < half; j++) {
            float angle = position * frequencies[j];
            into[at + j] = (float) Math.cos(angle);
            into[at + half + j] = (float) Math.sin(angle);
        }
    }
}
