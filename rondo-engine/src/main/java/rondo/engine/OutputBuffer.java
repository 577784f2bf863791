package rondo.engine;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import rondo.engine.spi.StepResult;

/**
 * The tokens on their way from the engine thread to one taker: unbounded chunks, no locks, never a wait for the engine.
 * The producer appends and then publishes; the taker sees only what was published.
 */
final class OutputBuffer {
    private static final int CHUNK = 128;
    private static final int ALTERNATIVES = StepResult.MAX_ALTERNATIVES;

    private static final class Chunk {
        final int[] tokens = new int[CHUNK];
        final float[] logprobs;
        final int[] alternatives;
        final float[] alternativeLogprobs;

        @Nullable
        Chunk next;

        Chunk(boolean logprobs, boolean alternatives) {
            this.logprobs = new float[logprobs ? CHUNK : 0];
            this.alternatives = new int[alternatives ? CHUNK * ALTERNATIVES : 0];
            this.alternativeLogprobs = new float[this.alternatives.length];
        }
    }

    private final boolean logprobs;
    private final boolean alternatives;
    /** A chunk that the taker is done with, for the producer to use again. */
    private final AtomicReference<@Nullable Chunk> spare = new AtomicReference<>();

    private Chunk tail;
    private int appended;

    private Chunk head;
    private int taken;

    private volatile int published;

    OutputBuffer(int topLogprobs) {
        logprobs = topLogprobs >= 0;
        alternatives = topLogprobs > 0;
        tail = new Chunk(logprobs, alternatives);
        head = tail;
    }

    /** Engine thread: takes row {@code row} of a step's result; the taker sees it after {@link #publish}. */
    void append(StepResult result, int row) {
        int at = appended % CHUNK;
        if (at == 0 && appended > 0) {
            Chunk next = spare.getAndSet(null);
            if (next == null) {
                next = new Chunk(logprobs, alternatives);
            }
            tail.next = next;
            tail = next;
        }
        tail.tokens[at] = result.token[row];
        if (logprobs) {
            tail.logprobs[at] = result.logprob[row];
        }
        if (alternatives) {
            int from = row * ALTERNATIVES;
            System.arraycopy(result.alternative, from, tail.alternatives, at * ALTERNATIVES, ALTERNATIVES);
            System.arraycopy(
                    result.alternativeLogprob, from, tail.alternativeLogprobs, at * ALTERNATIVES, ALTERNATIVES);
        }
        appended++;
    }

    void publish() {
        published = appended;
    }

    int published() {
        return published;
    }

    /** Tokens taken so far. */
    int taken() {
        return taken;
    }

    /** Taker's thread: moves tokens up to output length {@code upTo} (at most {@link #published}) into the batch. */
    void take(TokenBatch into, int upTo) {
        int count = Math.max(0, upTo - taken);
        into.ensure(count, alternatives);
        into.count = count;
        int done = 0;
        while (done < count) {
            int at = taken % CHUNK;
            if (at == 0 && taken > 0) {
                advance();
            }
            int n = Math.min(count - done, CHUNK - at);
            System.arraycopy(head.tokens, at, into.tokens, done, n);
            if (logprobs) {
                System.arraycopy(head.logprobs, at, into.logprobs, done, n);
            }
            if (alternatives) {
                int to = done * ALTERNATIVES;
                System.arraycopy(head.alternatives, at * ALTERNATIVES, into.alternatives, to, n * ALTERNATIVES);
                System.arraycopy(
                        head.alternativeLogprobs, at * ALTERNATIVES, into.alternativeLogprobs, to, n * ALTERNATIVES);
            }
            done += n;
            taken += n;
        }
    }

    private void advance() {
        Chunk done = head;
        Chunk next = done.next;
        if (next == null) {
            throw new IllegalStateException("took more than was published");
        }
        head = next;
        done.next = null;
        spare.setRelease(done);
    }
}
