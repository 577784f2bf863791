package rondo.model.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.TimeSource;
import rondo.engine.sample.SamplingParams;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.engine.spi.StepResult;
import rondo.kv.PageCopies;
import rondo.kv.Tier;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.SyntheticCheckpoint;
import rondo.model.compute.ElementType;
import rondo.model.compute.scalar.ScalarDevice;

/** The executor's side of the SPI: order, overlap, failures, sampling. */
class DecoderExecutorTest {
    private static final SyntheticCheckpoint.Shape SHAPE =
            new SyntheticCheckpoint.Shape(64, 4, 4, 2, 16, 48, 64, false, 8, 256);
    private static final StepLimits LIMITS = new StepLimits(4, 64, 64, 128);
    private static final int NAN_TOKEN = 63;
    private static final int[] PROMPT = {3, 10, 17, 24, 31, 38, 45, 52, 59, 2};

    @TempDir
    private Path model;

    private StepDriver driver;
    private DecoderExecutor executor;

    @BeforeEach
    void load() {
        SyntheticCheckpoint.write(model, SHAPE, ElementType.F32);
        open();
    }

    private void open() {
        ModelOptions options = ModelOptions.defaults().withTokensPerBlock(4);
        executor = ModelLoader.load(model, options, new ScalarDevice(), TimeSource.system())
                .executor();
        driver = new StepDriver(executor, LIMITS, 200, 8);
    }

    @AfterEach
    void close() {
        executor.close();
    }

    @Test
    void aStepPlannedBeforeTheOneInFlightIsAwaitedContinuesWithItsToken() throws StepFailure {
        List<Integer> alone = new ArrayList<>();
        driver.prefill(0, PROMPT, PROMPT.length);
        alone.add(driver.tokens()[PROMPT.length - 1]);
        for (int i = 0; i < 20; i++) {
            driver.step(decode(0, PROMPT.length + i, alone.getLast()));
            alone.add(driver.tokens()[0]);
        }
        List<Integer> overlapped = new ArrayList<>();
        StepPlan plan = executor.plan();
        driver.add(plan, new StepDriver.Piece(1, 0, PROMPT, 1));
        long inFlight = executor.submit(plan);
        for (int i = 0; i < 20; i++) {
            StepPlan next = executor.plan();
            driver.add(next, decode(1, PROMPT.length + i, StepPlan.LAST));
            long submitted = executor.submit(next);
            executor.sample(plan);
            overlapped.add(executor.await(inFlight).token[0]);
            plan = next;
            inFlight = submitted;
        }
        executor.sample(plan);
        overlapped.add(executor.await(inFlight).token[0]);
        assertThat(overlapped).isEqualTo(alone);
    }

    @Test
    void editsOfALaterPlanDoNotTouchTheStepInFlight() throws StepFailure {
        List<float[]> alone = driver.prefill(0, PROMPT, PROMPT.length);
        StepPlan first = executor.plan();
        driver.add(first, new StepDriver.Piece(1, 0, Arrays.copyOf(PROMPT, 8), 0));
        int[] written = {driver.page(0, 1, 0), driver.page(1, 1, 0), driver.page(0, 1, 1), driver.page(1, 1, 1)};
        long one = executor.submit(first);
        StepPlan second = executor.plan();
        for (int block = 0; block < 2; block++) {
            driver.map(second, 0, 1, block, driver.freshPage(0));
            driver.map(second, 1, 1, block, driver.freshPage(1));
        }
        long two = executor.submit(second);
        executor.sample(first);
        executor.await(one);
        executor.sample(second);
        executor.await(two);
        StepPlan third = executor.plan();
        for (int i = 0; i < 4; i++) {
            driver.map(third, i % 2, 2, i / 2, written[i]);
        }
        List<float[]> rows = driver.step(third, new StepDriver.Piece(2, 8, new int[] {PROMPT[8], PROMPT[9]}, 2));
        assertThat(rows.get(0)).containsExactly(alone.get(8));
        assertThat(rows.get(1)).containsExactly(alone.get(9));
    }

