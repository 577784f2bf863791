package rondo.engine.spi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** How each row of a step is sampled, as parallel arrays; masks may be filled as late as {@link Executor#sample}. */
public final class SamplePlan {
    /** No forced token; no mask; no logprobs. */
    public static final int NONE = -1;

    /** Whether a token is wanted of this row; a superfluous row computes KV and nothing else. */
    public final boolean[] wanted;
    /** Output position of the token, the counter of the random generator. */
    public final int[] position;
    /** A token that is taken whatever the logits say, or {@link #NONE}. */
    public final int[] forced;
    /** Alternatives wanted, 0 to 20; {@link #NONE} = not even the token's own logprob. */
    public final int[] topLogprobs;
    /** Whether the row's mask counts. */
    public final boolean[] masked;

    private final MemorySegment masks;
    private final long maskBytes;

    public SamplePlan(int maxRows, int vocabulary) {
        wanted = new boolean[maxRows];
        position = new int[maxRows];
        forced = new int[maxRows];
        topLogprobs = new int[maxRows];
        masked = new boolean[maxRows];
        maskBytes = (vocabulary + 63L) / 64 * 8;
        masks = Arena.ofAuto().allocate(Math.max(8, maskBytes * maxRows), 64);
    }

    /** The bits of a row's mask: bit i of 64-bit word i/64 allows token i. */
    public MemorySegment mask(int row) {
        return masks.asSlice(row * maskBytes, maskBytes);
    }
}
