package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.base.Seeds;
import rondo.base.TimeSource;
import rondo.engine.EngineHarness;
import rondo.engine.EngineOptions;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;

/** From an HTTP request to streamed tokens through the real engine on a stub model, and back to no page held. */
class ThroughTheEngineTest {
    private static final String SAID = "the quick brown fox jumps over the lazy dog ";

    private EngineHarness harness;
    private RondoServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void start() {
        harness = EngineHarness.setup()
                .options(EngineOptions.of(16, 64, 512))
                .vocabulary(TestTokenizer.VOCABULARY)
                .model((tokens, count, position, vocabulary) -> SAID.charAt(position % SAID.length()))
                .start();
        TestTokenizer tokenizer = new TestTokenizer();
        ServedModel model = new ServedModel(
                "stub",
                tokenizer,
                new ChatEncoder(
                        tokenizer, ChatTemplate.of(TestServer.TEMPLATE, Map.of()), true, PrefixTokenizationCache.off()),
                ContentParts.readBy(TestServer.TEMPLATE),
                () -> LocalDateTime.of(2026, 12, 1, 0, 0),
                new OutputParsers("hermes", "none", "test"),
                SamplingDefaults.standard(),
                new int[] {TestTokenizer.EOT},
                true,
                new WeightSummary(0, 0, "", 0, 0),
                "0.1.0",
                "00000000");
        server = RondoServer.start(
                ServerOptions.builder().host("127.0.0.1").port(0).build(), model, harness.engine, TimeSource.system());
        Wait.until("the engine is ready", () -> get("/health").statusCode() == 200);
    }

    @AfterEach
    void stop() {
        server.close();
        harness.close();
        client.close();
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    private HttpResponse<String> get(String path) {
        try {
            return client.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private CompletableFuture<HttpResponse<String>> chat(String content, String fields) {
        String body =
                "{\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}],\"temperature\":0," + fields + "}";
        return client.sendAsync(
                HttpRequest.newBuilder(uri("/v1/chat/completions"))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static String text(String body) {
        StringBuilder text = new StringBuilder();
        TestServer.events(body)
                .forEach(e -> text.append(e.at("/choices/0/delta/content").asString("")));
        return text.toString();
    }

    @Test
    void aRequestBecomesStreamedTokens() throws Exception {
        HttpResponse<String> response = chat(
                        "hello", "\"stream\":true,\"max_tokens\":44,\"stream_options\":{\"include_usage\":true}")
                .get();
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(text(response.body())).isEqualTo(SAID);
        JsonNode usage = TestServer.events(response.body()).getLast().get("usage");
        assertThat(usage.get("completion_tokens").intValue()).isEqualTo(44);
        assertThat(usage.get("prompt_tokens").intValue()).isPositive();
    }

    /** R105: alternatives need not be asked for. */
    @Test
    void logprobsComeWithAndWithoutAlternatives() throws Exception {
        for (int top : new int[] {0, 2}) {
            String fields = "\"max_tokens\":50,\"logprobs\":true,\"top_logprobs\":" + top;
            JsonNode answer = TestServer.json(chat("hello", fields).get());
            JsonNode entries = answer.at("/choices/0/logprobs/content");
            assertThat(entries.size()).isEqualTo(50);
            entries.forEach(e -> assertThat(e.get("top_logprobs").size()).isEqualTo(top));
        }
    }

    @Test
    void aStopStringEndsTheGenerationInTheEngineToo() throws Exception {
        HttpResponse<String> response =
                chat("hello", "\"max_tokens\":400,\"stop\":\"fox\"").get();
        JsonNode answer = TestServer.json(response);
        assertThat(answer.at("/choices/0/message/content").stringValue()).isEqualTo("the quick brown ");
        assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(19);
        Wait.until(
                "no page is held",
                () -> harness.heldPages() == 0 && harness.engine.stats().running() == 0);
    }

    /** R148: many streams at once keep their order. */
    @Test
    void manyRequestsOfWhichSomeLeaveEndWithNoPageHeld() throws Exception {
        Seeds.forEach(1, random -> {
            List<CompletableFuture<HttpResponse<String>>> kept = new ArrayList<>();
            List<Integer> wanted = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                int max = 1 + random.nextInt(60);
                boolean stream = random.nextBoolean();
                CompletableFuture<HttpResponse<String>> answer =
                        chat("m".repeat(1 + random.nextInt(150)), "\"stream\":" + stream + ",\"max_tokens\":" + max);
                if (random.nextInt(3) == 0) {
                    answer.cancel(true);
                } else {
                    kept.add(answer);
                    wanted.add(max);
                }
            }
            for (int i = 0; i < kept.size(); i++) {
                String body = kept.get(i).get().body();
                String text = body.startsWith("data: ")
                        ? text(body)
                        : TestServer.json(kept.get(i).get())
                                .at("/choices/0/message/content")
                                .stringValue();
                assertThat(text).isEqualTo(SAID.repeat(2).substring(0, wanted.get(i)));
            }
            Wait.until(
                    "everything is given back",
                    () -> server.runningRequests() == 0
                            && harness.engine.stats().running() == 0
                            && harness.engine.stats().waiting() == 0
                            && harness.heldPages() == 0);
        });
    }
}
