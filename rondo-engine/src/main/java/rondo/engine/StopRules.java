package rondo.engine;

import java.util.Arrays;

/**
 * When a generation ends by its tokens (limits apart).
 *
 * @param endIds    the checkpoint's end tokens, any of which ends
 * @param stopIds   the request's stop tokens
 * @param ignoreEnd whether end tokens are ordinary
 * @param minTokens until so many tokens no end and no stop token may be sampled
 */
public record StopRules(int[] endIds, int[] stopIds, boolean ignoreEnd, int minTokens) {
    public StopRules {
        endIds = endIds.clone();
        stopIds = stopIds.clone();
    }

    public static StopRules endingWith(int... endIds) {
        return new StopRules(endIds, new int[0], false, 0);
    }

    /** Whether the token ends the generation (minTokens apart). */
    public boolean ends(int token) {
        return (!ignoreEnd && contains(endIds, token)) || isStopToken(token);
    }

    /** Whether the token is one of the request's own stop tokens. */
    public boolean isStopToken(int token) {
        return contains(stopIds, token);
    }

    private static boolean contains(int[] ids, int token) {
        for (int id : ids) {
            if (id == token) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StopRules r
                && Arrays.equals(r.endIds, endIds)
                && Arrays.equals(r.stopIds, stopIds)
                && r.ignoreEnd == ignoreEnd
                && r.minTokens == minTokens;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(endIds) + 31 * Arrays.hashCode(stopIds) + minTokens;
    }
}
