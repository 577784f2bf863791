package rondo.text.parse;

import java.util.function.Consumer;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent.Content;
import rondo.text.parse.OutputEvent.Reasoning;

/**
 * Reasoning between {@code <think>} and {@code </think>}, in front of the answer. The opening tag may stand in the
 * prompt already (the model may write it once more), or be left out altogether together with the reasoning. Only one block is read, at the very start: a
 * tag that the answer itself writes is text. Calls are found first, by the parser of the tool format, so that one made
 * in the middle of a thought is a call like any other.
 *
 * <p>White space around the tags is not part of either text.
 */
final class ThinkParser implements OutputParser {
    private static final String OPEN = ReasoningMarks.THINK.open();
    private static final String CLOSE = ReasoningMarks.THINK.close();

    private enum At {
        /** Nothing yet but white space and perhaps a part of the opening tag. */
        START,
        /** In the reasoning, before its first character that is no white space. */
        OPENED,
        INSIDE,
        /** After the closing tag, before the first character that is no white space. */
        CLOSED,
        ANSWER
    }

    private final OutputParser calls;
    private final boolean opened;
    private At at = At.START;
    /** White space, and the part of a tag after it, that may or may not come out. */
    private final StringBuilder held = new StringBuilder();

    private int matched;
    private final StringBuilder out = new StringBuilder();

    /**
     * @param calls  finds the calls; the rest of the text comes here
     * @param opened whether the answer begins inside the reasoning
     */
    ThinkParser(OutputParser calls, boolean opened) {
        this.calls = calls;
        this.opened = opened;
    }

    @Override
    public boolean inReasoning() {
        return at == At.START ? opened : at == At.OPENED || at == At.INSIDE;
    }

    @Override
    public boolean readsSpecialTokens() {
        return true;
    }

    /** Where a tag is a special token, it is read though it is not shown. */
    @Override
    public void special(AddedToken token, boolean shown, Consumer<OutputEvent> sink) {
        boolean mark = token.content().equals(OPEN) || token.content().equals(CLOSE);
        if (mark && at != At.ANSWER) {
            calls.text(token.content(), event -> split(event, sink));
        } else if (calls.readsSpecialTokens()) {
            calls.special(token, shown, event -> split(event, sink));
        } else if (shown) {
            calls.text(token.content(), event -> split(event, sink));
        }
    }

    @Override
    public void text(String text, Consumer<OutputEvent> sink) {
        calls.text(text, event -> split(event, sink));
    }

    @Override
    public void finish(Consumer<OutputEvent> sink) {
        calls.finish(event -> split(event, sink));
        if (at == At.START && !opened || matched > 0) {
            out.append(held);
            settle(sink);
        }
        held.setLength(0);
        matched = 0;
    }

    private void split(OutputEvent event, Consumer<OutputEvent> sink) {
        if (event instanceof Content content) {
            for (int i = 0; i < content.text().length(); i++) {
                push(content.text().charAt(i), sink);
            }
            settle(sink);
        } else {
            sink.accept(event);
        }
    }

    private void push(char c, Consumer<OutputEvent> sink) {
        switch (at) {
            case START -> start(c, sink);
            case OPENED, INSIDE -> inside(c, sink);
            case CLOSED -> {
                if (!Character.isWhitespace(c)) {
                    at = At.ANSWER;
                    out.append(c);
                }
            }
            case ANSWER -> out.append(c);
        }
    }

    private void start(char c, Consumer<OutputEvent> sink) {
        held.append(c);
        if (c == OPEN.charAt(matched)) {
            if (++matched == OPEN.length()) {
                forget(At.OPENED);
            }
        } else if (matched > 0 || !Character.isWhitespace(c)) {
            String text = held.toString();
            forget(opened ? At.OPENED : At.ANSWER);
            for (int i = 0; i < text.length(); i++) {
                push(text.charAt(i), sink);
            }
        }
    }

    private void inside(char c, Consumer<OutputEvent> sink) {
        if (c == CLOSE.charAt(matched)) {
            held.append(c);
            if (++matched == CLOSE.length()) {
                settle(sink);
                forget(At.CLOSED);
            }
            return;
        }
        if (matched > 0) {
            // No tag after all; no proper part of the closing tag is another's beginning but its first character.
            matched = 0;
            reveal();
            inside(c, sink);
        } else if (Character.isWhitespace(c)) {
            held.append(c);
        } else {
            reveal();
            out.append(c);
            at = At.INSIDE;
        }
    }

    /** What was held back is reasoning; white space in front of it is not. */
    private void reveal() {
        if (at == At.OPENED) {
            out.append(held.toString().stripLeading());
            at = out.isEmpty() ? At.OPENED : At.INSIDE;
        } else {
            out.append(held);
        }
        held.setLength(0);
    }

    private void forget(At next) {
        held.setLength(0);
        matched = 0;
        at = next;
    }

    private void settle(Consumer<OutputEvent> sink) {
        if (out.isEmpty()) {
            return;
        }
        String text = out.toString();
        out.setLength(0);
        sink.accept(inReasoning() ? new Reasoning(text) : new Content(text));
    }
}
