package rondo.engine;

import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import rondo.base.TimeSource;

/** The owner's end of one generation; the engine thread fills it. */
final class GenerationHandle implements Generation {
    private record Stop(int outputTokens, FinishReason why) {}

    private final Sequence sequence;
    private final OutputBuffer output;
    private final GenerationListener listener;
    private final Command.Sink commands;
    private final TimeSource waiting = TimeSource.system();

    final long arrivalNanos;
    // Written by the engine thread before the publication that first needs them.
    private volatile int cachedTokens;
    private volatile long firstScheduledNanos;
    private volatile long firstTokenNanos;
    private volatile long lastTokenNanos;
    private volatile int preemptions;

    private volatile @Nullable Ending ending;
    private volatile @Nullable Stop stop;
    private volatile @Nullable Thread waiter;
    private boolean endTaken;

    GenerationHandle(
            Sequence sequence, int topLogprobs, GenerationListener listener, Command.Sink commands, long arrivalNanos) {
        this.sequence = sequence;
        this.output = new OutputBuffer(topLogprobs);
        this.listener = listener;
        this.commands = commands;
        this.arrivalNanos = arrivalNanos;
    }

    // ---- the owner's side

    @Override
    public boolean take(TokenBatch into, long timeoutNanos) {
        if (takeNow(into)) {
            return true;
        }
        if (timeoutNanos <= 0) {
            return false;
        }
        long begin = waiting.nanoTime();
        waiter = Thread.currentThread();
        try {
            while (true) {
                if (takeNow(into)) {
                    return true;
                }
                long left = timeoutNanos - (waiting.nanoTime() - begin);
                if (left <= 0 || Thread.currentThread().isInterrupted()) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
            }
        } finally {
            waiter = null;
        }
    }

    private boolean takeNow(TokenBatch into) {
        into.count = 0;
        into.finished = false;
        if (endTaken) {
            return false;
        }
        // The end is read first: once it is there, nothing more is published.
        Ending end = ending;
        Stop cut = stop;
        int published = output.published();
        int upTo = cut == null ? published : Math.min(published, Math.max(cut.outputTokens, output.taken()));
        if (upTo <= output.taken() && end == null) {
            return false;
        }
        output.take(into, upTo);
        into.cachedTokens = cachedTokens;
        into.arrivalNanos = arrivalNanos;
        into.firstScheduledNanos = firstScheduledNanos;
        into.firstTokenNanos = firstTokenNanos;
        into.lastTokenNanos = lastTokenNanos;
        into.preemptions = preemptions;
        if (end != null) {
            endTaken = true;
            // What the owner found in time counts, however the engine had ended it meanwhile.
            Ending why = cut != null && published >= cut.outputTokens ? new Ending(cut.why, -1, "") : end;
            into.finished = true;
            into.reason = why.reason();
            into.stopToken = why.stopToken();
            into.error = why.error();
        }
        return true;
    }

    @Override
    public void stopAt(int outputTokens, FinishReason why) {
        if (outputTokens < 0) {
            throw new IllegalArgumentException("outputTokens must be >= 0, got " + outputTokens);
        }
        stop = new Stop(outputTokens, why);
        commands.put(new Command.StopAt(sequence, outputTokens, why));
    }

    @Override
    public void cancel() {
        if (ending == null) {
            commands.put(new Command.Cancel(sequence));
        }
    }

    // ---- the engine's side

    OutputBuffer output() {
        return output;
    }

    void scheduled(long now, int cached) {
        firstScheduledNanos = now;
        cachedTokens = cached;
    }

    void token(long now, boolean first) {
        if (first) {
            firstTokenNanos = now;
        }
        lastTokenNanos = now;
    }

    void preempted(int times) {
        preemptions = times;
    }

    /** Makes what was appended visible, and the end if there is one; wakes whoever waits and calls the listener. */
    void publish(@Nullable Ending end) {
        output.publish();
        if (end != null) {
            ending = end;
        }
        Thread parked = waiter;
        if (parked != null) {
            LockSupport.unpark(parked);
        }
        listener.ready(this);
    }
}
