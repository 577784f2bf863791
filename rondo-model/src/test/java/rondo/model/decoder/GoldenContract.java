package rondo.model.decoder;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.engine.spi.StepFailure;
import rondo.engine.spi.StepLimits;
import rondo.engine.spi.StepPlan;
import rondo.model.DType;
import rondo.model.ModelLoader;
import rondo.model.ModelOptions;
import rondo.model.compute.Device;

/** What every device must give: the reference's logits and greedy tokens (test resources, README.md there). */
public abstract class GoldenContract {
    private static final float TOLERANCE = 1e-3f;
    private static final int CHUNK = 512;

    /** A new device, which the test closes. */
    protected abstract Device device();

    /** Longest prompt that this device runs in a normal test. */
    protected int longestPrompt() {
        return 4000;
    }

    @Test
    void theBundledModelGivesTheReferencesLogitsAndGreedyTokens() throws StepFailure {
        compare(bundled(), Golden.lines("glimmer-mini-golden.jsonl"), 1, longestPrompt());
    }

    @Test
    @Tag("long")
    void theBundledModelGivesTheReferencesLogitsOnItsLongestPrompts() throws StepFailure {
        compare(bundled(), Golden.lines("glimmer-mini-golden.jsonl"), 301, Integer.MAX_VALUE);
    }

    @Test
    void theRandomModelGivesTheReferencesLogitsAndGreedyTokens(@TempDir Path directory) throws StepFailure {
        Path model = Golden.randomCheckpoint(directory);
        compare(model, Golden.lines("muse_glimmer_random/golden.jsonl"), 1, Integer.MAX_VALUE);
    }

    private static Path bundled() {
        return Shared.root().resolve("models").resolve("glimmer-mini");
    }

    private void compare(Path model, List<Golden.Line> lines, int shortest, int longest) throws StepFailure {
        StepLimits limits = new StepLimits(1, CHUNK, CHUNK, 4096);
        ModelOptions options = ModelOptions.defaults().withKvDtype(DType.FLOAT32);
        List<Golden.Line> chosen = lines.stream()
                .filter(l -> l.ids().length >= shortest && l.ids().length <= longest)
                .toList();
        assertThat(chosen).isNotEmpty();
        var loaded = ModelLoader.load(model, options, device(), TimeSource.system());
        try (StepDriver driver = new StepDriver(loaded.executor(), limits, 4096 / 32 + 1, 0)) {
            for (Golden.Line line : chosen) {
                List<float[]> logits = driver.prefill(0, line.ids(), CHUNK);
                compareLogits(line, logits);
                assertThat(greedy(driver, line))
                        .as(line.name())
                        .isEqualTo(Arrays.copyOf(line.greedy(), line.safeSteps()));
            }
        }
    }

    private static void compareLogits(Golden.Line line, List<float[]> logits) {
        for (Golden.Top top : line.tops()) {
            float[] row = logits.get(top.position());
            for (int i = 0; i < top.ids().length; i++) {
                assertThat(Math.abs(row[top.ids()[i]] - top.logits()[i]))
                        .as("%s position %d token %d", line.name(), top.position(), top.ids()[i])
                        .isLessThan(TOLERANCE);
            }
        }
        for (int i = 0; i < line.lastLogits().length; i++) {
            assertThat(Math.abs(logits.getLast()[i] - line.lastLogits()[i]))
                    .as("%s last position token %d", line.name(), i)
                    .isLessThan(TOLERANCE);
        }
    }

    /** Decodes after the prompt, each step's input being the sample of the one before, still unknown to the plan. */
    private static int[] greedy(StepDriver driver, Golden.Line line) throws StepFailure {
        List<Integer> out = new ArrayList<>();
        out.add(driver.tokens()[driver.tokens().length - 1]);
        while (out.size() < line.safeSteps()) {
            int context = line.ids().length + out.size() - 1;
            driver.step(new StepDriver.Piece(0, context, new int[] {StepPlan.LAST}, 1));
            out.add(driver.tokens()[0]);
        }
        return out.stream().limit(line.safeSteps()).mapToInt(i -> i).toArray();
    }
}
