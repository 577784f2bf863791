package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import tools.jackson.databind.JsonNode;

/** What a chat answers, whole and streamed. */
class ChatAnswerTest {
    private static final String TOOLS = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]";
    private static final String CALL = "<tool_call>{\"name\": \"f\", \"arguments\": {\"city\": \"Köln\"}}</tool_call>";

    private TestServer server;

    @BeforeEach
    void start() {
        server = new TestServer();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    /** The parts of one choice put together from its chunks, in the shape of a whole message. */
    private static final class Merged {
        final StringBuilder content = new StringBuilder();
        final StringBuilder logprobs = new StringBuilder();
        final Map<Integer, String> names = new TreeMap<>();
        final Map<Integer, StringBuilder> arguments = new TreeMap<>();
        String finish = "";
        String stopReason = "";

        static Map<Integer, Merged> of(List<JsonNode> events) {
            Map<Integer, Merged> merged = new TreeMap<>();
            for (JsonNode event : events) {
                for (JsonNode choice : event.get("choices")) {
                    merged.computeIfAbsent(choice.get("index").intValue(), i -> new Merged())
                            .add(choice);
                }
            }
            return merged;
        }

        private void add(JsonNode choice) {
            assertThat(finish).as("nothing follows the finish_reason").isEmpty();
            JsonNode delta = choice.get("delta");
            content.append(delta.path("content").asString(""));
            for (JsonNode call : delta.path("tool_calls")) {
                int index = call.get("index").intValue();
                if (call.has("id")) {
                    assertThat(call.get("id").stringValue()).matches("call_[0-9A-Za-z]{24}");
                    assertThat(call.get("type").stringValue()).isEqualTo("function");
                    assertThat(names.put(index, call.at("/function/name").stringValue()))
                            .as("a call begins once")
                            .isNull();
                }
                arguments
                        .computeIfAbsent(index, i -> new StringBuilder())
                        .append(call.at("/function/arguments").stringValue());
            }
            for (JsonNode entry : choice.at("/logprobs/content")) {
                logprobs.append(entry).append('\n');
            }
            finish = choice.path("finish_reason").asString("");
            stopReason = choice.path("stop_reason").toString();
        }

        static Merged whole(JsonNode choice) {
            Merged merged = new Merged();
            merged.content.append(choice.at("/message/content").asString(""));
            int index = 0;
            for (JsonNode call : choice.at("/message/tool_calls")) {
                merged.names.put(index, call.at("/function/name").stringValue());
                merged.arguments.put(
                        index++,
                        new StringBuilder(call.at("/function/arguments").stringValue()));
            }
            for (JsonNode entry : choice.at("/logprobs/content")) {
                merged.logprobs.append(entry).append('\n');
            }
            merged.finish = choice.get("finish_reason").stringValue();
            merged.stopReason = choice.path("stop_reason").toString();
            return merged;
        }

        @Override
        public String toString() {
            return content + "|" + names + arguments + "|" + finish + "|" + stopReason + "|" + logprobs;
        }
    }

    /** R053: each stream ends with its last event; R055: chunks are what is new. */
    @Test
    void aStreamPutTogetherIsTheWholeAnswerForAllKindsOfAnswers() throws Exception {
        String[] texts = {
            "plain text",
            "",
            "Zürich, 東京, 👩‍👩‍👧 and é",
            "before " + CALL + CALL,
            CALL,
            "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>after",
            "<tool_call>not json</tool_call>",
            "a STOP b STOP c"
        };
        String[] settings = {
            "",
            "\"n\":2",
            "\"stop\":[\"STOP\",\"zz\"]",
            "\"stop\":\"STOP\",\"include_stop_str_in_output\":true",
            "\"max_tokens\":5",
            "\"logprobs\":true,\"top_logprobs\":2",
            TOOLS,
            TOOLS + ",\"parallel_tool_calls\":false",
            TOOLS + ",\"stop\":\"e\",\"max_tokens\":30",
            "\"skip_special_tokens\":false",
        };
        for (String text : texts) {
            server.service.script = r -> TestTokenizer.ids(text);
            for (String setting : settings) {
                HttpResponse<String> whole = server.chat(setting);
                assertThat(whole.statusCode()).isEqualTo(200);
                JsonNode answer = TestServer.json(whole);
                List<JsonNode> events = TestServer.events(server.chat((setting.isEmpty() ? "" : setting + ",")
                                + "\"stream\":true,\"stream_options\":{\"include_usage\":true}")
                        .body());
                List<String> expected = new ArrayList<>();
                answer.get("choices").forEach(c -> expected.add(Merged.whole(c).toString()));
                List<String> got = new ArrayList<>();
                Merged.of(events).values().forEach(m -> got.add(m.toString()));
                assertThat(got).as(text + " / " + setting).isEqualTo(expected);
                assertThat(events.getLast().get("usage")).isEqualTo(answer.get("usage"));
            }
        }
    }

    @Test
    void noChunkEverHoldsHalfACharacterOrAnEmptyField() throws Exception {
        Seeds.forEach(20, random -> {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 30; i++) {
                text.appendCodePoint("aé東👩\u200d\n".codePoints().toArray()[random.nextInt(6)]);
            }
            server.service.script = r -> TestTokenizer.ids(text.toString());
            List<JsonNode> events =
                    TestServer.events(server.chat("\"stream\":true").body());
            StringBuilder all = new StringBuilder();
            for (JsonNode event : events.subList(1, events.size() - 1)) {
                JsonNode delta = event.at("/choices/0/delta");
                assertThat(delta.propertyNames()).containsExactly("content");
                String part = delta.get("content").stringValue();
                assertThat(part).isNotEmpty().doesNotContain("\uFFFD");
                assertThat(Character.isLowSurrogate(part.charAt(0))).isFalse();
                all.append(part);
            }
            assertThat(all.toString()).isEqualTo(text.toString());
        });
    }

    /** R052: the end may be in the middle of a character. */
    @Test
    void halfACharacterAtTheLimitIsOneReplacementCharacter() throws Exception {
        server.service.script = r -> TestTokenizer.ids("東");
        JsonNode answer = TestServer.json(server.chat("\"max_tokens\":1"));
        assertThat(answer.at("/choices/0/message/content").stringValue()).isEqualTo("\uFFFD");
        assertThat(answer.at("/choices/0/finish_reason").stringValue()).isEqualTo("length");
    }

    /** R162: usage is there too. */
    @Test
    void theWholeAnswerHasEveryFieldOfTheApi() throws Exception {
        server.service.cachedTokens = 7;
        server.service.script = r -> TestTokenizer.ids("yes");
        JsonNode answer = TestServer.json(server.chat("\"model\":\"test-model\""));
        assertThat(answer.get("id").stringValue()).matches("chatcmpl-[0-9a-f]{32}");
        assertThat(answer.get("object").stringValue()).isEqualTo("chat.completion");
        assertThat(answer.get("created").longValue()).isPositive();
        assertThat(answer.get("model").stringValue()).isEqualTo("test-model");
        assertThat(answer.get("system_fingerprint").stringValue()).isEqualTo("rondo-0.1.0-12345678");
        assertThat(answer.at("/choices/0/message").toString())
                .isEqualTo("{\"role\":\"assistant\",\"content\":\"yes\"}");
        assertThat(answer.at("/choices/0/stop_reason").isNull()).isTrue();
        int prompt = server.service.submitted.getFirst().request.prompt().tokens();
        assertThat(answer.get("usage").toString())
                .isEqualTo("{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":4,\"total_tokens\":" + (prompt + 4)
                        + ",\"prompt_tokens_details\":{\"cached_tokens\":7},"
                        + "\"completion_tokens_details\":{\"reasoning_tokens\":0}}");
    }

    /** R065: arguments are not held back until they are complete. */
    @Test
    void aToolCallStreamsItsNameAtOnceAndItsArgumentsAsTheyCome() throws Exception {
        server.service.manual = true;
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true," + TOOLS));
            FakeService.FakeGeneration generation = server.service.awaitSubmitted(0);
            generation.emit("<tool_call>{\"name\": \"f\", \"arguments\": {\"text\": \"long");
            String begin;
            do {
                begin = client.lineThatBegins("data: ");
            } while (!begin.contains("\"tool_calls\""));
            assertThat(begin).contains("\"name\":\"f\",\"arguments\":\"\"");
            assertThat(client.lineThatBegins("data: ")).contains("long");
            // More comes although the call has not ended.
            generation.emit("er and");
            assertThat(client.lineThatBegins("data: "))
                    .contains("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"er and\"}}]");
        }
    }

    /** R064: a call that was cut is not said to be complete. */
    @Test
    void aCallEndsWithToolCallsAndAnAnswerCutInsideOneWithLength() throws Exception {
        server.service.script = r -> TestTokenizer.ids(CALL);
        int length = TestTokenizer.ids(CALL).length;
        for (int max = 1; max <= length + 1; max++) {
            JsonNode answer = TestServer.json(server.chat(TOOLS + ",\"max_tokens\":" + max));
            String finish = answer.at("/choices/0/finish_reason").stringValue();
            assertThat(finish).as("max_tokens " + max).isEqualTo(max > length ? "tool_calls" : "length");
        }
    }

    /** R063: one call means one. */
    @Test
    void withoutParallelCallsGenerationStopsAfterTheFirst() throws Exception {
        server.service.manual = true;
        var answer = server.client.sendAsync(
                server.request("/v1/chat/completions", "Content-Type", "application/json")
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString(
                                TestServer.chatBody(TOOLS + ",\"parallel_tool_calls\":false")))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        FakeService.FakeGeneration generation = server.service.awaitSubmitted(0);
        generation.emit(CALL + CALL);
        JsonNode whole = TestServer.json(answer.get());
        assertThat(whole.at("/choices/0/message/tool_calls").size()).isEqualTo(1);
        assertThat(whole.at("/choices/0/finish_reason").stringValue()).isEqualTo("tool_calls");
        // A call ends where its JSON ends: the closing mark is not waited for.
        int first = TestTokenizer.ids(CALL.replace("</tool_call>", "")).length;
        assertThat(generation.stoppedAt).isEqualTo(first);
        assertThat(whole.at("/usage/completion_tokens").intValue()).isEqualTo(first);
    }

    @Test
    void withToolChoiceNoneTheTemplateGetsNoToolsAndCallsAreText() throws Exception {
        server.service.script = r -> TestTokenizer.ids(CALL);
        JsonNode with = TestServer.json(server.chat(TOOLS));
        JsonNode without = TestServer.json(server.chat(TOOLS + ",\"tool_choice\":\"none\""));
        assertThat(with.at("/choices/0/message/content").isNull()).isTrue();
        assertThat(without.at("/choices/0/message/content").stringValue()).isEqualTo(CALL);
        assertThat(without.at("/choices/0/finish_reason").stringValue()).isEqualTo("stop");
        assertThat(without.at("/usage/prompt_tokens").intValue())
                .isLessThan(with.at("/usage/prompt_tokens").intValue());
    }

    @Test
    void aStopStringCutsTheTextAndTellsTheEngineWhere() throws Exception {
        server.service.script = r -> TestTokenizer.ids("one STOP two");
        JsonNode answer = TestServer.json(server.chat("\"stop\":[\"two\",\"STOP\"]"));
        assertThat(answer.at("/choices/0/message/content").stringValue()).isEqualTo("one ");
        assertThat(answer.at("/choices/0/finish_reason").stringValue()).isEqualTo("stop");
        assertThat(answer.at("/choices/0/stop_reason").stringValue()).isEqualTo("STOP");
        assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(8);
        assertThat(server.service.submitted.getFirst().stoppedAt).isEqualTo(8);
    }

    @Test
    void aStopStringThatIsCompleteBeforeMinTokensDoesNotCount() throws Exception {
        server.service.script = r -> TestTokenizer.ids("xx STOP yy STOP zz");
        JsonNode answer = TestServer.json(server.chat("\"stop\":\"STOP\",\"min_tokens\":10"));
        assertThat(answer.at("/choices/0/message/content").stringValue()).isEqualTo("xx STOP yy ");
    }

    @Test
    void aStopTokenEndsAndIsShownOnlyWhenAskedFor() throws Exception {
        server.service.script = r -> TestTokenizer.ids("abc!def");
        JsonNode hidden = TestServer.json(server.chat("\"stop_token_ids\":[33]"));
        assertThat(hidden.at("/choices/0/message/content").stringValue()).isEqualTo("abc");
        assertThat(hidden.at("/choices/0/stop_reason").intValue()).isEqualTo(33);
        JsonNode shown = TestServer.json(server.chat("\"stop_token_ids\":[33],\"include_stop_str_in_output\":true"));
        assertThat(shown.at("/choices/0/message/content").stringValue()).isEqualTo("abc!");
    }

    /** R094: and all are ignored if that is asked for. */
    @Test
    void ignoreEosGoesOnAndHidesNoSpecialToken() throws Exception {
        server.service.script = r -> new int[] {'a', TestTokenizer.EOT, 'b', TestTokenizer.HEADER};
        JsonNode answer = TestServer.json(server.chat("\"ignore_eos\":true,\"max_tokens\":4"));
        assertThat(answer.at("/choices/0/message/content").stringValue()).isEqualTo("a<|eot|>b<|start|>");
        assertThat(answer.at("/choices/0/finish_reason").stringValue()).isEqualTo("length");
        JsonNode usual = TestServer.json(server.chat("\"max_tokens\":4"));
        assertThat(usual.at("/choices/0/message/content").stringValue()).isEqualTo("a");
        assertThat(usual.at("/usage/completion_tokens").intValue()).isEqualTo(2);
    }

    /** R120: the newer name of the limit wins; R148: no field is taken and forgotten. */
    @Test
    void samplingFieldsReachTheEngineAsSent() throws Exception {
        server.chat("\"temperature\":0.5,\"top_k\":7,\"top_p\":0.25,\"min_p\":0.125,\"repetition_penalty\":1.5,"
                + "\"presence_penalty\":-1,\"frequency_penalty\":0.5,\"seed\":-9,\"logit_bias\":{\"5\":-100},"
                + "\"min_tokens\":2,\"stop_token_ids\":[3],\"n\":2,\"max_completion_tokens\":9,\"max_tokens\":5,"
                + "\"cache_salt\":\"pepper\",\"conversation_params\":{\"conversation_id\":\"c1\"},"
                + "\"logprobs\":true,\"top_logprobs\":3");
        var request = server.service.submitted.get(1).request;
        var sampling = request.sampling();
        assertThat(sampling.temperature()).isEqualTo(0.5f);
        assertThat(sampling.topK()).isEqualTo(7);
        assertThat(sampling.topP()).isEqualTo(0.25f);
        assertThat(sampling.minP()).isEqualTo(0.125f);
        assertThat(sampling.repetitionPenalty()).isEqualTo(1.5f);
        assertThat(sampling.presencePenalty()).isEqualTo(-1f);
        assertThat(sampling.frequencyPenalty()).isEqualTo(0.5f);
        assertThat(sampling.seed()).isEqualTo(-9);
        assertThat(sampling.choice()).isEqualTo(1);
        assertThat(sampling.bias().id(0)).isEqualTo(5);
        assertThat(sampling.bias().amount(0)).isEqualTo(-100f);
        assertThat(request.stop().minTokens()).isEqualTo(2);
        assertThat(request.stop().stopIds()).containsExactly(3);
        assertThat(request.stop().endIds()).containsExactly(TestTokenizer.EOT);
        assertThat(request.maxTokens()).isEqualTo(9);
        assertThat(request.prompt().scope()).isEqualTo(rondo.kv.CacheScope.salted("pepper"));
        assertThat(request.retention().conversation()).isEqualTo("c1");
        assertThat(request.topLogprobs()).isEqualTo(3);
    }

    @Test
    void aTopKOfMinusOneIsOffAndHeadersNameTheConversation() throws Exception {
        server.post(
                "/v1/chat/completions",
                TestServer.chatBody("\"top_k\":-1"),
                "X-Correlation-ID",
                "corr",
                "X-Other",
                "y");
        var request = server.service.submitted.getFirst().request;
        assertThat(request.sampling().topK()).isZero();
        assertThat(request.retention().conversation()).isEqualTo("corr");
        assertThat(request.prompt().scope()).isEqualTo(rondo.kv.CacheScope.unsalted());
        assertThat(request.sampling().temperature()).isEqualTo(1f);
    }

    @Test
    void aConversationIsNamedByItsIdThenByHeadersThenByTheCacheKey() throws Exception {
        String key = "\"prompt_cache_key\":\"key\"";
        String id = "\"conversation_params\":{\"conversation_id\":\"id\"}";
        String[] headers = {"X-Conversation-ID", "third", "X-Dynamo-Session-ID", "second", "X-Correlation-ID", "first"};
        server.post("/v1/chat/completions", TestServer.chatBody(id + "," + key), headers);
        server.post("/v1/chat/completions", TestServer.chatBody(key), headers);
        server.post("/v1/chat/completions", TestServer.chatBody(key), Arrays.copyOf(headers, 4));
        server.post("/v1/chat/completions", TestServer.chatBody(key), Arrays.copyOf(headers, 2));
        server.post("/v1/chat/completions", TestServer.chatBody(key));
        server.post("/v1/chat/completions", TestServer.chatBody("\"n\":1"));
        assertThat(server.service.submitted)
                .extracting(s -> s.request.retention().conversation())
                .containsExactly("id", "first", "second", "third", "key", "");
    }

    /** R106: parts of a character keep their bytes. */
    @Test
    void logprobsHaveOneEntryPerTokenWhoseBytesAreTheText() throws Exception {
        server.service.script = r -> TestTokenizer.ids("é!");
        JsonNode answer = TestServer.json(server.chat("\"logprobs\":true,\"top_logprobs\":1"));
        JsonNode entries = answer.at("/choices/0/logprobs/content");
        assertThat(entries.size())
                .isEqualTo(answer.at("/usage/completion_tokens").intValue());
        java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
        for (JsonNode entry : entries) {
            entry.get("bytes").forEach(b -> bytes.write(b.intValue()));
            assertThat(entry.get("logprob").doubleValue()).isEqualTo(-0.5);
            assertThat(entry.get("top_logprobs").size()).isEqualTo(1);
        }
        assertThat(bytes.toString(java.nio.charset.StandardCharsets.UTF_8)).isEqualTo("é!");
        JsonNode bare = TestServer.json(server.chat("\"logprobs\":true")).at("/choices/0/logprobs/content/0");
        assertThat(bare.get("top_logprobs").isEmpty()).isTrue();
    }

    @Test
    void streamIntervalGroupsChunksButNeverTheFirst() throws Exception {
        try (TestServer grouped = new TestServer(o -> o.streamInterval(5))) {
            grouped.service.manual = true;
            var stream = grouped.client.sendAsync(
                    grouped.request("/v1/chat/completions", "Content-Type", "application/json")
                            .POST(java.net.http.HttpRequest.BodyPublishers.ofString(
                                    TestServer.chatBody("\"stream\":true,\"max_tokens\":13")))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            FakeService.FakeGeneration generation = grouped.service.awaitSubmitted(0);
            for (int i = 1; i <= 13; i++) {
                int taken = i;
                generation.emit((int) "abcdefghijklm".charAt(i - 1));
                Wait.until("token " + i + " is taken", () -> generation.taken == taken);
            }
            generation.finish(rondo.engine.FinishReason.LENGTH);
            List<String> parts = new ArrayList<>();
            for (JsonNode event : TestServer.events(stream.get().body())) {
                String part = event.at("/choices/0/delta/content").asString("");
                if (!part.isEmpty()) {
                    parts.add(part);
                }
            }
            assertThat(parts).containsExactly("a", "bcde", "fghij", "klm");
        }
    }

    @Test
    void continuousUsageCountsInEveryChunk() throws Exception {
        server.service.script = r -> TestTokenizer.ids("abc");
        List<JsonNode> events = TestServer.events(server.chat(
                        "\"stream\":true,\"stream_options\":{\"include_usage\":true,\"continuous_usage_stats\":true}")
                .body());
        int last = 0;
        for (JsonNode event : events) {
            int now = event.at("/usage/completion_tokens").intValue();
            assertThat(now).isGreaterThanOrEqualTo(last);
            last = now;
        }
        assertThat(last).isEqualTo(4);
    }

    @Test
    void withoutStreamOptionsNoChunkSpeaksOfUsage() throws Exception {
        for (JsonNode event : TestServer.events(server.chat("\"stream\":true").body())) {
            assertThat(event.has("usage")).isFalse();
        }
    }

    @Test
    void aPromptOfTokensSkipsTheTemplateAndCanBeCutFromTheLeft() throws Exception {
        server.post("/v1/chat/completions", "{\"prompt_token_ids\":[5,6,7],\"truncate_prompt_tokens\":2}");
        var prompt = server.service.submitted.getFirst().request.prompt();
        assertThat(prompt.ids().toArray()).containsExactly(6, 7);
    }

    /** R149: parts are not lost. */
    @Test
    void partsOfTextAreOneText() throws Exception {
        String whole = "{\"messages\":[{\"role\":\"user\",\"content\":\"abc\"}]}";
        String parts = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"abc\"}]}]}";
        server.post("/v1/chat/completions", whole);
        server.post("/v1/chat/completions", parts);
        assertThat(server.service.submitted.get(1).request.prompt().ids())
                .isEqualTo(server.service.submitted.get(0).request.prompt().ids());
    }

    @Test
    void severalPartsGoToTheTemplateAsItExpectsThem() {
        assertThat(ContentParts.readBy("{% for part in message.content %}")).isTrue();
        assertThat(ContentParts.readBy("{%- for item in message['content'] -%}"))
                .isTrue();
        assertThat(ContentParts.readBy("{% for c in content %}")).isTrue();
        assertThat(ContentParts.readBy("{% for m in messages %}{{ m.content }}{% endfor %}"))
                .isFalse();
        assertThat(content(true)).isEqualTo("[{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"text\",\"text\":\"b\"}]");
        assertThat(content(false)).isEqualTo("\"a\\nb\"");
    }

    private static String content(boolean keepParts) {
        String body = "{\"messages\":[{\"role\":\"user\",\"content\":[\"a\",{\"type\":\"text\",\"text\":\"b\"}]}]}";
        try {
            return ChatMessages.read(Fields.body(rondo.base.Json.mapper().readTree(body)), keepParts)
                    .at("/0/content")
                    .toString();
        } catch (ApiError e) {
            throw new AssertionError(e);
        }
    }
}
