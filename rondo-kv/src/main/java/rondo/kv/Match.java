package rondo.kv;

/**
 * The longest usable cached prefix of a prompt. Pure: it holds nothing, and is valid only until the cache next changes,
 * so it must be given to {@link KvCache#admit} in the same turn of the loop.
 */
public abstract class Match {
    Match() {}

    /** Tokens that need not be computed. */
    public abstract int tokens();

    /** Pages that would have to come from the host first. */
    public abstract int hostPages();
}
