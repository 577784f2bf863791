package rondo.cpu;

import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The one vector width of all kernels: the widest that the machine likes, at most 512 bits. Panels are 16 outputs wide
 * whatever the width; a narrower machine walks a panel in 2 or 4 <em>units</em> of {@link #COUNT} lanes.
 */
final class Lanes {
    /** Outputs of a panel, and the multiple to which rows of activations are padded. */
    static final int PANEL = 16;

    /** Bytes of one step of a panel: 16 lanes of 32 bits. */
    static final int TILE_BYTES = 64;

    static final VectorSpecies<Float> F =
            FloatVector.SPECIES_PREFERRED.length() >= PANEL ? FloatVector.SPECIES_512 : FloatVector.SPECIES_PREFERRED;

    static final VectorSpecies<Integer> I =
            FloatVector.SPECIES_PREFERRED.length() >= PANEL ? IntVector.SPECIES_512 : IntVector.SPECIES_PREFERRED;

    static final int COUNT = F.length();

    /** Units in a panel. */
    static final int PARTS = PANEL / COUNT;

    /** Most rows of a block: 24 accumulators where there are 32 registers, 12 where there are 16. */
    static final int MAX_ROWS = COUNT == PANEL ? 12 : 6;

    static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;

    private Lanes() {}

    /** The smallest row count, not below {@code rows}, for which there is a kernel. */
    static int blockRows(int rows) {
        return rows <= 4 ? rows : rows <= 6 ? 6 : rows <= 8 ? Math.min(8, MAX_ROWS) : MAX_ROWS;
    }

    static int padded(int columns) {
        return (columns + PANEL - 1) & -PANEL;
    }
}
