package rondo.agentx.plan;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** The words of blocks and tails, a fixed function of seed and name (agentx-protocol.md R4). One thread at a time. */
public final class Filler {
    private final long seed;
    private final MessageDigest sha256;
    private long state;

    public Filler(long seed) {
        this.seed = seed;
        try {
            this.sha256 = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Starts the block {@code hashId} of a trace; then draw with {@link #next}. */
    void block(String traceId, int hashId) {
        start(seed + ":" + traceId + ":" + hashId);
    }

    /** Starts the tokens at the end of a turn's prompt that belong to no block. */
    void tail(String conversationId, int turn) {
        start(seed + ":" + conversationId + ":turn_" + turn + ":partial_tail");
    }

    private void start(String name) {
        state = seedOf(sha256, name);
    }

    /** The first 8 bytes, big endian, of the SHA-256 of a text. */
    static long seedOf(MessageDigest sha256, String text) {
        return ByteBuffer.wrap(sha256.digest(text.getBytes(StandardCharsets.UTF_8)))
                .getLong();
    }

    /** The seed with which the current block or tail began, before any draw. */
    long state() {
        return state;
    }

    /** The next index below {@code bound}; SplitMix64. */
    int next(int bound) {
        state += 0x9E3779B97F4A7C15L;
        long z = state;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return (int) Math.unsignedMultiplyHigh(z, bound);
    }
}
