package rondo.engine.grammar;

import java.util.List;

/** What a request asks its output to be. */
public sealed interface GrammarSpec {
    /** Any JSON object. */
    record JsonObject() implements GrammarSpec {}

    /**
     * @param schema           the schema's JSON text
     * @param open             whether absent {@code additionalProperties} means true
     * @param strictWhitespace whether no white space is allowed between the parts
     */
    record Schema(String schema, boolean open, boolean strictWhitespace) implements GrammarSpec {}

    /** The whole output matches. */
    record Regex(String regex) implements GrammarSpec {}

    /**
     * Calls of functions, at least one.
     *
     * @param separator between calls
     * @param most      1, or {@link Integer#MAX_VALUE}
     */
    record Calls(List<Call> calls, String separator, int most) implements GrammarSpec {
        public Calls {
            calls = List.copyOf(calls);
        }
    }

    /** Arguments under a schema between two fixed texts. */
    record Call(String begin, Schema arguments, String end) {}

    /** Either of two. */
    record Either(GrammarSpec one, GrammarSpec other) implements GrammarSpec {}

    /** EBNF in the GBNF dialect. */
    record Ebnf(String grammar) implements GrammarSpec {}

    /** One of these texts. */
    record Choice(List<String> texts) implements GrammarSpec {
        public Choice {
            texts = List.copyOf(texts);
        }
    }
}