    @Test
    void aSuperfluousRowComputesKvAndIsNotSampled() throws StepFailure {
        List<float[]> alone = driver.prefill(0, PROMPT, PROMPT.length);
        StepPlan plan = executor.plan();
        driver.add(plan, new StepDriver.Piece(1, 0, Arrays.copyOf(PROMPT, 9), 1));
        plan.samples.wanted[0] = false;
        assertThat(driver.step(plan)).isEmpty();
        List<float[]> rows = driver.step(decode(1, 9, PROMPT[9]));
        assertThat(rows.getFirst()).containsExactly(alone.get(9));
    }

    @Test
    void whatASubmittedStepSamplesMayBeSaidAfterTheStepBeforeIsAwaited() throws StepFailure {
        StepPlan first = executor.plan();
        for (int slot = 0; slot < 4; slot++) {
            driver.add(first, new StepDriver.Piece(slot, 0, PROMPT, 1));
        }
        long one = executor.submit(first);
        executor.sample(first);
        StepPlan second = executor.plan();
        for (int slot = 0; slot < 4; slot++) {
            driver.add(second, decode(slot, PROMPT.length, StepPlan.LAST));
        }
        long two = executor.submit(second);
        int free = executor.await(one).token[3];
        second.samples.masked[0] = true;
        second.samples.mask(0).fill((byte) 0);
        second.samples.mask(0).set(ValueLayout.JAVA_LONG, 0, 1L << 29);
        second.samples.forced[1] = 5;
        second.samples.wanted[2] = false;
        executor.sample(second);
        StepResult result = executor.await(two);
        assertThat(result.token[0]).isEqualTo(29);
        assertThat(result.token[1]).isEqualTo(5);
        int next = result.token[3];
        driver.step(new StepDriver.Piece(3, PROMPT.length, new int[] {free}, 1));
        assertThat(driver.tokens()[0]).isEqualTo(next);
    }

    @Test
    void rowsWithoutFiniteLogitsFailAloneAndTheOthersStand() throws StepFailure {
        executor.close();
        Poison.token(model, NAN_TOKEN, SHAPE.hidden());
        open();
        driver.prefill(0, PROMPT, PROMPT.length);
        int expected = driver.tokens()[PROMPT.length - 1];
        StepPlan plan = executor.plan();
        driver.add(
                plan, new StepDriver.Piece(1, 0, new int[] {5, NAN_TOKEN}, 1), new StepDriver.Piece(2, 0, PROMPT, 1));
        StepFailure.RowsFailed failure = catchThrowableOfType(StepFailure.RowsFailed.class, () -> driver.step(plan));
        assertThat(failure).hasMessage("run 0 has logits that are not finite");
        assertThat(failure.failed(0)).isTrue();
        assertThat(failure.failed(1)).isFalse();
        assertThat(failure.result().token[1]).isEqualTo(expected);
        // The failed sequence's row of the next step was planned before it was known to have failed.
        StepPlan next = executor.plan();
        driver.add(next, decode(1, 2, StepPlan.LAST), decode(2, PROMPT.length, StepPlan.LAST));
        next.samples.wanted[0] = false;
        assertThat(driver.step(next)).hasSize(1);
    }

    @Test
    void tokensThatDoNotExistFailTheirRun() {
        assertThatThrownBy(() -> driver.step(new StepDriver.Piece(0, 0, new int[] {1, SHAPE.vocabulary()}, 1)))
                .isInstanceOf(StepFailure.RowsFailed.class)
                .hasMessage("run 0 has a token id outside the vocabulary: 64");
        assertThatThrownBy(() -> driver.step(decode(1, 0, StepPlan.LAST))).isInstanceOf(StepFailure.RowsFailed.class);
    }

