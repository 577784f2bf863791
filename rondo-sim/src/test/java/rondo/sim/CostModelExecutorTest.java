package rondo.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.base.TokenIds;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.MemoryBudget;
import rondo.engine.spi.ModelFacts;
import rondo.engine.spi.SamplePlan;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.kv.KvLayout;
import rondo.kv.KvPools;
import rondo.kv.LifeCycle;
import rondo.kv.PageCopies;
import rondo.kv.Tier;

/** When steps and copies end on the virtual clock, and what they answer. */
class CostModelExecutorTest {
    private static final KvLayout LAYOUT = new KvLayout(4, List.of(LifeCycle.full()), List.of(4000L));
    /** 1000 ns a step, 10 a token, 1 a byte read; a page of 4000 bytes is copied in 400. */
    private static final CostModel COST = new CostModel(1000, 10, 1e9, 1e10);

    private final VirtualClock clock = new VirtualClock(0);
    private final CostModelExecutor executor = new CostModelExecutor(
            new ModelFacts(128, 1000, LAYOUT, 0), new MemoryBudget(1, 1), COST, Replies.noise(128), clock);

    @BeforeEach
    void open() {
        executor.open(new KvPools(LAYOUT, List.of(16), List.of(16)), new StepLimits(4, 64, 4, 1000));
    }

    @Test
    void twoStepsInFlightRunOneAfterTheOther() {
        StepPlan first = plan(0, 4);
        assertThat(executor.submit(first)).isEqualTo(1);
        executor.sample(first);
        StepPlan second = plan(4, 4);
        executor.submit(second);
        assertThat(clock.nanoTime()).isZero();
        assertThat(executor.await(1).deviceNanos).isEqualTo(1000 + 40 + 4000);
        assertThat(clock.nanoTime()).isEqualTo(5040);
        executor.sample(second);
        executor.await(2);
        assertThat(clock.nanoTime()).isEqualTo(5040 + 1000 + 40 + 8000);
        assertThat(executor.stepsInFlight()).isZero();
        assertThat(executor.computedTokens()).isEqualTo(8);
    }

    @Test
    void aThirdStepInFlightAndAnAwaitBeforeTheSampleAreErrors() {
        executor.submit(plan(0, 1));
        assertThatThrownBy(() -> executor.await(1)).isInstanceOf(IllegalStateException.class);
        executor.submit(plan(1, 1));
        assertThatThrownBy(() -> executor.submit(plan(2, 1))).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void copiesLandInVirtualTimeEachWayByItself() {
        assertThat(executor.copy(copies(2, 0), 0)).isEqualTo(1);
        assertThat(executor.copy(copies(0, 1), 0)).isEqualTo(2);
        assertThat(executor.pollCopies()).isZero();
        assertThat(executor.nextLanding()).isEqualTo(800);
        clock.advanceTo(799);
        assertThat(executor.pollCopies()).isZero();
        clock.advanceTo(800); // the second landed at 400, but batches land in their order
        assertThat(executor.pollCopies()).isEqualTo(2);
        assertThat(executor.nextLanding()).isEqualTo(CostModelExecutor.NEVER);
    }

    @Test
    void aCopyStartsWhenTheStepThatWroteThePageIsDone() {
        StepPlan plan = plan(0, 4);
        executor.submit(plan);
        executor.sample(plan);
        executor.copy(copies(1, 0), 1);
        assertThat(executor.nextLanding()).isEqualTo(5040 + 400);
    }

    @Test
    void stepsThatMustWaitForCopiesDo() {
        executor.copy(copies(3, 0), 0);
        StepPlan waits = plan(0, 4);
        waits.pages.waitsForCopies = true;
        executor.submit(waits);
        executor.sample(waits);
        executor.await(1);
        assertThat(clock.nanoTime()).isEqualTo(1200 + 5040);
        assertThat(executor.copyWaitNanos()).isEqualTo(1200);
        executor.copy(copies(0, 5), 0);
        StepPlan nothing = executor.plan();
        executor.submit(nothing);
        executor.sample(nothing);
        executor.await(2);
        assertThat(clock.nanoTime()).isEqualTo(1200 + 5040 + 2000);
    }

    @Test
    void tokensDependOnTheSeedAndThePlaceOnly() {
        int[] tokens = new int[3];
        for (int i = 0; i < 3; i++) {
            StepPlan plan = plan(i, 1);
            plan.begin(0, SamplingParams.of(0, 0, 1, i == 1 ? 8 : 7), TokenIds.empty(), TokenIds.empty());
            plan.samples.position[0] = 5;
            executor.submit(plan);
            executor.sample(plan);
            tokens[i] = executor.await(i + 1).token[0];
        }
        assertThat(tokens[0]).isEqualTo(tokens[2]).isNotEqualTo(tokens[1]).isBetween(0, 127);
    }

    @Test
    void aMaskAndAForcedTokenAreObeyed() {
        StepPlan plan = plan(0, 1);
        plan.samples.masked[0] = true;
        plan.samples.mask(0).fill((byte) 0);
        plan.samples.mask(0).set(java.lang.foreign.ValueLayout.JAVA_BYTE, 9, (byte) 2);
        executor.submit(plan);
        executor.sample(plan);
        assertThat(executor.await(1).token[0]).isEqualTo(73);
        StepPlan forced = plan(1, 1);
        forced.samples.forced[0] = 3;
        executor.submit(forced);
        executor.sample(forced);
        assertThat(executor.await(2).token[0]).isEqualTo(3);
    }

    private StepPlan plan(int context, int length) {
        StepPlan plan = executor.plan();
        plan.addRun(0, context, length, 1);
        plan.samples.forced[0] = SamplePlan.NONE;
        plan.samples.masked[0] = false;
        return plan;
    }

    private static PageCopies copies(int out, int in) {
        PageCopies copies = new PageCopies();
        for (int i = 0; i < out; i++) {
            copies.add(0, Tier.DEVICE, 1 + i, Tier.HOST, i);
        }
        for (int i = 0; i < in; i++) {
            copies.add(0, Tier.HOST, i, Tier.DEVICE, 1 + i);
        }
        return copies;
    }
}
