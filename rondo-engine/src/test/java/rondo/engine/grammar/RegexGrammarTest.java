package rondo.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.Seeds;

class RegexGrammarTest {
    private static final String[] ATOMS = {
        "a",
        "b",
        "[ab]",
        "[^a]",
        "\\d",
        "\\w",
        ".",
        "é",
        "[α-ω]",
        "\\s",
        "(?:ab|c)",
        "x",
        "\\.",
        "[a-cx-z]",
        "\\u0041",
        "\\x42"
    };
    private static final String[] QUANTIFIERS = {"", "", "", "*", "+", "?", "{2}", "{1,3}", "{2,}", "+?", "{0,20}"};

    private static String regex(SplittableRandom random, int depth) {
        StringBuilder out = new StringBuilder();
        int parts = 1 + random.nextInt(4);
        for (int i = 0; i < parts; i++) {
            boolean group = depth > 0 && random.nextInt(4) == 0;
            out.append(group ? "(" + regex(random, depth - 1) + ")" : ATOMS[random.nextInt(ATOMS.length)]);
            out.append(QUANTIFIERS[random.nextInt(QUANTIFIERS.length)]);
        }
        if (random.nextInt(4) == 0) {
            out.append('|').append(ATOMS[random.nextInt(ATOMS.length)]);
        }
        return out.toString();
    }

    @Test
    void sameLanguageAsJavasRegularExpressions() {
        Talker talker = new Talker();
        AtomicInteger refused = new AtomicInteger();
        Seeds.forEach(60, random -> {
            String regex = regex(random, 2);
            try {
                talker.compile(new GrammarSpec.Regex(regex));
            } catch (UnsupportedGrammar e) {
                // Nested repetitions of overlapping parts may have no automaton of a sensible size.
                assertThat(e).hasMessageMatching("the grammar (takes|needs) more than .*");
                refused.incrementAndGet();
                return;
            }
            agrees(talker, regex, random);
        });
        assertThat(refused).hasValueLessThan(4);
    }

    private static void agrees(Talker talker, String regex, SplittableRandom random) {
        String alphabet = "ab.cxzé αA1B \n";
        Pattern java = Pattern.compile(regex);
        GrammarSpec spec = new GrammarSpec.Regex(regex);
        for (int i = 0; i < 3; i++) {
            talker.say(spec, random, 30).ifPresent(said -> assertThat(said).matches(java));
        }
        for (int i = 0; i < 60; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(6); n > 0; n--) {
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            }
            assertThat(talker.accepts(spec, text.toString()))
                    .as("%s on '%s'", regex, text)
                    .isEqualTo(java.matcher(text).matches());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "(?=a)b",
                "(?<!a)b",
                "(a)\\1",
                "\\bword",
                "a++",
                "(?i)a",
                "a^b",
                "a$b",
                "(",
                "a)",
                "[a",
                "*a",
                "a{3,1}",
                "[z-a]",
                "\\p{Greek}",
                "\\k<x>",
                "\\q",
                "a\\",
                "[[:alpha:]]",
                "(?<n"
            })
    void whatAMaskCannotFollowIsRefused(String regex) {
        Talker talker = new Talker();
        assertThatThrownBy(() -> talker.compile(new GrammarSpec.Regex(regex)))
                .isInstanceOf(UnsupportedGrammar.class)
                .hasMessageStartingWith("regex: ");
    }

    @Test
    void aHugeExpressionIsRefusedInTime() {
        Talker talker = new Talker();
        for (String regex : new String[] {"(.*a.{17}b){5}|(.*c.{16}d){5}", "(".repeat(5000)}) {
            long start = Talker.cpuNanos();
            assertThatThrownBy(() -> talker.compile(new GrammarSpec.Regex(regex)))
                    .isInstanceOf(UnsupportedGrammar.class);
            assertThat(Talker.cpuNanos() - start).as(regex.substring(0, 16)).isLessThan(3_000_000_000L);
        }
    }
}
