package rondo.model.decoder;

/** Sees the logits of every row that a step samples, before they are sampled; for tests, which compare them whole. */
@FunctionalInterface
interface RowObserver {
    /** Sees nothing. */
    RowObserver NONE = (step, row, logits) -> {};

    /** {@code row} counts the plan's rows; the array is reused. */
    void row(long step, int row, float[] logits);
}
