package rondo.server;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.base.Ids;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.TokenBatch;
import rondo.text.Detokenizer;

/**
 * One choice of an answer: takes its generation's tokens and makes segments of text from them. Token → characters →
 * (parser of the model's format) → stop strings, which see the visible content only → segments. On its worker only,
 * save for the generation itself and the ready flag.
 */
final class Choice implements AnswerFormat.Sink {
    private static final int CALL_ID_DIGITS = 24;

    final int index;
    final int promptTokens;
    final boolean firstOfPrompt;
    final Logprobs logprobs;
    private final GenerationFields fields;
    private final int streamInterval;
    private final boolean oneCall;
    private final Detokenizer detokenizer;
    private final StringBuilder decoded = new StringBuilder();
    private final StringBuilder visible = new StringBuilder();
    private final StopStrings stops;
    private final AnswerFormat.Reader reader;
    private List<Segment> segments = new ArrayList<>();

    /** Set by the engine thread when there is something to take. */
    private volatile boolean ready;

    private volatile @Nullable Generation generation;

    private int tokens;
    private int reasoningTokens;
    private boolean inReasoning;
    private int calls;
    private int completeCalls;
    private int stopHit = -1;
    private boolean due;
    private boolean roleSent;
    private @Nullable FinishReason finish;
    private String stopString = "";
    private int stopToken = -1;
    private String error = "";
    private int cachedTokens;
    private final Timings timings = new Timings();

    Choice(Front front, GenerationFields fields, int index, int promptTokens, boolean oneCall, Form form) {
        this.fields = fields;
        this.index = index;
        this.promptTokens = promptTokens;
        this.firstOfPrompt = index % fields.n() == 0;
        this.streamInterval = front.options().streamInterval();
        this.oneCall = oneCall;
        this.detokenizer = new Detokenizer(front.model().tokenizer(), fields.skipSpecialTokens());
        this.stops = new StopStrings(fields.stops(), fields.includeStop());
        this.logprobs = new Logprobs(front.model().tokenizer(), fields.topLogprobs());
        this.reader = form.reader(this);
    }

    /** Makes what reads the model's format. */
    @FunctionalInterface
    interface Form {
        AnswerFormat.Reader reader(AnswerFormat.Sink sink);
    }

    // ---- the generation; any thread

    void generation(Generation started) {
        generation = started;
    }

    void ready() {
        ready = true;
    }

    void cancel() {
        Generation running = generation;
        if (running != null) {
            running.cancel();
        }
    }

    // ---- tokens; worker

    /** Takes all there is. */
    void take(TokenBatch batch) {
        Generation running = generation;
        if (!ready || running == null || finish != null) {
            return;
        }
        ready = false;
        while (finish == null && running.take(batch, 0)) {
            apply(batch, running);
        }
    }

    private void apply(TokenBatch batch, Generation running) {
        cachedTokens = batch.cachedTokens;
        timings.batch(batch, batch.count);
        for (int i = 0; i < batch.count && finish == null; i++) {
            token(batch, i);
            if (stopHit >= 0) {
                stopString = fields.stops().get(stopHit);
                end(FinishReason.STOP);
                running.stopAt(tokens, FinishReason.STOP);
            } else if (oneCall && completeCalls > 0) {
                end(FinishReason.STOP);
                running.stopAt(tokens, FinishReason.STOP);
            }
        }
        if (batch.finished && finish == null) {
            stopToken = batch.stopToken;
            error = batch.error;
            flush();
            end(batch.reason);
        }
    }

    private void token(TokenBatch batch, int i) {
        int id = batch.tokens[i];
        tokens++;
        if (tokens == 1 || tokens % streamInterval == 0) {
            due = true;
        }
        boolean ends = fields.stopRules().ends(id);
        boolean hidden = ends && !(fields.includeStop() && isStopId(id));
        logprobs.add(batch, i, hidden);
        if (!hidden) {
            decoded.setLength(0);
            detokenizer.push(id, decoded);
            if (!decoded.isEmpty()) {
                reader.text(decoded);
            }
        }
        if (inReasoning) {
            reasoningTokens++;
        }
        if (tokens == fields.stopRules().minTokens()) {
            stops.forget();
        }
    }

