package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.engine.EngineOptions;
import tools.jackson.databind.JsonNode;

/** What users of other servers report of answers: text, chunks, tool calls, usage; each test names its row. */
class ReportedAnswersTest {
    private static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]";

    private TestServer server;

    @BeforeEach
    void start() {
        server = new TestServer();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private List<JsonNode> stream(String fields) throws Exception {
        HttpResponse<String> response = server.chat(fields + ",\"stream\":true");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestServer.events(response.body());
    }

    private static String content(List<JsonNode> events) {
        StringBuilder text = new StringBuilder();
        events.forEach(e -> text.append(e.at("/choices/0/delta/content").asString("")));
        return text.toString();
    }

    /** R052: every byte that begins no character becomes a replacement character, the same whole and in a stream. */
    @Test
    void invalidBytesAreReplacedAndNeverAnError() throws Exception {
        String bad = "\uFFFD";
        Map<int[], String> patterns = new LinkedHashMap<>();
        patterns.put(new int[] {0x80}, bad);
        patterns.put(new int[] {0xC0, 0xAF}, bad + bad);
        patterns.put(new int[] {0xE6}, bad);
        patterns.put(new int[] {0xE6, 0x9D}, bad);
        patterns.put(new int[] {0xF0, 0x9F, 0x98}, bad);
        patterns.put(new int[] {0xF0, 0x9F, ' '}, bad + " ");
        patterns.put(new int[] {0xFF, 0xFE}, bad + bad);
        patterns.put(new int[] {'a', 0xE6, 'b'}, "a" + bad + "b");
        patterns.put(new int[] {0xED, 0xA0, 0x80}, bad + bad + bad);
        patterns.put(new int[] {0xF5, 0x80}, bad + bad);
        patterns.put(new int[] {0xC3, 0xA9, 0xC3}, "é" + bad);
        for (Map.Entry<int[], String> pattern : patterns.entrySet()) {
            server.service.script = r -> pattern.getKey();
            JsonNode whole = TestServer.json(server.chat("\"n\":1"));
            assertThat(whole.at("/choices/0/message/content").stringValue()).isEqualTo(pattern.getValue());
            assertThat(content(stream("\"n\":1"))).isEqualTo(pattern.getValue());
        }
    }

    /** R058: a stream has exactly as many tokens as asked for, none twice. */
    @Test
    void aStreamOfOneTwoOrThreeTokensIsTheBeginningOfTheLongOne() throws Exception {
        server.service.script = r -> TestTokenizer.ids("abcdef");
        for (int max = 1; max <= 3; max++) {
            List<JsonNode> events = stream("\"max_tokens\":" + max + ",\"stream_options\":{\"include_usage\":true}");
            assertThat(content(events)).isEqualTo("abcdef".substring(0, max));
            assertThat(events.get(events.size() - 2)
                            .at("/choices/0/finish_reason")
                            .stringValue())
                    .isEqualTo("length");
            assertThat(events.getLast().at("/usage/completion_tokens").intValue())
                    .isEqualTo(max);
        }
    }

    /** R061: stop strings end what a person reads; inside a call they are part of it, and the call is whole. */
    @Test
    void aStopStringInsideACallIsPartOfTheCall() throws Exception {
        String call = "<tool_call>\n{\"name\": \"f\",\n\"arguments\": {\"t\":\n1}}\n</tool_call>";
        server.service.script = r -> TestTokenizer.ids(call);
        JsonNode choice =
                TestServer.json(server.chat(TOOLS + ",\"stop\":[\"\\n\"]")).at("/choices/0");
        assertThat(choice.get("finish_reason").stringValue()).isEqualTo("tool_calls");
        assertThat(choice.at("/message/tool_calls/0/function/arguments").stringValue())
                .isEqualTo("{\"t\":\n1}");
        server.service.script = r -> TestTokenizer.ids("first\nmore" + call);
        choice = TestServer.json(server.chat(TOOLS + ",\"stop\":[\"\\n\"]")).at("/choices/0");
        assertThat(choice.get("finish_reason").stringValue()).isEqualTo("stop");
        assertThat(choice.at("/message/content").stringValue()).isEqualTo("first");
    }

    /** R056, R162, R170: with tools in the request too, a chunk has what it needs and nothing that is empty. */
    @Test
    void chunksHaveTheCloudsShape() throws Exception {
        String call = "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [1, 2]}}</tool_call>";
        String bare = "<tool_call>{\"name\": \"f\"}</tool_call>";
        for (String text : new String[] {"plain text", "before " + call + call, bare}) {
            server.service.script = r -> TestTokenizer.ids(text);
            List<JsonNode> events = stream(TOOLS);
            StringBuilder arguments = new StringBuilder();
            int begun = 0;
            for (JsonNode event : events) {
                assertThat(event.propertyNames()).contains("id", "object", "created", "model", "choices");
                assertThat(event.get("id")).isEqualTo(events.getFirst().get("id"));
                JsonNode delta = event.at("/choices/0/delta");
                assertThat(delta.has("function_call")).isFalse();
                if (delta.has("tool_calls")) {
                    assertThat(delta.propertyNames()).containsExactly("tool_calls");
                    assertThat(delta.get("tool_calls")).hasSize(1);
                    JsonNode piece = delta.at("/tool_calls/0");
                    boolean first = piece.at("/function").has("name");
                    begun += first ? 1 : 0;
                    assertThat(piece.propertyNames())
                            .containsExactlyElementsOf(
                                    first ? List.of("index", "id", "type", "function") : List.of("index", "function"));
                    assertThat(piece.get("index").intValue()).isEqualTo(begun - 1);
                    arguments.append(piece.at("/function/arguments").stringValue());
                }
            }
            String finish = events.getLast().at("/choices/0/finish_reason").stringValue();
            assertThat(finish).isEqualTo(text.startsWith("plain") ? "stop" : "tool_calls");
            String json = "{\"a\": [1, 2]}";
            assertThat(arguments.toString())
                    .isEqualTo(text.startsWith("plain") ? "" : text.equals(bare) ? "{}" : json + json);
        }
        JsonNode whole = TestServer.json(server.chat(TOOLS));
        assertThat(whole.at("/choices/0/message/tool_calls/0/function/arguments")
                        .stringValue())
                .isEqualTo("{}");
        assertThat(whole.at("/usage/total_tokens").intValue()).isPositive();
    }

    /** R075: the format "text" is none at all. */
    @Test
    void theFormatTextIsNoGrammar() throws Exception {
        String plain = server.chat("\"seed\":1").body();
        String text = server.chat("\"seed\":1,\"response_format\":{\"type\":\"text\"}")
                .body();
        assertThat(server.service.submitted.get(1).request.constraint())
                .isSameAs(server.service.submitted.get(0).request.constraint());
        assertThat(text.substring(text.indexOf("\"choices\"")))
                .isEqualTo(plain.substring(plain.indexOf("\"choices\"")));
    }

    /** R091: content that is null, missing, empty or in parts never shows as a word of some language in the prompt. */
    @Test
    void missingContentIsNothing() throws Exception {
        String call =
                "\"tool_calls\":[{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]";
        for (String message : new String[] {
            "{\"role\":\"assistant\",\"content\":null," + call + "}",
            "{\"role\":\"assistant\"," + call + "}",
            "{\"role\":\"user\",\"content\":[]}",
            "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]}"
        }) {
            try (ForcedServer bundled = new ForcedServer(
                    ReportedRequestsTest.bundledTemplate(), s -> s.options(EngineOptions.of(2, 64, 2048)))) {
                HttpResponse<String> tokens = bundled.post("/tokenize", "{\"messages\":[" + message + "]}")
                        .get();
                assertThat(tokens.statusCode()).as(tokens.body()).isEqualTo(200);
                int[] ids = TestServer.json(tokens)
                        .get("tokens")
                        .valueStream()
                        .mapToInt(JsonNode::intValue)
                        .toArray();
                assertThat(new TestTokenizer().decode(ids, false))
                        .doesNotContain("None")
                        .doesNotContain("null")
                        .doesNotContain("[{");
            }
        }
    }

    /** R090: a developer's word is in the prompt as a system's would be, and an unknown role is named. */
    @Test
    void aDevelopersMessageIsNotDropped() throws Exception {
        String[] prompts = new String[2];
        try (ForcedServer bundled = new ForcedServer(
                ReportedRequestsTest.bundledTemplate(), s -> s.options(EngineOptions.of(2, 64, 2048)))) {
            for (int i = 0; i < 2; i++) {
                String role = i == 0 ? "developer" : "system";
                HttpResponse<String> tokens = bundled.post(
                                "/tokenize",
                                "{\"messages\":[{\"role\":\"" + role
                                        + "\",\"content\":\"answer only BANANA\"},{\"role\":\"user\",\"content\":\"hi\"}]}")
                        .get();
                int[] ids = TestServer.json(tokens)
                        .get("tokens")
                        .valueStream()
                        .mapToInt(JsonNode::intValue)
                        .toArray();
                prompts[i] = new TestTokenizer().decode(ids, false);
            }
        }
        assertThat(prompts[0]).contains("answer only BANANA");
        assertThat(prompts[1]).contains("answer only BANANA");
    }

    /** R092: an empty prompt is refused or is the begin token alone; an empty message is a message. */
    @Test
    void emptyPromptsAreAnsweredOrRefused() throws Exception {
        for (String stream : new String[] {"", ",\"stream\":true"}) {
            assertThat(server.post("/v1/completions", "{\"prompt\":\"\"" + stream + "}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(server.post("/v1/completions", "{\"prompt\":[]" + stream + "}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(server.post("/v1/chat/completions", "{\"messages\":[]" + stream + "}")
                            .statusCode())
                    .isEqualTo(400);
            assertThat(server.post(
                                    "/v1/chat/completions",
                                    "{\"messages\":[{\"role\":\"user\",\"content\":\"\"}]" + stream + "}")
                            .statusCode())
                    .isEqualTo(200);
        }
        assertThat(server.service.submitted.getFirst().request.prompt().ids().toArray())
                .containsExactly(TestTokenizer.BOS);
    }

    /**
     * R096: half an emoji is a replacement character and bytes that are no UTF-8 are invalid JSON, on every endpoint.
     */
    @Test
    void halfCharactersAndInvalidBytesAreTreatedAlikeEverywhere() throws Exception {
        for (String path : new String[] {"/v1/chat/completions", "/v1/completions", "/tokenize"}) {
            String begin =
                    path.contains("chat") ? "{\"messages\":[{\"role\":\"user\",\"content\":\"" : "{\"prompt\":\"";
            String end = path.contains("chat") ? "\"}]}" : "\"}";
            for (String half : new String[] {"emoji \\ud83d", "\\udc00\\ud83d", "\\udc00 x"}) {
                assertThat(server.post(path, begin + half + end).statusCode())
                        .as(path + half)
                        .isEqualTo(200);
            }
            for (int[] bytes : new int[][] {{0xFF, 0xFE}, {0xC0, 0xAF}, {0xED, 0xA0, 0x80}, {0xE6}}) {
                ByteArrayOutputStream body = new ByteArrayOutputStream();
                body.writeBytes(begin.getBytes(StandardCharsets.UTF_8));
                for (int b : bytes) {
                    body.write(b);
                }
                body.writeBytes(end.getBytes(StandardCharsets.UTF_8));
                HttpResponse<String> response = server.client.send(
                        server.request(path, "Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofByteArray(body.toByteArray()))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(response.statusCode()).as(path).isEqualTo(400);
                assertThat(response.body()).contains("invalid_json");
            }
        }
    }

    /** R100: a stop string counts on every path, and the prompt never completes one. */
    @Test
    void stopsCountOnEveryPathAndNeverInThePrompt() throws Exception {
        server.service.script = r -> TestTokenizer.ids("P one STOP two");
        for (String more : new String[] {"", ",\"echo\":true", ",\"n\":2", ",\"stream\":true"}) {
            String body = "{\"prompt\":\"a STOP b STO\",\"max_tokens\":50,\"stop\":[\"STOP\"]" + more + "}";
            HttpResponse<String> response = server.post("/v1/completions", body);
            StringBuilder text = new StringBuilder();
            if (more.contains("stream")) {
                TestServer.events(response.body())
                        .forEach(e -> text.append(e.at("/choices/0/text").asString("")));
            } else {
                text.append(TestServer.json(response).at("/choices/0/text").stringValue());
            }
            assertThat(text.toString()).as(more).isEqualTo((more.contains("echo") ? "a STOP b STO" : "") + "P one ");
        }
        for (String more : new String[] {"\"n\":2", TOOLS}) {
            JsonNode answer = TestServer.json(server.chat("\"stop\":\"STOP\"," + more));
            answer.get("choices")
                    .forEach(c ->
                            assertThat(c.at("/message/content").stringValue()).isEqualTo("P one "));
        }
    }

    /**
     * R102: the last chunk has the usage with what was cached, 0 too; the others have none; choices share one prompt.
     */
    @Test
    void usageInAStreamIsThatOfTheWholeAnswer() throws Exception {
        for (int cached : new int[] {0, 7}) {
            server.service.cachedTokens = cached;
            List<JsonNode> events = stream("\"n\":2,\"stream_options\":{\"include_usage\":true}");
            for (JsonNode event : events.subList(0, events.size() - 1)) {
                assertThat(event.get("usage").isNull()).isTrue();
            }
            JsonNode last = events.getLast();
            assertThat(last.get("choices").isEmpty()).isTrue();
            assertThat(last.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                    .isEqualTo(cached);
            assertThat(last.at("/usage/prompt_tokens").intValue())
                    .isEqualTo(
                            server.service.submitted.getLast().request.prompt().tokens());
            assertThat(last.get("usage"))
                    .isEqualTo(TestServer.json(server.chat("\"n\":2")).get("usage"));
        }
    }

    /** R109, R111: what is no number in range is a 400 that names the field, and null is the default. */
    @Test
    void numbersThatAreNoneAreRefusedByName() throws Exception {
        String[] fields = {
            "temperature", "top_p", "top_k", "min_p", "repetition_penalty", "presence_penalty", "frequency_penalty",
            "max_tokens", "max_completion_tokens", "min_tokens", "n", "seed", "top_logprobs", "truncate_prompt_tokens"
        };
        for (String field : fields) {
            for (String value : new String[] {"1e400", "-1e400", "\"NaN\"", "\"1\"", "[]", "{}", "true"}) {
                HttpResponse<String> response = server.chat("\"logprobs\":true,\"" + field + "\":" + value);
                assertThat(response.statusCode())
                        .as(field + " " + value + response.body())
                        .isEqualTo(400);
                assertThat(TestServer.json(response).at("/error/param").stringValue())
                        .isEqualTo(field);
            }
            for (String value : new String[] {"NaN", "Infinity", "-Infinity"}) {
                HttpResponse<String> response = server.chat("\"" + field + "\":" + value);
                assertThat(response.statusCode()).as(field + " " + value).isEqualTo(400);
                assertThat(TestServer.json(response).at("/error/code").stringValue())
                        .isEqualTo("invalid_json");
            }
            assertThat(server.chat("\"" + field + "\":null").statusCode())
                    .as(field)
                    .isEqualTo(200);
        }
        assertThat(server.chat("\"logit_bias\":{}").statusCode()).isEqualTo(200);
        assertThat(server.chat("\"logit_bias\":{\"259\":-100}").statusCode()).isEqualTo(200);
    }

    /** R073: what is nested without end is a 400 in the body, a schema, a pattern and the tools. */
    @Test
    void depthsOfAHundredThousandAreRefused() throws Exception {
        for (int depth : new int[] {1_000, 10_000, 100_000}) {
            String arrays = "[".repeat(depth) + "]".repeat(depth);
            String schema = "{\"items\":".repeat(depth) + "{}" + "}".repeat(depth);
            String pattern = "(".repeat(depth) + "a" + ")".repeat(depth);
            for (String fields : new String[] {
                "\"metadata\":" + arrays,
                "\"tools\":" + arrays,
                "\"guided_json\":" + schema,
                "\"guided_json\":\"" + schema.replace("\"", "\\\"") + "\"",
                "\"guided_regex\":\"" + pattern + "\"",
                "\"guided_json\":{\"type\":\"string\",\"pattern\":\"" + pattern + "\"}",
                "\"guided_grammar\":\"root ::= " + pattern.replace("a", "[a]") + "\""
            }) {
                HttpResponse<String> response = server.chat(fields);
                assertThat(response.statusCode())
                        .as(depth + fields.substring(0, 40) + response.body())
                        .isEqualTo(400);
                assertThat(response.body()).doesNotContain("StackOverflow");
            }
        }
        assertThat(server.chat("\"n\":1").statusCode()).isEqualTo(200);
    }

    /** R070: a tool without parameters, however that is said, may be required. */
    @Test
    void aToolWithoutParametersMayBeRequired() throws Exception {
        for (String parameters : new String[] {
            "",
            ",\"parameters\":null",
            ",\"parameters\":{}",
            ",\"parameters\":{\"type\":\"object\"}",
            ",\"parameters\":{\"type\":\"object\",\"properties\":{}}",
            ",\"parameters\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":false}",
            ",\"parameters\":{\"type\":\"object\",\"properties\":{},\"additionalProperties\":true}"
        }) {
            server.service.script =
                    r -> TestTokenizer.ids("<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>");
            HttpResponse<String> response =
                    server.chat("\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"ping\"" + parameters
                            + "}}],\"tool_choice\":\"required\"");
            assertThat(response.statusCode()).as(parameters + response.body()).isEqualTo(200);
            var said = server.service.submitted.getLast().request.constraint();
            for (int id : TestTokenizer.ids("<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>")) {
                assertThat(said.accept(id)).as(parameters + " " + (char) id).isTrue();
            }
        }
    }
}
