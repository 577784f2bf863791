package rondo.server;

/** Reads an answer that has no format: all of it is content. */
record PlainReader(AnswerFormat.Sink sink) implements AnswerFormat.Reader {
    @Override
    public void text(CharSequence more) {
        sink.content(more);
    }

    @Override
    public void end() {
        // holds nothing back
    }
}
