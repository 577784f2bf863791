package rondo.engine;

import org.jspecify.annotations.Nullable;
import rondo.kv.SequenceKeys;

/**
 * One generation in the engine; apart from its handle it belongs to the engine thread.
 *
 * <p>A step may be in flight while the next one is planned, so plans look ahead: {@link #submitted} counts what the step
 * in flight writes, {@link #samplesInFlight} the token that it will give. {@link #history} and {@link #keys} are what is
 * known.
 */
final class Sequence {
    /** Life of a sequence. */
    enum State {
        /** Without pages: new, or paused to be computed again, its output part of what is to be computed. */
        WAITING,
        /** Admitted, prompt not wholly submitted. */
        PREFILL,
        /** What was known has been submitted: every further run is one token, the newest sample. */
        DECODE,
        /** Admitted, but its pages may be on the host. */
        SUSPENDED,
        /** Its owner knows the end; it keeps slot and pages while a run is in flight. */
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
    /** Plans in which a younger one was admitted while this was the oldest that waited. */
    int passedOver;
    /** Whether it waited too long once: it goes before all that came after it, whatever their priority. */
    boolean promoted;
    /** Since when it waits: arrival, or the last pause. */
    long waitingSince;
    /** Prompt tokens that the first admission found in the cache. */
    int cachedTokens;
    /** The last step that it ran in, and the one before. */
    long ranIn;

    long ranBefore;
    boolean scheduledOnce;

    // While it has a reservation:
    int slot = -1;
    int reservation = -1;
    /** Tokens whose KV is known to be written: the step was awaited. */
    int history;
    /** Tokens whose KV is written or will be by what is in flight. */
    int submitted;
    /** Runs in flight: 0, 1 while planning, up to 2 from submit to await. */
    int inFlight;
    /** Tokens that the runs in flight will give. */
    int samplesInFlight;
    /** Last step, submitted or to be submitted next, that touches its pages. */
    long workStep;
    /** The step that carries the copies into its pages with which it was admitted or resumed. */
    long filledStep;
    /** Whether the executor knows what is in the slot. */
    boolean begun;
    /** What a suspended one goes on with. */
    State suspendedFrom = State.WAITING;
    /** Whether what it has written may be reused once it is done. */
    boolean commitAtEnd;

    /** Tokens that its pages have room for; kept where pages are promised. */
    int capacity;

    /** Tokens whose KV was written once; a pause for recomputation gives it up. */
    int computed;

    // In the plan at hand:
    int planned;
    /** Its place among those that share the step, or -1. */
    int share;

    Sequence(GenerationRequest request, GenerationListener listener, Command.Sink commands, long now) {
        this.request = request;
        this.keys = new SequenceKeys(request.prompt(), request.maxTokens());
        this.limit = request.maxTokens();
        this.waitingSince = now;
        this.handle = new GenerationHandle(this, request.topLogprobs(), listener, commands, now);
    }

    /** Whether it holds a slot and pages. */
    boolean admitted() {
        return reservation >= 0;
    }

    /** Tokens still to submit before the next one can be sampled. */
    int remaining() {
        return keys.tokens() + samplesInFlight - submitted;
    }

    /** Output tokens, those in flight included: the position of the next one. */
    int outputAhead() {
        return keys.outputTokens() + samplesInFlight;
    }

    /** Whether the step in flight is known to give its last token. */
    boolean endsInFlight() {
        return outputAhead() >= limit;
    }

    int promptTokens() {
        return request.prompt().tokens();
    }

    /** Tokens that it can have at its end. */
    int mostTokens() {
        return promptTokens() + request.maxTokens();
    }
}
