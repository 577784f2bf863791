package rondo.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EbnfGrammarTest {
    private static final String ARITHMETIC = """
            # sums of products
            root   ::= term (("+" | "-") term)*
            term   ::= factor
                       ("*" factor)*
            factor ::= [0-9]{1,3} | "(" root ")" | "π"
            """;

    @Test
    void aGrammarWithRecursionAcceptsItsLanguage() {
        Talker talker = new Talker();
        GrammarSpec spec = new GrammarSpec.Ebnf(ARITHMETIC);
        assertThat(talker.accepts(spec, "1+2*(33-π)")).isTrue();
        assertThat(talker.accepts(spec, "((((7))))")).isTrue();
        assertThat(talker.accepts(spec, "1+")).isFalse();
        assertThat(talker.accepts(spec, "1234")).isFalse();
        assertThat(talker.accepts(spec, "(1")).isFalse();
    }

    @Test
    void escapesAndClassesMeanWhatTheySay() {
        Talker talker = new Talker();
        GrammarSpec spec = new GrammarSpec.Ebnf("root ::= \"a\\n\\t\\\"\\\\\\x41\\u00e9\" [^a-c\\]\\-] .?");
        assertThat(talker.accepts(spec, "a\n\t\"\\Aéd")).isTrue();
        assertThat(talker.accepts(spec, "a\n\t\"\\Aé]")).isFalse();
        assertThat(talker.accepts(spec, "a\n\t\"\\Aé日本")).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "root ::= root \"a\" / \"b\"|left recursion",
                "root ::= a\\na ::= b\\nb ::= \"\" a / \"x\"|left recursion",
                "root ::= missing|rule 'missing' is not defined",
                "x ::= \"a\"|no rule 'root'",
                "root ::= \"a|not closed",
                "root ::= [a|not closed",
                "root ::= (\"a\"|not closed",
                "root ::= \"a\"\\nroot ::= \"b\"|defined twice",
                "root = \"a\"|'::=' is expected",
                "root ::= \"a\"{3,1}|{m,n}",
                "root ::= \"(\" root \")\"|matches no text at all",
                "root ::= \"\\q\"|unknown escape"
            })
    void faultsSayWhatAndWhere(String grammar, String words) {
        Talker talker = new Talker();
        assertThatThrownBy(() -> talker.compile(
                        new GrammarSpec.Ebnf(grammar.replace("\\n", "\n").replace(" / ", " | "))))
                .isInstanceOf(UnsupportedGrammar.class)
                .hasMessageContaining(words);
    }
}
