package rondo.text;

import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import rondo.text.Tokenizer.AddedToken;
import rondo.text.parse.OutputEvent;
import rondo.text.parse.OutputParser;

/**
 * One answer's way from token ids to events: detokenizer, stop strings, parser. Not thread-safe; one per choice.
 */
public final class OutputStage {
    private final Tokenizer tokenizer;
    private final Detokenizer detokenizer;
    private final StopStrings stops;
    private final OutputParser parser;
    private final boolean skipSpecialTokens;
    private final StringBuilder decoded = new StringBuilder();
    private final StringBuilder passed = new StringBuilder();
    private @Nullable String stopped;

    public OutputStage(Tokenizer tokenizer, StopStrings stops, OutputParser parser, boolean skipSpecialTokens) {
        this.tokenizer = tokenizer;
        this.detokenizer = new Detokenizer(tokenizer, false);
        this.stops = stops;
        this.parser = parser;
        this.skipSpecialTokens = skipSpecialTokens;
    }

    /**
     * Takes the next token.
     *
     * @param stopsCount false before {@code min_tokens}
     * @return true when this token completed a stop string: the text ends before it, nothing more is taken
     */
    public boolean push(int id, boolean stopsCount, Consumer<OutputEvent> sink) {
        if (stopped != null) {
            return true;
        }
        if (tokenizer.isSpecial(id)) {
            if (parser.readsSpecialTokens()) {
                // a channel's mark: neither a character nor a stop string reaches over it
                release(sink);
                parser.special(token(id), !skipSpecialTokens, sink);
                return false;
            }
            if (skipSpecialTokens) {
                return false;
            }
        }
        decoded.setLength(0);
        detokenizer.push(id, decoded);
        return pass(stopsCount, sink);
    }

    /** The end of the answer: everything that was held back comes out. */
    public void finish(Consumer<OutputEvent> sink) {
        if (stopped == null) {
            release(sink);
        }
        parser.finish(sink);
    }

    /** The stop string that ended the text, if one did. */
    public Optional<String> stopString() {
        return Optional.ofNullable(stopped);
    }

    /** What detokenizer and stop strings hold back goes to the parser. */
    private void release(Consumer<OutputEvent> sink) {
        decoded.setLength(0);
        detokenizer.flush(decoded);
        pass(false, sink);
        passed.setLength(0);
        stops.flush(passed);
        send(sink);
    }

    private boolean pass(boolean stopsCount, Consumer<OutputEvent> sink) {
        if (decoded.isEmpty()) {
            return false;
        }
        passed.setLength(0);
        int found = stops.push(decoded, stopsCount, passed);
        send(sink);
        if (found != StopStrings.NONE) {
            stopped = stops.get(found);
            return true;
        }
        return false;
    }

    private void send(Consumer<OutputEvent> sink) {
        if (!passed.isEmpty()) {
            parser.text(passed.toString(), sink);
        }
    }

    private AddedToken token(int id) {
        for (AddedToken token : tokenizer.addedTokens()) {
            if (token.id() == id) {
                return token;
            }
        }
        throw new IllegalArgumentException("not an added token: " + id);
    }
}
