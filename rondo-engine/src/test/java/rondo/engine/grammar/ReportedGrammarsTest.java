package rondo.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What users of other servers report of grammars; each test names its row. */
class ReportedGrammarsTest {
    private final Talker talker = new Talker();

    private static GrammarSpec schema(String schema) {
        return new GrammarSpec.Schema(schema, false, false);
    }

    /** R067: what a schema says to people never reaches the grammar. */
    @Test
    void descriptionsChangeNothing() {
        List<List<Integer>> masks = new ArrayList<>();
        for (String words :
                List.of("", "\\\"", "\\\\", "root ::= x", "a\\nb\\r", "👩‍👩", "( [ { |", "x".repeat(10_000))) {
            String glob =
                    "{\"type\":\"object\",\"properties\":{\"pattern\":{\"type\":\"string\"},\"path\":{\"type\":\"string\","
                            + "\"description\":\"" + words + "\"}},\"required\":[\"pattern\"]}";
            var constraint = talker.start(schema(glob));
            List<Integer> seen = new ArrayList<>();
            for (char c : "{\"pattern\": \"*\", \"path\": \"/\"}".toCharArray()) {
                seen.addAll(talker.allowed(constraint));
                assertThat(constraint.accept(c)).isTrue();
            }
            assertThat(talker.accepts(schema(glob), "{\"pattern\":\"*\"}")).isTrue();
            masks.add(seen);
        }
        assertThat(masks).allSatisfy(mask -> assertThat(mask).isEqualTo(masks.getFirst()));
    }

    /** R069: long strings count, they are not unrolled. */
    @Test
    void longStringsInsideObjectsAreCounted() {
        for (int length : new int[] {1999, 2000, 2001, 100_000}) {
            String nested = "{\"type\":\"object\",\"properties\":{\"a\":".repeat(3)
                    + "{\"type\":\"string\",\"maxLength\":" + length + "}" + "}}".repeat(3);
            long start = Talker.cpuNanos();
            talker.compile(schema(nested));
            assertThat(Talker.cpuNanos() - start).isLessThan(1_000_000_000L);
            String head = "{\"a\":{\"a\":{\"a\":\"";
            assertThat(talker.accepts(schema(nested), head + "x".repeat(length) + "\"}}}"))
                    .isTrue();
            assertThat(talker.accepts(schema(nested), head + "x".repeat(length + 1) + "\"}}}"))
                    .isFalse();
        }
    }

    /** R071: a pattern means at any depth what Java's means, or is refused. */
    @Test
    void patternsWorkAtAnyDepth() {
        List<String> texts = List.of("", "a", "abc", "Abc", "a b", " ", "12", "é", "a-b", "x1", "foo.bar", "\t");
        for (String pattern : List.of(
                "^[a-z]+$",
                "^\\\\S+$",
                "^\\\\s*$",
                "^\\\\d{1,3}$",
                "^[^a]$",
                "^.$",
                "^(a|b)+c?$",
                "^\\\\w+-\\\\w+$",
                "^[a-z]*\\\\.[a-z]+$",
                "^$",
                "^a{0,2}$",
                "^é$",
                "^[A-Z][a-z]*$",
                "^(foo|bar)(\\\\.(foo|bar))*$")) {
            String leaf = "{\"type\":\"string\",\"pattern\":\"" + pattern + "\"}";
            String deep =
                    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
                            + "\"properties\":{\"b\":" + leaf + "},\"required\":[\"b\"]}}},\"required\":[\"a\"]}";
            Pattern java = Pattern.compile(pattern.replace("\\\\", "\\"));
            for (String text : texts) {
                boolean in = java.matcher(text).matches();
                String json = "\"" + text.replace("\t", "\\t") + "\"";
                assertThat(talker.accepts(schema(leaf), json))
                        .as(pattern + " " + json)
                        .isEqualTo(in);
                assertThat(talker.accepts(schema(deep), "{\"a\": [{\"b\": " + json + "}]}"))
                        .as("deep " + pattern + " " + json)
                        .isEqualTo(in);
            }
        }
    }

    /** R072: a thousand items are compiled in time, or refused in time. */
    @Test
    void manyItemsAreCounted() {
        for (int most : new int[] {1_000, 20_000}) {
            String array =
                    "{\"type\":\"array\",\"items\":{\"type\":\"number\"},\"minItems\":10,\"maxItems\":" + most + "}";
            long start = Talker.cpuNanos();
            try {
                talker.compile(schema(array));
                assertThat(talker.accepts(schema(array), "[" + "1,".repeat(9) + "1]"))
                        .isTrue();
                assertThat(talker.accepts(schema(array), "[" + "1,".repeat(8) + "1]"))
                        .isFalse();
                assertThat(talker.accepts(schema(array), "[" + "1,".repeat(most) + "1]"))
                        .isFalse();
            } catch (UnsupportedGrammar e) {
                assertThat(most).as("a thousand are served").isGreaterThan(1_000);
            }
            assertThat(Talker.cpuNanos() - start).isLessThan(4_000_000_000L);
        }
    }

