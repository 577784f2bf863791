package rondo.kv;

import java.util.List;

/** A change of what the cache can offer to routers; one life cycle each. Keys are 32-byte digests in hexadecimal. */
public sealed interface KvEvent {
    int lifeCycle();

    /** Once per life cycle at start. */
    record Created(int lifeCycle, int deviceBlocks, int hostBlocks) implements KvEvent {}

    /** Consecutive blocks below one parent; the parent of a first block is the empty string. */
    record Stored(int lifeCycle, String parentKey, List<Block> blocks, Tier tier, int priority) implements KvEvent {}

    record Removed(int lifeCycle, List<String> keys) implements KvEvent {}

    record Moved(int lifeCycle, String key, Tier from, Tier to) implements KvEvent {}

    /** A stored block and its tokens. */
    record Block(String key, List<Integer> tokens) {}
}
