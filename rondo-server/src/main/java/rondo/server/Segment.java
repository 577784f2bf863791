package rondo.server;

/**
 * A stretch of an answer of one kind that has not been sent yet. The sequence of segments is the answer, streamed or
 * whole.
 */
final class Segment {
    /** What the text of a segment is. */
    enum Kind {
        CONTENT,
        REASONING,
        /** A call begins; the text is its name. */
        CALL,
        /** Arguments of the call. */
        ARGUMENTS
    }

    final Kind kind;
    /** Index of the call, for the last two kinds. */
    final int call;
    /** Id of the call, for {@link Kind#CALL}. */
    final String callId;

    final StringBuilder text = new StringBuilder();

    Segment(Kind kind, int call, String callId) {
        this.kind = kind;
        this.call = call;
        this.callId = callId;
    }
}