    @Test
    void anErrorOfTheDeviceLosesItForGood() {
        StepPlan plan = executor.plan();
        driver.add(plan, new StepDriver.Piece(0, 0, PROMPT, 1));
        plan.pages.edit(0, 0, 0, 1_000_000);
        assertThatThrownBy(() -> driver.step(plan)).isInstanceOf(StepFailure.DeviceLost.class);
        StepPlan next = executor.plan();
        long step = executor.submit(next);
        executor.sample(next);
        assertThatThrownBy(() -> executor.await(step)).isInstanceOf(StepFailure.DeviceLost.class);
    }

    @Test
    void copiesWaitForTheirStepAndLandInOrder() throws StepFailure {
        PageCopies copies = new PageCopies();
        copies.add(0, Tier.DEVICE, 1, Tier.HOST, 0);
        StepPlan plan = executor.plan();
        driver.add(plan, new StepDriver.Piece(0, 0, PROMPT, 1));
        long step = executor.submit(plan);
        long first = executor.copy(copies, step);
        copies.clear();
        long second = executor.copy(copies, 0);
        assertThat(second).isEqualTo(first + 1);
        assertThat(executor.pollCopies()).isZero();
        executor.sample(plan);
        executor.await(step);
        assertThat(executor.pollCopies()).isEqualTo(second);
    }

    /** What a run writes where a copy reads: the copy must be over, though a thread of its own makes it. */
    @Test
    void aStepThatWaitsForCopiesBeginsWhenTheyHaveLanded() throws StepFailure {
        PageCopies copies = new PageCopies();
        for (int i = 0; i < 300_000; i++) {
            copies.add(0, Tier.DEVICE, 1, Tier.HOST, 0);
        }
        StepPlan plan = executor.plan();
        driver.add(plan, new StepDriver.Piece(0, 0, PROMPT, 1));
        plan.pages.waitsForCopies = true;
        long batch = executor.copy(copies, 0);
        long step = executor.submit(plan);
        executor.sample(plan);
        StepResult result = executor.await(step);
        assertThat(executor.pollCopies()).isEqualTo(batch);
        assertThat(result.copyWaitNanos).isPositive();
    }

    /** R026: what a step writes over is copied first. */
    @Test
    void aStepThatWritesWhereACopyReadsWaitsForIt() throws StepFailure {
        List<float[]> alone = driver.prefill(0, PROMPT, PROMPT.length);
        for (int round = 0; round < 20; round++) {
            driver.forget(1);
            driver.step(new StepDriver.Piece(1, 0, Arrays.copyOf(PROMPT, 4), 0));
            int[] pages = {driver.page(0, 1, 0), driver.page(1, 1, 0)};
            PageCopies out = new PageCopies();
            for (int i = 0; i < 3000; i++) {
                out.add(i % 2, Tier.DEVICE, 150, Tier.HOST, 7);
            }
            out.add(0, Tier.DEVICE, pages[0], Tier.HOST, 1);
            out.add(1, Tier.DEVICE, pages[1], Tier.HOST, 1);
            executor.copy(out, 0);
            StepPlan over = executor.plan();
            over.pages.waitsForCopies = true;
            driver.map(over, 0, 2, 0, pages[0]);
            driver.map(over, 1, 2, 0, pages[1]);
            driver.step(over, new StepDriver.Piece(2, 0, new int[] {1, 2, 3, 4}, 0));
            PageCopies back = new PageCopies();
            int[] fresh = {driver.freshPage(0), driver.freshPage(1)};
            back.add(0, Tier.HOST, 1, Tier.DEVICE, fresh[0]);
            back.add(1, Tier.HOST, 1, Tier.DEVICE, fresh[1]);
            executor.copy(back, 0);
            StepPlan again = executor.plan();
            again.pages.waitsForCopies = true;
            driver.map(again, 0, 3, 0, fresh[0]);
            driver.map(again, 1, 3, 0, fresh[1]);
            int[] rest = Arrays.copyOfRange(PROMPT, 4, PROMPT.length);
            List<float[]> rows = driver.step(again, new StepDriver.Piece(3, 4, rest, rest.length));
            assertThat(rows.getLast()).containsExactly(alone.getLast());
        }
    }

