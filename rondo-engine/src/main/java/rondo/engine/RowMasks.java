package rondo.engine;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import rondo.engine.spi.SamplePlan;

/** Fills the masks of a step's rows: grammars, and end and stop tokens before the minimum length. */
final class RowMasks {
    private final long words;

    RowMasks(int vocabulary) {
        words = (vocabulary + 63L) / 64;
    }

    /** For a row whose sequence's output is known up to the row's own token. */
    void fill(Sequence s, int row, SamplePlan samples) {
        TokenConstraint constraint = s.request.constraint();
        StopRules stop = s.request.stop();
        boolean early = s.keys.outputTokens() < stop.minTokens();
        if (constraint == TokenConstraint.NONE && !early) {
            return;
        }
        MemorySegment bits = samples.mask(row);
        boolean masked = constraint.fill(bits);
        if (early) {
            if (!masked) {
                for (long w = 0; w < words; w++) {
                    bits.setAtIndex(ValueLayout.JAVA_LONG, w, -1L);
                }
            }
            if (!stop.ignoreEnd()) {
                forbid(bits, stop.endIds());
            }
            forbid(bits, stop.stopIds());
            masked = true;
        }
        samples.masked[row] = masked;
    }

    private void forbid(MemorySegment bits, int[] ids) {
        for (int id : ids) {
            long word = id >> 6;
            if (id >= 0 && word < words) {
                long old = bits.getAtIndex(ValueLayout.JAVA_LONG, word);
                bits.setAtIndex(ValueLayout.JAVA_LONG, word, old & ~(1L << (id & 63)));
            }
        }
    }
}
