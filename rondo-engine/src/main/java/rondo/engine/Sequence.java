package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.SequenceKeys;

/** One generation in the engine; apart from its handle it belongs to the engine thread. */
final class Sequence {
    /** Life of a sequence; a paused one is waiting again, its output part of what is to be computed. */
    enum State {
        WAITING,
        PREFILL,
        DECODE,
        DONE
    }

    final GenerationRequest request;
    final SequenceKeys keys;
    final GenerationHandle handle;
    /** Place in the order of arrival; kept through preemption. */
    long arrival;

    State state = State.WAITING;
    /** Whether it still counts as queued for the queue's limits. */
    boolean queued = true;
    /** Output length at which it ends, and why. */
    int limit;

    FinishReason limitReason = FinishReason.LENGTH;

    @Nullable
    Ending ending;
    /** Whether it is in the list of those to publish after this step. */
    boolean touched;

    int preemptions;
    int deferrals;
    /** Prompt tokens that the first admission found in the cache. */
    int cachedTokens;
    /** Tokens whose KV the last preemption gave up. */
    int lostTokens;
    /** The last step that it ran in, and the one before. */
    long ranIn;

    long ranBefore;
    boolean scheduledOnce;

    // While active:
    int slot = -1;
    int reservation = -1;
    /** Tokens whose KV is written. */
    int history;
    /** Whether the executor knows what is in the slot. */
    boolean begun;

    // In the plan at hand:
    int planned;
    int row;

    Sequence(GenerationRequest request, GenerationListener listener, Command.Sink commands, long now) {
        this.request = request;
        this.keys = new SequenceKeys(request.prompt(), request.maxTokens());
        this.limit = request.maxTokens();
        this.handle = new GenerationHandle(this, request.topLogprobs(), listener, commands, now);
    }

    boolean active() {
        return state == State.PREFILL || state == State.DECODE;
    }

    /** Tokens to compute before the next one can be sampled. */
    int remaining() {
        return keys.tokens() - history;
    }

    int promptTokens() {
        return request.prompt().tokens();
    }
}