    @Test
    void masksForcedTokensAndSeedsDecideTheSample() throws StepFailure {
        StepPlan plan = executor.plan();
        for (int slot = 0; slot < 4; slot++) {
            driver.add(plan, new StepDriver.Piece(slot, 0, PROMPT, 1));
        }
        plan.samples.masked[0] = true;
        plan.samples.mask(0).fill((byte) 0);
        plan.samples.mask(0).set(ValueLayout.JAVA_LONG, 0, 1L << 41);
        plan.samples.forced[1] = 7;
        plan.samples.topLogprobs[1] = 20;
        plan.beginParams[2] = SamplingParams.of(1.5f, 0, 1, 99);
        plan.beginParams[3] = SamplingParams.of(1.5f, 0, 1, 99);
        long step = executor.submit(plan);
        executor.sample(plan);
        StepResult result = executor.await(step);
        assertThat(result.token[0]).isEqualTo(41);
        assertThat(result.token[1]).isEqualTo(7);
        assertThat(result.logprob[1]).isNegative();
        assertThat(result.alternativeLogprob[StepResult.MAX_ALTERNATIVES]).isGreaterThanOrEqualTo(result.logprob[1]);
        assertThat(result.token[2]).isEqualTo(result.token[3]);
    }

    @Test
    void stepsWithoutRunsAndStepsWithoutRowsAreSteps() throws StepFailure {
        assertThat(driver.step()).isEmpty();
        assertThat(driver.step(new StepDriver.Piece(0, 0, PROMPT, 0))).isEmpty();
    }

    @Test
    void stepsAreAwaitedInOrderAndOnceSampled() throws StepFailure {
        StepPlan one = executor.plan();
        long first = executor.submit(one);
        assertThatThrownBy(() -> executor.await(first)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> executor.submit(one)).isInstanceOf(IllegalStateException.class);
        StepPlan two = executor.plan();
        long second = executor.submit(two);
        assertThatThrownBy(() -> executor.plan()).isInstanceOf(IllegalStateException.class);
        executor.sample(one);
        executor.sample(two);
        assertThatThrownBy(() -> executor.await(second)).isInstanceOf(IllegalStateException.class);
        executor.await(first);
        executor.await(second);
        assertThat(executor.plan()).isSameAs(one);
    }

    @Test
    void aLargerStepLeavesLessForTheCache() {
        long small = executor.budget(LIMITS).deviceBytes();
        long large = executor.budget(new StepLimits(4, 100_000, 64, 128)).deviceBytes();
        assertThat(large).isLessThan(small);
        assertThat(executor.budget(new StepLimits(4, 2_000_000_000, 64, 128)).deviceBytes())
                .isZero();
    }

    @Test
    void theForwardPassOfADecodeStepAllocatesNothing() throws StepFailure {
        driver.prefill(0, PROMPT, PROMPT.length);
        executor.observe(RowObserver.NONE);
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        // The least of many steps: code that is not compiled yet makes a big decimal of every fma.
        for (int i = 0; i < 5000 && least > 0; i++) {
            StepPlan plan = executor.plan();
            driver.add(plan, decode(0, PROMPT.length, 1 + i % 60));
            plan.samples.forced[0] = 7; // the sampler has its own tests
            long before = threads.getCurrentThreadAllocatedBytes();
            long step = executor.submit(plan);
            executor.sample(plan);
            executor.await(step);
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    private static StepDriver.Piece decode(int slot, int context, int token) {
        return new StepDriver.Piece(slot, context, new int[] {token}, 1);
    }
}
