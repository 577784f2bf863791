package rondo.agentx.plan;

import java.util.ArrayList;
import java.util.List;
import rondo.base.TokenIds;

/**
 * Turns the segments of a prompt into words. Words consist of spaces and letters only, so the text needs no escaping
 * in JSON. One thread at a time.
 */
public final class PromptText {
    private final FillerPool pool;
    private final Filler filler;

    public PromptText(FillerPool pool, long seed) {
        this.pool = pool;
        this.filler = new Filler(seed);
    }

    /** Appends the text of one segment of a turn. */
    public void append(SessionPlan plan, Conversation conversation, int turn, Segment segment, ByteSink to) {
        int[] ids = conversation.turns().get(turn).hashIds();
        int bound = pool.size();
        for (int b = segment.fromBlock(); b < segment.toBlock(); b++) {
            filler.block(plan.traceId(), ids[b]);
            for (int i = 0; i < plan.blockSize(); i++) {
                to.add(pool.word(filler.next(bound)));
            }
        }
        if (segment.extraTokens() > 0) {
            filler.tail(conversation.id(), turn);
            for (int i = 0; i < segment.extraTokens(); i++) {
                to.add(pool.word(filler.next(bound)));
            }
        }
    }

    /** The tokens of one segment of a turn. */
    public TokenIds tokens(SessionPlan plan, Conversation conversation, int turn, Segment segment) {
        int[] ids = conversation.turns().get(turn).hashIds();
        int[] out = new int[segment.tokens(plan.blockSize())];
        int n = 0;
        for (int b = segment.fromBlock(); b < segment.toBlock(); b++) {
            filler.block(plan.traceId(), ids[b]);
            for (int i = 0; i < plan.blockSize(); i++) {
                out[n++] = pool.id(filler.next(pool.size()));
            }
        }
        if (segment.extraTokens() > 0) {
            filler.tail(conversation.id(), turn);
            for (int i = 0; i < segment.extraTokens(); i++) {
                out[n++] = pool.id(filler.next(pool.size()));
            }
        }
        return TokenIds.of(out);
    }

    /** The messages of a turn as sent, marker included. */
    public List<Message> messages(SessionPlan plan, Conversation conversation, int turn, Marker marker) {
        List<Segment> segments = conversation.turns().get(turn).segments();
        List<Message> out = new ArrayList<>(segments.size());
        int marked = marker.target(segments);
        for (int i = 0; i < segments.size(); i++) {
            Segment segment = segments.get(i);
            ByteSink text = new ByteSink(segment.tokens(plan.blockSize()) * 8 + 32);
            append(plan, conversation, turn, segment, text);
            String content = new String(text.toArray(), java.nio.charset.StandardCharsets.US_ASCII);
            out.add(new Message(segment.role(), i == marked ? marker.prefix() + content + marker.suffix() : content));
        }
        return out;
    }

    /** One message of a chat request. */
    public record Message(Role role, String content) {}
}
