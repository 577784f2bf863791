package rondo.engine.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.networknt.schema.Error;
import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonSchemaGrammarTest {
    private static GrammarSpec schema(String schema) {
        return new GrammarSpec.Schema(schema, false, false);
    }

    /**
     * The validator is an independent one (networknt, draft 2020-12, with formats asserted); R076: recursive schemas
     * are among them.
     */
    @Test
    void whatIsSaidUnderASchemaValidates() {
        Talker talker = new Talker();
        SchemaRegistry registry = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12);
        List<String> zoo = SchemaZoo.all();
        assertThat(zoo).hasSizeGreaterThanOrEqualTo(200);
        SplittableRandom random = new SplittableRandom(42);
        int unended = 0;
        for (String text : zoo) {
            Schema validator = registry.getSchema(text, InputFormat.JSON);
            for (int run = 0; run < 4; run++) {
                Optional<String> said = talker.say(schema(text), random, 10 + 30 * run);
                if (said.isEmpty()) {
                    unended++;
                    continue;
                }
                List<Error> errors = validator.validate(
                        said.get(),
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)));
                assertThat(errors).as("%s said under %s", said, text).isEmpty();
            }
        }
        assertThat(unended).isLessThan(zoo.size() * 4 / 20);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}}}|{\"a\": 1, \"b\": \"x\"}|true",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}}}|{\"b\":\"x\"}|true",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"},\"b\":{\"type\":\"string\"}}}|{\"b\":\"x\",\"a\":1}|false",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}}}|{\"z\":1}|false",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"additionalProperties\":true}|{\"z\":[{}]}|true",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},\"additionalProperties\":true}|{\"\\u0061\":\"x\"}|false",
                "{\"type\":\"integer\",\"minimum\":10,\"maximum\":99}|10|true",
                "{\"type\":\"integer\",\"minimum\":10,\"maximum\":99}|100|false",
                "{\"type\":\"integer\",\"minimum\":10,\"maximum\":99}|09|false",
                "{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":1}|0.5|false",
                "{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":1}|0.50000001|true",
                "{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":1}|1.0|true",
                "{\"type\":\"number\",\"exclusiveMinimum\":0.5,\"maximum\":1}|1.01|false",
                "{\"type\":\"number\"}|-1.5e-10|true",
                "{\"type\":\"number\"}|01|false",
                "{\"type\":\"string\"}|\"\\ud83d\\ude00 \\n\"|true",
                "{\"type\":\"string\"}|\"\\ud83d\"|false",
                "{\"type\":\"string\",\"maxLength\":2}|\"日本\"|true",
                "{\"type\":\"string\",\"maxLength\":2}|\"日本語\"|false",
                "{\"const\":{\"a\":[1,2]}}|{\"a\": [1, 2]}|true",
                "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":2}|[1]|false",
                "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":2}|[1, 2,3]|true"
            })
    void documentsAreInTheLanguageOrNot(String schema, String document, boolean in) {
        assertThat(new Talker().accepts(schema(schema), document)).isEqualTo(in);
    }

    /** R079: the spacing that models like is allowed. */
    @Test
    void separatorsAndIndentationMayBeThereUnlessStrict() {
        Talker talker = new Talker();
        String schema =
                "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":{\"type\":\"null\"}}}}";
        GrammarSpec strict = new GrammarSpec.Schema(schema, false, true);
        for (String text : List.of("{\n  \"a\": [\n    null,\n    null\n  ]\n}", "{ \"a\":[ null, null ] }")) {
            assertThat(talker.accepts(schema(schema), text)).as(text).isTrue();
            assertThat(talker.accepts(strict, text)).as(text).isFalse();
        }
        assertThat(talker.accepts(strict, "{\"a\":[null,null]}")).isTrue();
        assertThat(talker.accepts(schema(schema), " {}")).isFalse();
        assertThat(talker.accepts(schema(schema), "{\n" + " ".repeat(64) + "}")).isFalse();
    }

    /** R076: a reference to nothing but itself is refused; R082: what is not enforced is refused. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{\"not\":{}}|/not|not supported",
                "{\"allOf\":[{\"properties\":1},{\"properties\":2}]}||wrong kind or size",
                "{\"allOf\":[{\"minLength\":\"x\"},{\"minLength\":2}]}||wrong kind or size",
                "{\"type\":{},\"enum\":[1]}||wrong kind or size",
                "{\"type\":\"integer\",\"minimum\":1e400}||wrong kind or size",
                "{\"type\":\"object\",\"properties\":{\"a/b\":{\"if\":{}}}}|/properties/a~1b/if|not supported",
                "{\"properties\":{\"x\":{\"type\":\"array\",\"uniqueItems\":true}}}|/properties/x/uniqueItems|not supported",
                "{\"anyOf\":[{\"type\":\"null\"},{\"contains\":{}}]}|/anyOf/1/contains|not supported",
                "{\"$ref\":\"http://example.com/x\"}|/$ref|inside the schema",
                "{\"$ref\":\"#/$defs/none\"}|/$ref|points at nothing",
                "{\"type\":\"strin\"}|/type|unknown type 'strin'",
                "{\"type\":7}|/type|a string or a list",
                "{\"type\":\"string\",\"pattern\":\"(?=x)\"}|/pattern|look-around",
                "{\"type\":\"string\",\"minLength\":-1}|/minLength|whole number",
                "{\"type\":\"number\",\"multipleOf\":0.5}|/multipleOf|only multipleOf 1",
                "{\"type\":\"number\",\"minimum\":\"1\"}|/minimum|must be a number",
                "{\"type\":\"object\",\"patternProperties\":{\"a\":{},\"b\":{}}}|/patternProperties|exactly one",
                "{\"type\":\"object\",\"properties\":[]}|/properties|must be an object",
                "{\"type\":\"object\",\"required\":\"a\"}|/required|must be a list",
                "{\"type\":\"object\",\"properties\":{\"a\":true},\"minProperties\":1}|/minProperties|beside named",
                "{\"anyOf\":{}}|/anyOf|must be a list",
                "{\"type\":\"string\",\"minLength\":3,\"maxLength\":1}||matches no text",
                "{\"$ref\":\"#\"}||matches no text",
                "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"}},\"required\":[\"a\"]}||matches no text",
                "{\"allOf\":[{\"type\":\"string\"},{\"type\":\"integer\"}]}||matches no text",
                "[]||must be an object or a boolean",
                "{\"type\"||not JSON"
            })
    void faultsNameTheirPlace(String schema, String pointer, String words) {
        Talker talker = new Talker();
        assertThatThrownBy(() -> talker.compile(schema(schema)))
                .isInstanceOfSatisfying(UnsupportedGrammar.class, e -> {
                    if (pointer != null) {
                        assertThat(e.where()).isEqualTo(pointer);
                    }
                })
                .hasMessageContaining(words);
    }

    /** Whatever a stranger sends, the answer comes in time. */
    @Test
    void hugeSchemasEndInTime() {
        Talker talker = new Talker();
        for (String schema : List.of(
                "{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1000000}",
                "{\"anyOf\":[".repeat(400) + "true" + "]}".repeat(400),
                "{\"type\":\"string\",\"pattern\":\"(.*a.{14}b){3}\",\"maxLength\":60}",
                "{\"allOf\":[{\"$ref\":\"#\"}]}",
                "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\",\"type\":\"null\"},\"b\":{\"$ref\":\"#/$defs/a\",\"type\":\"null\"}}}")) {
            long start = Talker.cpuNanos();
            assertThatThrownBy(() -> talker.compile(schema(schema)))
                    .as(schema.substring(0, Math.min(80, schema.length())))
                    .isInstanceOf(UnsupportedGrammar.class);
            assertThat(Talker.cpuNanos() - start).isLessThan(3_000_000_000L);
        }
    }
}
