package rondo.model.decoder;

import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;

/** Greedy rows. */
final class RowSampler {
    void begin(StepPlan plan, int i) {}

    int sample(int slot, SamplePlan samples, int row, float[] logits, StepResult result) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            if (logits[i] > logits[best]) {
                best = i;
            }
        }
        result.token[row] = best;
        return best;
    }
}
