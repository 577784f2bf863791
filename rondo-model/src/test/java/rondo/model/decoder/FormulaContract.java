package rondo.model.decoder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.TimeSource;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.model.DType;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.SyntheticCheckpoint;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.MuseGlimmer;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.compute.Device;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;

/** What every device must give for the formula-made muse_glimmer of models.md §8, whose numbers stand there. */
public abstract class FormulaContract {
    private static final float TOLERANCE = 1e-4f;
    private static final int[] ARGMAX = {44, 14, 10, 63, 47, 18, 57, 37, 48, 48, 20, 48};
    private static final double[] NORMS = {
        1.33564, 1.31908, 1.47254, 1.49718, 1.55362, 1.49809, 1.57847, 1.50802, 1.61196, 1.64505, 1.56453, 1.68555
    };
    private static final SyntheticCheckpoint.Shape SHAPE =
            new SyntheticCheckpoint.Shape(64, 8, 4, 2, 16, 48, 64, false, 4, 4096);
    private static final float[] EMBEDDED = {-1.04112f, -0.80601f, 1.21825f, 0.47718f};
    private static final float[] AFTER_FIRST_LAYER = {0.88686f, -1.19398f, 0.60660f, -0.39998f};
    private static final float[] FIRST = {
        0.12593f, 0.11194f, -0.04717f, -0.06113f, 0.12182f, -0.05551f, -0.20067f, 0.23086f
    };
    private static final float[] LAST = {
        0.23288f, -0.12410f, 0.03499f, -0.43479f, -0.26073f, -0.34727f, -0.04114f, 0.21957f
    };

    /** A new device, which the test closes. */
    protected abstract Device device();

    @ParameterizedTest
    @CsvSource({"12, 4", "5, 4", "1, 4", "12, 2", "7, 32", "3, 2"})
    void theFormulaModelGivesItsNumbersWhateverTheChunkAndThePage(
            int chunk, int tokensPerBlock, @TempDir Path directory) throws StepFailure {
        SyntheticCheckpoint.write(directory, SHAPE, ElementType.F32);
        ModelOptions options =
                ModelOptions.defaults().withKvDtype(DType.FLOAT32).withTokensPerBlock(tokensPerBlock);
        var loaded = ModelLoader.load(directory, options, device(), TimeSource.system());
        try (StepDriver driver = new StepDriver(loaded.executor(), new StepLimits(1, 12, 12, 64), 40, 0)) {
            int[] ids = new int[12];
            for (int i = 0; i < ids.length; i++) {
                ids[i] = (7 * i + 3) % 64;
            }
            List<float[]> logits = driver.prefill(0, ids, chunk);
            for (int i = 0; i < ids.length; i++) {
                assertThat(argmax(logits.get(i))).as("position %d", i).isEqualTo(ARGMAX[i]);
                assertThat(norm(logits.get(i))).as("position %d", i).isCloseTo(NORMS[i], within(1e-4));
            }
            for (int i = 0; i < FIRST.length; i++) {
                assertThat(logits.getFirst()[i]).isCloseTo(FIRST[i], within(TOLERANCE));
                assertThat(logits.getLast()[i]).isCloseTo(LAST[i], within(TOLERANCE));
            }
        }
    }

    @Test
    void theResidualStreamHasItsNumbersBeforeAndAfterTheFirstLayer(@TempDir Path directory) {
        SyntheticCheckpoint.write(directory, SHAPE, ElementType.F32);
        try (Checkpoint checkpoint = Checkpoint.open(directory);
                Device device = device()) {
            MuseGlimmer architecture = new MuseGlimmer();
            DecoderSpec whole = architecture.spec(checkpoint.config());
            DecoderSpec first = firstLayer(whole);
            KvPlan plan = KvPlan.of(first, ElementType.F32, 4);
            DecoderWeights weights = new DecoderWeights(first, architecture.tensors(), plan, checkpoint, device);
            KvMemory kv = device.kv(plan.spec(), new int[] {4}, 1, 12);
            StepShape step = new StepShape();
            step.runs = 1;
            step.tokens = 12;
            step.slot = new int[] {0};
            step.start = new int[] {0};
            step.length = new int[] {12};
            step.context = new int[] {0};
            for (int block = 0; block < 3; block++) {
                kv.table(0, 0, block, block + 1);
            }
            int[] ids = new int[12];
            Arrays.setAll(ids, i -> (7 * i + 3) % 64);
            float[] row = new float[64];
            Tensor embedded = device.tensor(12, 64);
            device.ops().embed(embedded, weights.embedding, ids, 12, weights.embeddingNorm);
            embedded.read(11, row);
            assertThat(Arrays.copyOf(row, 4)).containsExactly(EMBEDDED, within(TOLERANCE));
            Decoder decoder = new Decoder(first, weights, device, new StepLimits(1, 12, 12, 12));
            int[] rows = new int[12];
            Arrays.setAll(rows, i -> i);
            decoder.forward(step, ids, kv, rows, 12);
            decoder.residual(11, row);
            assertThat(Arrays.copyOf(row, 4)).containsExactly(AFTER_FIRST_LAYER, within(TOLERANCE));
            kv.close();
        }
    }

    private static DecoderSpec firstLayer(DecoderSpec whole) {
        return new DecoderSpec(
                whole.architecture(),
                whole.vocabulary(),
                whole.hidden(),
                whole.maxLength(),
                whole.embeddingNorm(),
                whole.layers().subList(0, 1),
                whole.finalNorm(),
                whole.tiedHead(),
                whole.logitMultiplier(),
                whole.logitCap());
    }

    private static int argmax(float[] row) {
        int best = 0;
        for (int i = 1; i < row.length; i++) {
            best = row[i] > row[best] ? i : best;
        }
        return best;
    }

    private static double norm(float[] row) {
        double sum = 0;
        for (float v : row) {
            sum += (double) v * v;
        }
        return Math.sqrt(sum);
    }
}
