package rondo.model.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.TimeSource;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.kv.LifeCycle;
import rondo.kv.Tier;
import rondo.model.DType;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.SyntheticCheckpoint;
import rondo.model.compute.Device;
import rondo.model.compute.ElementType;

/**
 * What every device must keep: the logits of a prompt are the same to the bit whatever the chunks, the companions and
 * the origin of its K and V. Pages that a sequence may not see hold NaNs, so that any use of them shows.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class SameBitsContract {
    private static final int PROMPT = 660;
    private static final int WINDOW = 100;
    private static final int BLOCK = 32;
    private static final int PAGES = 1500;
    private static final int SLOTS = 18;
    private static final int POISONER = SLOTS - 1;
    // Sizes that are multiples of nothing convenient.
    private static final SyntheticCheckpoint.Shape SHAPE =
            new SyntheticCheckpoint.Shape(80, 5, 6, 2, 24, 112, 90, false, WINDOW, 4096);
    private static final int NAN_TOKEN = 89;

    private final SplittableRandom random = new SplittableRandom(7);
    private StepDriver driver;
    private int[] ids;
    private List<float[]> alone;

    /** Only the lone sequence in slot 0 stays; the others' pages are left behind with whatever they hold. */
    @BeforeEach
    void forgetTheOthers() {
        for (int slot = 1; slot < SLOTS; slot++) {
            driver.forget(slot);
        }
    }

    /** A new device, which the test closes. */
    protected abstract Device device();

    @BeforeAll
    void computeAlone(@TempDir Path model) throws StepFailure {
        SyntheticCheckpoint.write(model, SHAPE, ElementType.F32);
        Poison.token(model, NAN_TOKEN, SHAPE.hidden());
        ids = randomIds(PROMPT);
        ModelOptions options =
                ModelOptions.defaults().withKvDtype(DType.BFLOAT16).withTokensPerBlock(BLOCK);
        var loaded = ModelLoader.load(model, options, device(), TimeSource.system());
        driver = new StepDriver(loaded.executor(), new StepLimits(SLOTS, 1024, 1024, 1024), PAGES, 4);
        alone = driver.prefill(0, ids, PROMPT);
        assertThat(alone).hasSize(PROMPT).allSatisfy(row -> assertThat(row).doesNotContain(Float.NaN));
    }

    @AfterAll
    void close() {
        driver.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 64, 255, 256, 257, 512})
    void chunkedIsWhole(int chunk) throws StepFailure {
        assertSameFrom(0, driver.prefill(1, ids, chunk));
    }

    @Test
    void batchedWithFifteenOthersIsAlone() throws StepFailure {
        List<float[]> rows = new ArrayList<>();
        int[] done = new int[16];
        int[] stride = new int[16];
        for (int s = 1; s < 16; s++) {
            stride[s] = s < 8 ? 1 : 3 + 5 * s;
        }
        int[] chunks = {40, 1, 129, 256, 1, 1, 64, 168};
        for (int c = 0; c < chunks.length; c++) {
            List<StepDriver.Piece> pieces = new ArrayList<>();
            // Our piece stands among the others, at another place each time.
            for (int s = 1; s < 16; s++) {
                if (s == 1 + c) {
                    pieces.add(new StepDriver.Piece(16, rows.size(), part(rows.size(), chunks[c]), chunks[c]));
                }
                pieces.add(new StepDriver.Piece(s, done[s], randomIds(stride[s]), 0));
                done[s] += stride[s];
            }
            rows.addAll(driver.step(pieces.toArray(StepDriver.Piece[]::new)));
        }
        assertThat(rows).hasSize(PROMPT);
        assertSameFrom(0, rows);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 31, 659})
    void aFewRowsOfAStepAreAsInAStepOfAllRows(int rows) throws StepFailure {
        int[] other = randomIds(70);
        StepPlan plan = driver.executor.plan();
        driver.add(plan, new StepDriver.Piece(9, 0, other, 0), new StepDriver.Piece(10, 0, ids, rows));
        driver.add(plan, new StepDriver.Piece(11, 0, other, 1));
        List<float[]> some = driver.step(plan);
        assertThat(some).hasSize(rows + 1);
        assertSameFrom(PROMPT - rows, some.subList(0, rows));
        assertThat(some.getLast())
                .isEqualTo(driver.prefill(12, other, other.length).getLast());
    }

    @Test
    void rowsWithGapsBetweenThemAreAsInAStepOfAllRows() throws StepFailure {
        StepPlan plan = driver.executor.plan();
        driver.add(plan, new StepDriver.Piece(9, 0, ids, 300));
        for (int row = 0; row < 300; row++) {
            plan.samples.wanted[row] = row % 7 < 2;
        }
        List<float[]> some = driver.step(plan);
        int next = 0;
        for (int row = 0; row < 300; row++) {
            if (row % 7 < 2) {
                assertSameFrom(PROMPT - 300 + row, some.subList(next, next + 1));
                next++;
            }
        }
        assertThat(some).hasSize(next);
    }

    @ParameterizedTest
    @ValueSource(ints = {32, 256, 512, 640})
    void cachedPrefixIsComputed(int cached) throws StepFailure {
        StepPlan plan = driver.executor.plan();
        mapPrefix(plan, 2, cached);
        driver.step(plan);
        assertSameFrom(cached, driver.prefill(2, ids, cached, 97));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 45, 250, 291, 659})
    void partlyCachedBlockIsComputed(int cached) throws StepFailure {
        int whole = cached / BLOCK * BLOCK;
        StepPlan plan = driver.executor.plan();
        mapPrefix(plan, 3, whole);
        for (int lc = 0; lc < driver.layout.lifeCycles().size(); lc++) {
            int copy = driver.freshPage(lc);
            int source = driver.page(lc, 0, whole / BLOCK);
            plan.pages.deviceCopies.add(lc, Tier.DEVICE, source, Tier.DEVICE, copy);
            driver.map(plan, lc, 3, whole / BLOCK, copy);
        }
        driver.add(plan, new StepDriver.Piece(3, cached, part(cached, 1), 1));
        assertSameFrom(cached, driver.step(plan));
        if (cached + 1 < PROMPT) {
            assertSameFrom(cached + 1, driver.prefill(3, ids, cached + 1, 300));
        }
        assertSameFrom(0, driver.prefill(4, ids, PROMPT));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 30, 64, 257})
    void pagesOutOfTheWindowAreNeverReadAgain(int chunk) throws StepFailure {
        int from = chunk == 1 ? 500 : 0; // single tokens over the last stretch only
        driver.prefill(5, Arrays.copyOf(ids, from), 256);
        int poisoned = 0;
        for (int at = from; at < PROMPT; at += chunk) {
            poisoned = poisonStale(5, poisoned, at);
            int n = Math.min(chunk, PROMPT - at);
            assertSameFrom(at, driver.step(new StepDriver.Piece(5, at, part(at, n), n)));
        }
    }

    @Test
    void whatPagesHeldBeforeIsNeverRead() throws StepFailure {
        int[] nans = new int[PROMPT + BLOCK];
        Arrays.fill(nans, NAN_TOKEN);
        driver.step(new StepDriver.Piece(6, 0, nans, 0));
        StepPlan plan = driver.executor.plan();
        for (int lc = 0; lc < driver.layout.lifeCycles().size(); lc++) {
            for (int block = 0; block < driver.layout.blocks(nans.length); block++) {
                // In another order than they were written.
                driver.map(plan, lc, 7, block, driver.page(lc, 6, driver.layout.blocks(nans.length) - 1 - block));
            }
        }
        driver.step(plan);
        assertSameFrom(0, driver.prefill(7, ids, 50));
    }

    @Test
    void pagesThatWereOnTheHostAreTheSame() throws StepFailure {
        int blocks = 2;
        var out = new rondo.kv.PageCopies();
        for (int lc = 0; lc < driver.layout.lifeCycles().size(); lc++) {
            for (int b = 0; b < blocks; b++) {
                out.add(lc, Tier.DEVICE, driver.page(lc, 0, b), Tier.HOST, b);
            }
        }
        long copy = driver.executor.copy(out, 1);
        assertThat(driver.executor.pollCopies()).isEqualTo(copy);
        StepPlan plan = driver.executor.plan();
        out.clear();
        for (int lc = 0; lc < driver.layout.lifeCycles().size(); lc++) {
            for (int b = 0; b < blocks; b++) {
                int page = driver.freshPage(lc);
                out.add(lc, Tier.HOST, b, Tier.DEVICE, page);
                driver.map(plan, lc, 8, b, page);
            }
        }
        assertThat(driver.executor.copy(out, 1)).isEqualTo(copy + 1);
        driver.step(plan);
        assertSameFrom(blocks * BLOCK, driver.prefill(8, ids, blocks * BLOCK, 256));
    }

    private void assertSameFrom(int position, List<float[]> rows) {
        for (int i = 0; i < rows.size(); i++) {
            if (!Arrays.equals(rows.get(i), alone.get(position + i))) {
                assertThat(rows.get(i))
                        .as("logits at position %d", position + i)
                        .containsExactly(alone.get(position + i));
            }
        }
    }

    /** The slot's first blocks are the pages that the lone sequence left behind. */
    private void mapPrefix(StepPlan plan, int slot, int tokens) {
        for (int lc = 0; lc < driver.layout.lifeCycles().size(); lc++) {
            for (int block = 0; block < tokens / BLOCK; block++) {
                driver.map(plan, lc, slot, block, driver.page(lc, 0, block));
            }
        }
    }

    /** Another sequence takes over the pages that have left the window since, and fills them with NaNs. */
    private int poisonStale(int slot, int from, int history) throws StepFailure {
        int sliding = driver.layout.lifeCycles().indexOf(LifeCycle.sliding(WINDOW));
        int stale = driver.layout.lifeCycles().get(sliding).staleEnd(history, BLOCK);
        if (stale <= from) {
            return from;
        }
        driver.forget(POISONER);
        StepPlan plan = driver.executor.plan();
        for (int block = from; block < stale; block++) {
            driver.map(plan, sliding, POISONER, block - from, driver.page(sliding, slot, block));
        }
        int[] nans = new int[(stale - from) * BLOCK];
        Arrays.fill(nans, NAN_TOKEN);
        driver.add(plan, new StepDriver.Piece(POISONER, 0, nans, 0));
        driver.step(plan);
        return stale;
    }

    private int[] part(int from, int count) {
        return Arrays.copyOfRange(ids, from, from + count);
    }

    private int[] randomIds(int count) {
        return random.ints(count, 0, NAN_TOKEN).toArray();
    }
}
