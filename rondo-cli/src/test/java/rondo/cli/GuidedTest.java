package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Guided output of the bundled model, at the temperature where it would otherwise say anything. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GuidedTest {
    private static final String WEATHER = """
            {"type":"object","properties":{"city":{"type":"string","maxLength":12},"days":{"type":"integer","minimum":1,
            "maximum":14},"unit":{"enum":["celsius","fahrenheit"]}},"required":["city","days"]}
            """;
    private static final String TOOLS = "[{\"type\":\"function\",\"function\":{\"name\":\"weather\",\"parameters\":"
            + WEATHER + "}},{\"type\":\"function\",\"function\":{\"name\":\"now\"}}]";

    private BundledServer server;

    @BeforeAll
    void start() {
        server = BundledServer.start("max_batch_size: 8\nmax_seq_len: 2048\n");
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private static String body(String fields, int seed) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"What is the weather?\"}],\"temperature\":2,\"max_tokens\":400,"
                + "\"seed\":" + seed + "," + fields + "}";
    }

    private JsonNode choice(String fields, int seed) throws Exception {
        return server.json("/v1/chat/completions", body(fields, seed)).at("/choices/0");
    }

    private String said(String fields, int seed) throws Exception {
        JsonNode choice = choice(fields, seed);
        assertThat(choice.get("finish_reason").stringValue()).as("%s", choice).isEqualTo("stop");
        return choice.at("/message/content").stringValue();
    }

    private static void isWeather(JsonNode value) {
        assertThat(value.get("city")
                        .stringValue()
                        .codePointCount(0, value.get("city").stringValue().length()))
                .isLessThanOrEqualTo(12);
        assertThat(value.get("days").intValue()).isBetween(1, 14);
        if (value.has("unit")) {
            assertThat(value.get("unit").stringValue()).isIn("celsius", "fahrenheit");
        }
        assertThat(value.propertyNames()).isSubsetOf("city", "days", "unit");
    }

    /** R081: a schema binds without being switched on, and it is the inner one. */
    @Test
    void aSchemaBindsTheAnswerInEveryWayToAskForIt() throws Exception {
        int seed = 0;
        for (String fields : List.of(
                "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"w\",\"strict\":true,\"schema\":"
                        + WEATHER + "}}",
                "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":" + WEATHER + "}",
                "\"response_format\":{\"type\":\"json\",\"schema\":" + WEATHER + "}",
                "\"structured_outputs\":{\"json\":" + WEATHER + "}",
                "\"guided_json\":" + Json.mapper().writeValueAsString(WEATHER))) {
            for (int i = 0; i < 3; i++) {
                isWeather(Json.mapper().readTree(said(fields, seed++)));
            }
        }
    }

    @Test
    void expressionsChoicesAndGrammarsBindItToo() throws Exception {
        for (int seed = 0; seed < 4; seed++) {
            assertThat(said("\"guided_regex\":\"[A-Z]{2}-[0-9]{4}\"", seed)).matches("[A-Z]{2}-[0-9]{4}");
            assertThat(said("\"response_format\":{\"type\":\"regex\",\"regex\":\"(yes|no), .{3,9}\"}", seed))
                    .matches("(yes|no), .{3,9}");
            assertThat(said("\"guided_choice\":[\"left\",\"right\",\"straight ahead\"]", seed))
                    .isIn("left", "right", "straight ahead");
            String grammar = "root ::= n (op n){1,3}\\nn ::= [0-9]{1,3}\\nop ::= [-+*]";
            assertThat(said("\"response_format\":{\"type\":\"ebnf\",\"ebnf\":\"" + grammar + "\"}", seed))
                    .matches("[0-9]{1,3}([-+*][0-9]{1,3}){1,3}");
        }
        JsonNode cut = choice("\"response_format\":{\"type\":\"json_object\"},\"temperature\":1", 1);
        assertThat(cut.at("/message/content").stringValue()).startsWith("{");
        if (cut.get("finish_reason").stringValue().equals("stop")) {
            assertThat(Json.mapper().readTree(cut.at("/message/content").stringValue()))
                    .isInstanceOf(ObjectNode.class);
        }
    }

    /** The device "forced text": a constant makes the model say exactly this, whatever it would rather say. */
    @Test
    void aConstantForcesTheText() throws Exception {
        for (String text : List.of("👩‍👩‍👧 {\"a\": [1]} </tool_call>\n", "日本語\\ \"quoted\"", "plain")) {
            String schema = "{\"const\":" + Json.mapper().writeValueAsString(text) + "}";
            String said = said(
                    "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":" + schema + "}}", 3);
            assertThat(Json.mapper().readTree(said).stringValue()).isEqualTo(text);
        }
    }

    @Test
    void requiredToolsAreCalledWithArgumentsUnderTheirSchema() throws Exception {
        for (int seed = 0; seed < 4; seed++) {
            JsonNode choice =
                    choice("\"tools\":" + TOOLS + ",\"tool_choice\":\"required\",\"parallel_tool_calls\":false", seed);
            assertThat(choice.get("finish_reason").stringValue()).isEqualTo("tool_calls");
            assertThat(choice.at("/message/tool_calls")).hasSize(1);
            called(choice.at("/message/tool_calls/0/function"));
            JsonNode named = choice(
                    "\"tools\":" + TOOLS
                            + ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}",
                    seed);
            assertThat(named.get("finish_reason").stringValue()).isEqualTo("tool_calls");
            assertThat(named.at("/message/content").isNull()).isTrue();
            assertThat(named.at("/message/tool_calls/0/function/name").stringValue())
                    .isEqualTo("weather");
            called(named.at("/message/tool_calls/0/function"));
        }
    }

    private static void called(JsonNode function) {
        JsonNode arguments = Json.mapper().readTree(function.get("arguments").stringValue());
        if (function.get("name").stringValue().equals("weather")) {
            isWeather(arguments);
        } else {
            assertThat(function.get("name").stringValue()).isEqualTo("now");
            assertThat(arguments).isEmpty();
        }
    }

    @Test
    void streamedArgumentsConcatenateToTheCall() throws Exception {
        HttpResponse<String> response = server.post(
                "/v1/chat/completions",
                body(
                        "\"stream\":true,\"tools\":" + TOOLS
                                + ",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":\"weather\"}}",
                        9));
        StringBuilder arguments = new StringBuilder();
        List<String> names = new ArrayList<>();
        for (String line : response.body().lines().toList()) {
            if (line.startsWith("data: {")) {
                JsonNode function =
                        Json.mapper().readTree(line.substring(6)).at("/choices/0/delta/tool_calls/0/function");
                arguments.append(function.path("arguments").asString(""));
                if (function.has("name")) {
                    names.add(function.get("name").stringValue());
                }
            }
        }
        assertThat(names).containsExactly("weather");
        isWeather(Json.mapper().readTree(arguments.toString()));
    }

    /** R013: what was skipped of the prompt has nothing to do with the grammar. */
    @Test
    void anAnswerFromTheCacheIsBoundLikeACold() throws Exception {
        String format = "\"temperature\":0,\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"schema\":"
                + WEATHER + "}}";
        JsonNode cold = server.json("/v1/chat/completions", body(format + ",\"cache_salt\":\"a\"", 1));
        JsonNode warm = server.json("/v1/chat/completions", body(format + ",\"cache_salt\":\"a\"", 1));
        assertThat(cold.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                .isZero();
        assertThat(warm.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                .isPositive();
        assertThat(warm.at("/choices/0/message/content")).isEqualTo(cold.at("/choices/0/message/content"));
        isWeather(Json.mapper().readTree(warm.at("/choices/0/message/content").stringValue()));
    }

    @Test
    void completionsAreBoundToo() throws Exception {
        JsonNode answer = server.json(
                "/v1/completions",
                "{\"prompt\":\"Once\",\"max_tokens\":30,\"temperature\":2,\"seed\":5,\"n\":3,\"guided_regex\":\"(ab|cd){1,5}\"}");
        assertThat(answer.get("choices"))
                .hasSize(3)
                .allSatisfy(
                        choice -> assertThat(choice.get("text").stringValue()).matches("(ab|cd){1,5}"));
    }

    /** R077: in one batch with free requests each answers as it does alone. */
    @Test
    void boundAndFreeRequestsInOneBatchAnswerAsTheyDoAlone() throws Exception {
        List<String> bodies = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            String fields = "\"temperature\":0,\"max_tokens\":30,\"cache_salt\":\"batch\"";
            bodies.add(body(i % 2 == 0 ? fields : fields + ",\"guided_json\":" + WEATHER, i)
                    .replace("What is", "Number " + i + ": what is"));
        }
        List<String> alone = new ArrayList<>();
        for (String body : bodies) {
            alone.add(server.json("/v1/chat/completions", body)
                    .at("/choices/0/message/content")
                    .stringValue());
        }
        List<CompletableFuture<HttpResponse<String>>> together = new ArrayList<>();
        for (String body : bodies) {
            together.add(server.http()
                    .sendAsync(
                            server.request("/v1/chat/completions", body),
                            HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8)));
        }
        for (int i = 0; i < bodies.size(); i++) {
            assertThat(Json.mapper()
                            .readTree(together.get(i).get().body())
                            .at("/choices/0/message/content")
                            .stringValue())
                    .isEqualTo(alone.get(i));
        }
    }
}
