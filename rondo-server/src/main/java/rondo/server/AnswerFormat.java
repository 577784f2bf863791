package rondo.server;

/** How the answers of a model are read: which text is content, reasoning or a tool call. */
public interface AnswerFormat {
    /** All text is content. */
    AnswerFormat PLAIN = (tools, sink) -> new PlainReader(sink);

    /**
     * Begins an answer.
     *
     * @param tools whether tools were offered; without them call text is content
     */
    Reader reader(boolean tools, Sink sink);

    /** Reads one answer as it grows; the result does not depend on where the text was cut. */
    interface Reader {
        void text(CharSequence more);

        /** The answer is over: what was held back goes out. */
        void end();
    }

    /** What an answer consists of, in its order. */
    interface Sink {
        void content(CharSequence more);

        void reasoning(CharSequence more);

        /** A call begins; its arguments follow. */
        void toolCall(String name);

        void arguments(CharSequence more);

        /** The call's JSON is complete. */
        void toolCallEnd();
    }
}
