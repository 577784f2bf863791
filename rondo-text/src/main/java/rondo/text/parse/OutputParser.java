package rondo.text.parse;

import java.util.function.Consumer;
import rondo.text.Tokenizer.AddedToken;

/**
 * Takes an answer apart while it streams. One per choice, not thread-safe. Everything that is pushed comes out again as
 * some event, except for the format's own marks.
 */
public interface OutputParser {
    /** More text, in pieces of any size. */
    void text(String text, Consumer<OutputEvent> sink);

    /** Whether the format is made of special tokens, which then come through {@link #special} and not as text. */
    default boolean readsSpecialTokens() {
        return false;
    }

    /**
     * A special token of the tokenizer; all text before it has been pushed.
     *
     * @param shown whether it is part of the text that the client sees (skip_special_tokens off)
     */
    default void special(AddedToken token, boolean shown, Consumer<OutputEvent> sink) {
        if (shown) {
            text(token.content(), sink);
        }
    }

    /** Whether what comes next is the model's reasoning, as far as it has shown. */
    default boolean inReasoning() {
        return false;
    }

    /** The end of the answer, whatever its reason: what was held back comes out. */
    void finish(Consumer<OutputEvent> sink);

    /** A parser without marks: everything is content. */
    static OutputParser plain() {
        return new OutputParser() {
            @Override
            public void text(String text, Consumer<OutputEvent> sink) {
                if (!text.isEmpty()) {
                    sink.accept(new OutputEvent.Content(text));
                }
            }

            @Override
            public void finish(Consumer<OutputEvent> sink) {}
        };
    }
}