    private boolean isStopId(int id) {
        for (int stop : fields.stopRules().stopIds()) {
            if (stop == id) {
                return true;
            }
        }
        return false;
    }

    private void flush() {
        decoded.setLength(0);
        detokenizer.flush(decoded);
        if (!decoded.isEmpty()) {
            reader.text(decoded);
        }
        reader.end();
        visible.setLength(0);
        stops.flush(visible);
        append(Segment.Kind.CONTENT, 0, visible);
    }

    private void end(FinishReason why) {
        finish = why;
        due = true;
    }

    /** Ends it for a reason of the front's own; what it has said so far stays. */
    void endNow(FinishReason why) {
        if (finish == null) {
            flush();
            end(why);
        }
        cancel();
    }

    // ---- the answer's parts, as the parser finds them

    @Override
    public void content(CharSequence more) {
        inReasoning = false;
        if (stopHit >= 0) {
            return;
        }
        visible.setLength(0);
        if (tokens < fields.stopRules().minTokens()) {
            visible.append(more);
        } else {
            stopHit = stops.push(more, visible);
        }
        append(Segment.Kind.CONTENT, 0, visible);
    }

    @Override
    public void reasoning(CharSequence more) {
        if (stopHit >= 0) {
            return;
        }
        inReasoning = true;
        append(Segment.Kind.REASONING, 0, more);
    }

    @Override
    public void toolCall(String name) {
        if (stopHit >= 0) {
            return;
        }
        inReasoning = false;
        Segment call = new Segment(Segment.Kind.CALL, calls++, "call_" + Ids.base62(CALL_ID_DIGITS));
        call.text.append(name);
        segments.add(call);
    }

    @Override
    public void arguments(CharSequence more) {
        if (stopHit < 0) {
            append(Segment.Kind.ARGUMENTS, calls - 1, more);
        }
    }

    @Override
    public void toolCallEnd() {
        if (stopHit < 0) {
            completeCalls++;
        }
    }

    private void append(Segment.Kind kind, int call, CharSequence more) {
        if (more.isEmpty()) {
            return;
        }
        Segment last = segments.isEmpty() ? null : segments.getLast();
        if (last == null || last.kind != kind || last.call != call) {
            last = new Segment(kind, call, "");
            segments.add(last);
        }
        last.text.append(more);
    }

    // ---- what the answer's writer asks

    /** Whether a chunk should go out now. */
    boolean due() {
        return due;
    }

    /** The segments since the last call. */
    List<Segment> drain() {
        List<Segment> drained = segments;
        segments = new ArrayList<>();
        due = false;
        return drained;
    }

    /** True the first time only. */
    boolean beginRole() {
        boolean first = !roleSent;
        roleSent = true;
        return first;
    }

    boolean finished() {
        return finish != null;
    }

    @Nullable
    FinishReason finish() {
        return finish;
    }

    String finishReason() {
        if (finish == null) {
            throw new IllegalStateException("choice " + index + " has not finished");
        }
        return switch (finish) {
            case STOP -> completeCalls > 0 ? "tool_calls" : "stop";
            case LENGTH -> "length";
            case TIMEOUT -> "timeout";
            case CANCELLED, ERROR -> "abort";
        };
    }

    /** The stop string that ended it; empty if none did. */
    String stopString() {
        return stopString;
    }

    /** The stop token that ended it, or -1. */
    int stopToken() {
        return stopToken;
    }

    String error() {
        return error;
    }

    int tokens() {
        return tokens;
    }

    int reasoningTokens() {
        return reasoningTokens;
    }

    int cachedTokens() {
        return cachedTokens;
    }

    Timings timings() {
        return timings;
    }
}
