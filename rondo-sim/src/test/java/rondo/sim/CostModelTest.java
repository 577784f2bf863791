package rondo.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvLayout;
import rondo.kv.LifeCycle;

/** What a step costs, by hand. */
class CostModelTest {
    private static final KvLayout MUSE =
            new KvLayout(32, List.of(LifeCycle.sliding(2048), LifeCycle.full()), List.of(1_277_952L, 425_984L));
    private final StepPlan plan = new StepPlan(new StepLimits(8, 10_000, 8, 1 << 20), 100);
    private final CostModel model = CostModel.museGlimmer30bOnH200();

    @Test
    void aDecodeStepReadsTheWholeContextOnceAndTheWindowOnce() {
        plan.addRun(0, 99_999, 1, 1);
        long kv = 100_000L * 425_984 / 32 + 2048L * 1_277_952 / 32;
        assertThat(model.stepNanos(plan, MUSE)).isEqualTo(13_000_000 + 66_000 + Math.round(kv / 4.3e12 * 1e9));
    }

    @Test
    void aChunkReadsTheWindowOfItsFirstTokenAndItself() {
        plan.addRun(0, 50_000, 8000, 0);
        long kv = 58_000L * 425_984 / 32 + (2047 + 8000L) * 1_277_952 / 32;
        assertThat(model.stepNanos(plan, MUSE)).isEqualTo(13_000_000 + 8000 * 66_000L + Math.round(kv / 4.3e12 * 1e9));
    }

    @Test
    void runsShareTheStepButNotTheirReads() {
        plan.addRun(0, 100, 1, 1);
        long one = model.stepNanos(plan, MUSE);
        plan.addRun(1, 100, 1, 1);
        assertThat(model.stepNanos(plan, MUSE) - 13_000_000).isCloseTo(2 * (one - 13_000_000), within(1L));
    }

    @Test
    void aStepWithoutRunsTakesNoTime() {
        assertThat(model.stepNanos(plan, MUSE)).isZero();
    }
}
