package rondo.server.kvevents;

import java.util.List;

/**
 * What a reader of events must know of the cache.
 *
 * @param tokensPerBlock tokens of a whole block
 * @param maxSeqLen      longest sequence in tokens
 * @param windows        per life cycle, the attention window in tokens; 0 = full attention
 */
public record CacheShape(int tokensPerBlock, int maxSeqLen, List<Integer> windows) {
    public CacheShape {
        windows = List.copyOf(windows);
    }

    /** Of a layer with full attention, the longest sequence. */
    int windowSize(int lifeCycle) {
        return isFull(lifeCycle) ? maxSeqLen : windows.get(lifeCycle);
    }

    boolean isFull(int lifeCycle) {
        return windows.get(lifeCycle) == 0;
    }

    /** Whether a block's place in this life cycle says that its prefix can be matched: of two such, the first is enough. */
    boolean isRoutable(int lifeCycle) {
        int full = windows.indexOf(0);
        return full < 0 || full == lifeCycle;
    }
}
