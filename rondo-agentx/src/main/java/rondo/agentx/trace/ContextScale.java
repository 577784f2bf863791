package rondo.agentx.trace;

import rondo.base.UserError;

/**
 * Shrinks prompts for small machines by keeping every {@code factor}-th block, so that prefixes are shared as before
 * (agentx-protocol.md T11). A scaled run is never comparable with an unscaled one.
 */
public record ContextScale(int factor) {
    public static final ContextScale NONE = new ContextScale(1);

    public ContextScale {
        if (factor < 1) {
            throw new UserError(UserError.USAGE, "--scale-context must be >= 1, got " + factor);
        }
    }

    /** The request with its scaled prompt; times, output and ids' meaning are unchanged. */
    public TraceRequest apply(TraceRequest request, int blockSize) {
        if (factor == 1) {
            return request;
        }
        int[] ids = request.hashIds();
        int[] kept = new int[(ids.length + factor - 1) / factor];
        for (int i = 0; i < kept.length; i++) {
            kept[i] = ids[i * factor];
        }
        return request.withPrompt(tokens(request, blockSize), kept);
    }

    /** Prompt tokens after scaling. */
    public int tokens(TraceRequest request, int blockSize) {
        if (factor == 1) {
            return request.in();
        }
        int blocks = request.hashIds().length;
        int kept = (blocks + factor - 1) / factor;
        return blockSize * kept + (request.in() - blockSize * blocks);
    }

    /** Blocks of the declared tool and system prefix after scaling. */
    public int prefixBlocks(int toolAndSystemTokens, int blockSize) {
        return ceilDiv(ceilDiv(toolAndSystemTokens, blockSize), factor);
    }

    /** Whole blocks that the recorded output of {@code tokens} takes in the next prompt (R8). */
    public int outputBlocks(int tokens, int blockSize) {
        return (int) ceilDiv((long) tokens, (long) blockSize * factor);
    }

    private static int ceilDiv(int a, int b) {
        return (a + b - 1) / b;
    }

    private static long ceilDiv(long a, long b) {
        return (a + b - 1) / b;
    }
}
