package rondo.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;
import java.util.function.ToLongFunction;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.cli.config.ServeConfig;
import rondo.engine.EngineOptions;
import rondo.engine.spi.StepLimits;

/** Whether the buffers and tables of the largest step fit beside the weights, and if not, which setting is to blame. */
final class StepSize {
    private StepSize() {}

    /**
     * One of the three settings that make steps large.
     *
     * @param value what it says
     * @param least below which nobody would go
     * @param with  the limits with another value in its place
     */
    private record Lever(String key, int value, int least, IntFunction<StepLimits> with) {}

    /**
     * The error that names a setting and the greatest value with which the step fits; nothing where it fits, or where no
     * setting that was given could make it fit.
     *
     * @param freeBytes what is there without the weights
     */
    static Optional<UserError> tooLarge(
            ServeConfig config, ToLongFunction<StepLimits> stepBytes, int modelLimit, long freeBytes) {
        ServeConfig.Limits given = config.limits();
        int batch = given.maxBatchSize();
        int tokens = given.maxNumTokens();
        int length = Math.max(2, given.maxSeqLen().orElse(modelLimit));
        long bytes = stepBytes.applyAsLong(limits(batch, tokens, length));
        if (bytes <= freeBytes) {
            return Optional.empty();
        }
        List<Lever> levers = List.of(
                new Lever("max_seq_len", length, 2, n -> limits(batch, tokens, n)),
                new Lever("max_batch_size", batch, 1, n -> limits(n, tokens, length)),
                new Lever("max_num_tokens", tokens, 1, n -> limits(batch, n, length)));
        Lever blamed = null;
        int fits = 0;
        double excess = 0;
        for (Lever lever : levers) {
            int most = most(lever, stepBytes, freeBytes);
            // The one that is furthest beyond what fits is the one that was mistyped.
            if (most >= lever.least && config.isGiven(lever.key) && lever.value / (double) most > excess) {
                blamed = lever;
                fits = most;
                excess = lever.value / (double) most;
            }
        }
        return blamed == null
                ? Optional.empty()
                : Optional.of(config.mustBe(
                        blamed.key,
                        "<= " + fits + " (block tables and buffers of the largest step take " + ByteSize.rounded(bytes)
                                + ", " + ByteSize.rounded(Math.max(0, freeBytes)) + " are free beside the weights)"));
    }

    private static StepLimits limits(int batch, int tokens, int length) {
        return EngineOptions.of(batch, tokens, length).limits();
    }

    /** The greatest value that fits; less than the least where none does. */
    private static int most(Lever lever, ToLongFunction<StepLimits> stepBytes, long freeBytes) {
        int low = lever.least - 1;
        int high = lever.value;
        while (low < high) {
            int middle = low + (high - low + 1) / 2;
            boolean fit = stepBytes.applyAsLong(lever.with.apply(middle)) <= freeBytes;
            low = fit ? middle : low;
            high = fit ? high : middle - 1;
        }
        return low;
    }
}