    /** R080: what nothing can satisfy is refused before anybody samples under it. */
    @Test
    void contradictionsAreRefused() {
        for (String contradiction : List.of(
                "{\"type\":\"integer\",\"minimum\":5,\"maximum\":3}",
                "{\"type\":\"number\",\"exclusiveMinimum\":1,\"exclusiveMaximum\":1}",
                "{\"enum\":[]}",
                "false",
                "{\"type\":\"array\",\"minItems\":3,\"maxItems\":1}",
                "{\"type\":\"object\",\"properties\":{\"a\":false},\"required\":[\"a\"]}")) {
            assertThatThrownBy(() -> talker.compile(schema(contradiction)))
                    .as(contradiction)
                    .isInstanceOf(UnsupportedGrammar.class);
        }
    }

    /**
     * R082: a keyword is enforced or refused, never accepted and broken. Two exceptions are documented: {@code oneOf}
     * is read as {@code anyOf}, and names in an object without declared properties are not kept apart.
     */
    @Test
    void aKeywordIsEnforcedOrRefused() {
        SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
        SplittableRandom random = new SplittableRandom(11);
        List<String> refused = new ArrayList<>();
        for (String text : List.of(
                "{\"type\":\"object\",\"required\":[\"a\"]}",
                "{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"null\"}},\"required\":[\"a\",\"b\"]}",
                "{\"type\":\"object\",\"minProperties\":1,\"maxProperties\":1}",
                "{\"type\":\"object\",\"patternProperties\":{\"^x\":{\"type\":\"integer\"}},\"minProperties\":1}",
                "{\"type\":\"array\",\"uniqueItems\":true}",
                "{\"type\":\"integer\",\"multipleOf\":3}",
                "{\"type\":\"number\",\"multipleOf\":1}",
                "{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"}]}",
                "{\"not\":{\"type\":\"integer\"}}",
                "{\"type\":\"string\",\"format\":\"ipv4\"}",
                "{\"type\":\"string\",\"format\":\"uuid\"}",
                "{\"if\":{\"type\":\"integer\"},\"then\":{\"minimum\":3}}",
                "{\"type\":\"array\",\"contains\":{\"type\":\"integer\"}}",
                "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"integer\"},{\"type\":\"null\"}],\"minItems\":2}",
                "{\"dependentRequired\":{\"a\":[\"b\"]}}",
                "{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^a\"}}",
                "{\"type\":\"object\",\"unevaluatedProperties\":false}",
                "{\"allOf\":[{\"type\":\"integer\",\"minimum\":3},{\"type\":\"integer\",\"maximum\":5}]}")) {
            Schema validator = registry.getSchema(text, InputFormat.JSON);
            try {
                talker.compile(schema(text));
            } catch (UnsupportedGrammar e) {
                refused.add(text);
                continue;
            }
            for (int run = 0; run < 8; run++) {
                talker.say(schema(text), random, 10)
                        .ifPresent(said -> assertThat(validator.validate(
                                        said,
                                        InputFormat.JSON,
                                        context -> context.executionConfig(
                                                config -> config.formatAssertionsEnabled(true))))
                                .as("%s said under %s", said, text)
                                .isEmpty());
            }
        }
        assertThat(refused).hasSizeBetween(6, 13);
    }

    /** R164: more grammars than the cache keeps, and those of before go on unharmed. */
    @Test
    void grammarsThatLeaveTheCacheServeTheirUsersOn() {
        var first = talker.start(new GrammarSpec.Regex("first-[0-9]{3}"));
        for (char c : "first".toCharArray()) {
            assertThat(first.accept(c)).isTrue();
        }
        for (int i = 0; i < 300; i++) {
            GrammarSpec one = new GrammarSpec.Regex("number " + i);
            assertThat(talker.accepts(one, "number " + i)).isTrue();
            assertThat(talker.accepts(one, "number " + (i + 1))).isFalse();
        }
        assertThat(talker.allowed(first)).contains((int) '-').doesNotContain((int) '1');
        for (char c : "-123".toCharArray()) {
            assertThat(first.accept(c)).isTrue();
        }
        assertThat(first.mayEnd()).isTrue();
    }
}
