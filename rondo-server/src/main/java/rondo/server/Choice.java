package rondo.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import rondo.base.Ids;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.TokenBatch;
import rondo.text.Detokenizer;
import rondo.text.StopStrings;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent;
import rondo.text.parse.OutputParser;

/**
 * One choice of an answer: takes its generation's tokens and makes segments of text from them. Token → characters →
 * (parser of the model's format) → stop strings, which see the visible content only → segments. On its worker only,
 * save for the generation itself and the ready flag.
 */
final class Choice implements Consumer<OutputEvent> {
    private static final int CALL_ID_DIGITS = 24;

    final int index;
    final int promptTokens;
    final boolean firstOfPrompt;
    final Logprobs logprobs;
    final PendingIds ids;
    private final GenerationFields fields;
    private final int streamInterval;
    private final boolean oneCall;
    private final Detokenizer detokenizer;
    private final StringBuilder decoded = new StringBuilder();
    private final StringBuilder visible = new StringBuilder();
    private final StopStrings stops;
    private final OutputParser parser;
    private final SpecialTokens specials;
    private final boolean showSpecials;
    private List<Segment> segments = new ArrayList<>();

    /** Set by the engine thread when there is something to take. */
    private volatile boolean ready;

    private volatile @Nullable Generation generation;

    private int tokens;
    private int reasoningTokens;
    private int completeCalls;
    private int stopHit = StopStrings.NONE;
    private boolean due;
    private boolean roleSent;
    private @Nullable FinishReason finish;
    private String stopString = "";
    private int stopToken = -1;
    private String error = "";
    private int cachedTokens;
    private final Timings timings = new Timings();

    Choice(Front front, GenerationFields fields, int index, int promptTokens, boolean oneCall, OutputParser parser) {
        this.fields = fields;
        this.index = index;
        this.promptTokens = promptTokens;
        this.firstOfPrompt = index % fields.n() == 0;
        this.streamInterval = front.options().streamInterval();
        this.oneCall = oneCall;
        this.detokenizer = new Detokenizer(front.model().tokenizer(), false);
        this.stops = new StopStrings(fields.stops(), fields.includeStop());
        this.logprobs = new Logprobs(front.model().tokenizer(), fields.topLogprobs());
        this.ids = new PendingIds(front.model().idsOnly());
        this.parser = parser;
        this.specials = front.specials();
        this.showSpecials = !fields.skipSpecialTokens();
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
            if (stopHit != StopStrings.NONE) {
                stopString = stops.get(stopHit);
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
        boolean hidden = ends && !(fields.includeStop() && fields.stopRules().isStopToken(id));
        logprobs.add(batch, i, hidden);
        ids.add(id);
        boolean reasoning = parser.inReasoning();
        if (!hidden) {
            text(id);
        }
        // The token of a mark is not part of what stands between the marks.
        if (reasoning && parser.inReasoning()) {
            reasoningTokens++;
        }
    }

    private void text(int id) {
        AddedToken special = specials.get(id);
        decoded.setLength(0);
        if (special != null && parser.readsSpecialTokens()) {
            // A mark of the format: no character reaches over it.
            detokenizer.flush(decoded);
            decoded();
            parser.special(special, showSpecials, this);
        } else if (special == null || showSpecials) {
            detokenizer.push(id, decoded);
            decoded();
        }
    }

    private void decoded() {
        if (!decoded.isEmpty()) {
            parser.text(decoded.toString(), this);
        }
    }

    private void flush() {
        decoded.setLength(0);
        detokenizer.flush(decoded);
        decoded();
        parser.finish(this);
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
    public void accept(OutputEvent event) {
        if (stopHit != StopStrings.NONE) {
            // What follows a stop string in the text of the same token is not part of the answer.
            return;
        }
        switch (event) {
            case OutputEvent.Content more -> content(more.text());
            case OutputEvent.Reasoning more -> append(Segment.Kind.REASONING, 0, more.text());
            case OutputEvent.CallBegin call -> {
                Segment begin = new Segment(Segment.Kind.CALL, call.index(), "call_" + Ids.base62(CALL_ID_DIGITS));
                begin.text.append(call.name());
                segments.add(begin);
            }
            case OutputEvent.CallArguments more -> append(Segment.Kind.ARGUMENTS, more.index(), more.fragment());
            case OutputEvent.CallEnd call -> completeCalls += call.complete() ? 1 : 0;
        }
    }

    private void content(String more) {
        visible.setLength(0);
        stopHit = stops.push(more, tokens >= fields.stopRules().minTokens(), visible);
        append(Segment.Kind.CONTENT, 0, visible);
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

    /** Whether it ended in a way that may be an error to the client. */
    boolean failed() {
        return finish == FinishReason.ERROR || finish == FinishReason.REFUSED || finish == FinishReason.TIMEOUT;
    }

    String finishReason() {
        if (finish == null) {
            throw new IllegalStateException("choice " + index + " has not finished");
        }
        return switch (finish) {
            case STOP -> completeCalls > 0 ? "tool_calls" : "stop";
            case LENGTH -> "length";
            case TIMEOUT -> "timeout";
            case CANCELLED, REFUSED, ERROR -> "abort";
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
