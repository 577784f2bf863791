package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** The protocol around the API: routes, methods, sizes, keys, connections. */
class HttpTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(o -> o.maxRequestBytes(100_000));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static String error(HttpResponse<String> response) {
        return TestServer.json(response).at("/error/message").stringValue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET | /nothing | 404 | there is no /nothing here",
                "POST | /v1/embeddings | 404 | there is no /v1/embeddings here",
                "GET | /v1/chat/completions | 405 | /v1/chat/completions does not know the method GET",
                "DELETE | /v1/models | 405 | /v1/models does not know the method DELETE",
                "POST | /health | 405 | /health does not know the method POST",
                "POST | /v1/responses | 501 | /v1/responses is not built yet",
                "POST | /v1/messages | 501 | /v1/messages is not built yet",
                "GET | /v1/models/other | 404 | the model 'other' is not served here; this is 'test-model'",
            })
    void aPathOrMethodThatIsNotServedSaysSo(String method, String path, int status, String message) throws Exception {
        HttpResponse<String> response = server.client.send(
                server.request(path)
                        .method(method, HttpRequest.BodyPublishers.ofString(method.equals("POST") ? "{}" : ""))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(error(response)).isEqualTo(message);
        assertThat(response.headers().firstValue("content-type").orElse("")).isEqualTo("application/json");
    }

    /** R126, R149: bodies have a limit. */
    @Test
    void aBodyThatIsTooLargeIsRefusedBeforeItIsSent() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n");
            assertThat(client.answer())
                    .startsWith("HTTP/1.1 413")
                    .contains("the request body must be at most 100000 bytes (rondo.max_request_bytes)");
        }
    }

    @Test
    void aChunkedBodyThatGrowsTooLargeIsRefusedToo() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
            String chunk = "7530\r\n" + " ".repeat(30_000) + "\r\n";
            client.send(chunk + chunk + chunk + chunk);
            assertThat(client.line()).startsWith("HTTP/1.1 413");
        }
        assertThat(server.chat("").statusCode()).isEqualTo(200);
    }

    @Test
    void aBodyOfSeveralMegabytesIsFine() throws Exception {
        try (TestServer large = new TestServer(o -> o.maxCharsPerToken(0))) {
            HttpResponse<String> response = large.post(
                    "/v1/chat/completions", TestServer.chatBody("\"user\":\"" + "x".repeat(12 << 20) + "\""));
            assertThat(response.statusCode()).isEqualTo(200);
        }
    }

    /** Bodies that come slowly, or never to their end, cannot take more memory than a few of the largest. */
    @Test
    void bodiesThatAreHeldHaveALimitTogether() throws Exception {
        String head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 16777216\r\n\r\n";
        String part = " ".repeat(1 << 20);
        try (TestServer large = new TestServer(o -> o.maxRequestBytes(16 << 20));
                RawClient one = new RawClient(large);
                RawClient two = new RawClient(large);
                RawClient three = new RawClient(large);
                RawClient four = new RawClient(large);
                RawClient five = new RawClient(large)) {
            for (RawClient client : List.of(one, two, three, four)) {
                client.send(head);
                for (int i = 0; i < 15; i++) {
                    client.send(part);
                }
            }
            five.send(head);
            for (int i = 0; i < 5; i++) {
                five.send(part);
            }
            assertThat(five.answer()).startsWith("HTTP/1.1 429").contains("too many bytes of request bodies are held");
            one.close();
            two.close();
            Wait.until("their bytes are given back", () -> {
                try {
                    return large.chat("\"user\":\"" + "x".repeat(5 << 20) + "\"")
                                    .statusCode()
                            == 200;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, 200",
        "application/json; charset=utf-8, 200",
        "application/vnd.x+json, 200",
        "text/plain, 415",
        "application/x-www-form-urlencoded, 415",
        "multipart/form-data; boundary=x, 415"
    })
    void onlyJsonIsTaken(String type, int status) throws Exception {
        HttpResponse<String> response = server.client.send(
                server.request("/v1/chat/completions")
                        .header("Content-Type", type)
                        .POST(HttpRequest.BodyPublishers.ofString(TestServer.chatBody("")))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(status);
    }

    @Test
    void aBodyWithoutAContentTypeIsTakenForJson() throws Exception {
        try (RawClient client = new RawClient(server)) {
            String body = TestServer.chatBody("");
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: " + body.length() + "\r\n\r\n"
                    + body);
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    @Test
    void aClientThatWaitsForContinueIsTold() throws Exception {
        try (RawClient client = new RawClient(server)) {
            String body = TestServer.chatBody("");
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: "
                    + body.length() + "\r\n\r\n");
            assertThat(client.line()).isEqualTo("HTTP/1.1 100 Continue");
            client.line();
            client.send(body);
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
        }
    }

    /** R126: headers and lines have limits. */
    @ParameterizedTest
    @CsvSource({"header, 431", "line, 414", "nonsense, 400"})
    void whatIsNoHttpGetsTheSameErrorShape(String what, int status) throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.send(
                    switch (what) {
                        case "header" -> "GET /health HTTP/1.1\r\nHost: x\r\nX-Big: " + "x".repeat(70_000) + "\r\n\r\n";
                        case "line" -> "GET /" + "x".repeat(20_000) + " HTTP/1.1\r\nHost: x\r\n\r\n";
                        default -> "GET /health HTTP/1.1\r\nHost: x\r\nno colon here\r\n\r\n";
                    });
            assertThat(client.answer())
                    .matches("(?s)HTTP/1\\.[01] " + status + " .*")
                    .contains("\"type\":\"invalid_request_error\"");
        }
    }

    @Test
    void aBodyThatIsNotUtf8OrNestedTooDeepIsInvalidJson() throws Exception {
        byte[] notUtf8 = {'{', '"', 'a', '"', ':', '"', (byte) 0xC3, (byte) 0x28, '"', '}'};
        byte[] deep = ("{\"a\":" + "[".repeat(5000)).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
        for (byte[] body : new byte[][] {notUtf8, deep}) {
            HttpResponse<String> response = server.client.send(
                    server.request("/v1/chat/completions")
                            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(TestServer.json(response).at("/error/code").stringValue())
                    .isEqualTo("invalid_json");
        }
    }

    @Test
    void theRequestIdIsEchoedIfItIsOneAndMadeIfNot() throws Exception {
        assertThat(id("X-Request-ID", "abc-1")).isEqualTo("abc-1");
        assertThat(id("X-Other", "y")).matches("[0-9a-f]{32}");
        assertThat(id("X-Request-ID", "x".repeat(500))).matches("[0-9a-f]{32}");
        HttpResponse<String> wrong = server.post("/v1/chat/completions", "{", "X-Request-ID", "mine");
        assertThat(wrong.headers().firstValue("X-Request-ID")).contains("mine");
    }

    private static String id(String name, String value) throws Exception {
        return server.get("/health", name, value)
                .headers()
                .firstValue("X-Request-ID")
                .orElse("");
    }

    /** R124: a client's id is only echoed. */
    @Test
    void oneIdUsedByManyAtOnceMixesNothingUp() throws Exception {
        server.service.script = r -> {
            // The answer is the user's text: the prompt between its last header's end and its end token.
            String prompt = server.tokenizer.decode(r.prompt().ids().toArray(), false);
            int from = prompt.indexOf("user<|end|>") + 11;
            return TestTokenizer.ids(prompt.substring(from, prompt.indexOf("<|eot|>", from)));
        };
        List<CompletableFuture<HttpResponse<String>>> answers = IntStream.range(0, 100)
                .mapToObj(i -> server.client.sendAsync(
                        server.request("/v1/chat/completions", "X-Request-ID", "same")
                                .POST(HttpRequest.BodyPublishers.ofString("{\"stream\":" + (i % 2 == 0)
                                        + ",\"messages\":[{\"role\":\"user\",\"content\":\"text " + i + "\"}]}"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString()))
                .toList();
        for (int i = 0; i < answers.size(); i++) {
            HttpResponse<String> response = answers.get(i).get();
            StringBuilder text = new StringBuilder();
            if (i % 2 == 0) {
                TestServer.events(response.body())
                        .forEach(e ->
                                text.append(e.at("/choices/0/delta/content").asString("")));
            } else {
                text.append(TestServer.json(response)
                        .at("/choices/0/message/content")
                        .stringValue());
            }
            assertThat(text.toString()).isEqualTo("text " + i);
        }
    }

    @Test
    void pipelinedRequestsAreAnsweredInOrderOnOneConnection() throws Exception {
        try (RawClient client = new RawClient(server)) {
            String get = "GET %s HTTP/1.1\r\nHost: x\r\n\r\n";
            client.send(get.formatted("/version") + get.formatted("/nothing") + get.formatted("/health"));
            assertThat(client.answer()).startsWith("HTTP/1.1 200").contains("\"version\"");
            assertThat(client.answer()).startsWith("HTTP/1.1 404");
            assertThat(client.answer()).startsWith("HTTP/1.1 200").containsIgnoringCase("keep-alive: timeout=600");
        }
    }

    @Test
    void http2WithoutEncryptionWorksForStreamsAndAnswers() throws Exception {
        try (HttpClient http2 =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            for (String fields : new String[] {"\"stream\":true", "", "\"user\":\"" + "x".repeat(80_000) + "\""}) {
                HttpResponse<String> response = http2.send(
                        server.request("/v1/chat/completions")
                                .header("Content-Type", "application/json")
                                .POST(HttpRequest.BodyPublishers.ofString(TestServer.chatBody(fields)))
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                assertThat(response.statusCode()).isEqualTo(200);
                assertThat(response.body()).contains("\"finish_reason\":\"stop\"");
            }
            assertThat(http2.send(server.request("/health").build(), HttpResponse.BodyHandlers.ofString())
                            .version())
                    .isEqualTo(HttpClient.Version.HTTP_2);
        }
    }

    /** R057: a client that waits hears something. */
    @Test
    void silenceIsBrokenByComments() throws Exception {
        try (TestServer impatient = new TestServer(o -> o.pingMillis(20));
                RawClient client = new RawClient(impatient)) {
            impatient.service.manual = true;
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true"));
            // In the queue, and again in the middle of the stream.
            client.lineThatBegins(": ping");
            impatient.service.awaitSubmitted(0).emit("x");
            client.lineThatBegins("data: ");
            client.lineThatBegins(": ping");
        }
    }

    @Test
    void withKeysOnlyHealthVersionAndMetricsAreOpen() throws Exception {
        try (TestServer locked = new TestServer(o -> o.apiKeys(List.of("first-key", "second-key")))) {
            for (String path : List.of("/health", "/health/live", "/health/ready", "/version", "/metrics")) {
                assertThat(locked.get(path).statusCode()).as(path).isEqualTo(200);
            }
            for (Map.Entry<String, Integer> one : Map.of(
                            "Bearer first-key", 200,
                            "bearer second-key", 200,
                            "Bearer first-ke", 401,
                            "Bearer first-key2", 401,
                            "Basic first-key", 401,
                            "Bearer", 401)
                    .entrySet()) {
                HttpResponse<String> response = locked.get("/v1/models", "Authorization", one.getKey());
                assertThat(response.statusCode()).as(one.getKey()).isEqualTo(one.getValue());
            }
            HttpResponse<String> none = locked.chat("");
            assertThat(none.statusCode()).isEqualTo(401);
            JsonNode error = TestServer.json(none).get("error");
            assertThat(error.get("type").stringValue()).isEqualTo("authentication_error");
            assertThat(error.get("code").stringValue()).isEqualTo("invalid_api_key");
            assertThat(locked.post("/admin/reset_prefix_cache", "").statusCode())
                    .isEqualTo(401);
            assertThat(locked.service.cleared).isZero();
        }
    }

    @Test
    void aPortInUseIsOneClearLine() {
        assertThatThrownBy(() -> new TestServer(o -> o.port(server.server.port())))
                .isInstanceOfSatisfying(
                        UserError.class, e -> assertThat(e.exitCode()).isEqualTo(UserError.PORT))
                .hasMessage("cannot listen on 127.0.0.1:" + server.server.port()
                        + ": the port is in use, choose another with --port");
    }

    /** R130: idle connections live longer than clients keep them. */
    @Test
    void anIdleConnectionIsClosedAndABusyOneIsNot() throws Exception {
        long[] now = {0};
        Connections connections = new Connections(() -> now[0], 600_000);
        RecordingConnection busy = new RecordingConnection();
        RecordingConnection idle = new RecordingConnection();
        connections.opened(busy.connection);
        connections.opened(idle.connection);
        connections.begin(busy.connection);
        connections.bodyRead(busy.connection);
        connections.begin(idle.connection);
        connections.bodyRead(idle.connection);
        connections.end(idle.connection);
        now[0] = 599_000_000_000L;
        connections.sweep();
        assertThat(idle.closed).isFalse();
        now[0] = 601_000_000_000L;
        connections.sweep();
        assertThat(idle.closed).isTrue();
        assertThat(busy.closed).isFalse();
        // One that never asked anything is given up as soon.
        RecordingConnection silent = new RecordingConnection();
        connections.opened(silent.connection);
        now[0] += 59_000_000_000L;
        connections.sweep();
        assertThat(silent.closed).isFalse();
        now[0] += 2_000_000_000L;
        connections.sweep();
        assertThat(silent.closed).isTrue();
        // A body that stopped coming is given up much sooner.
        RecordingConnection stuck = new RecordingConnection();
        connections.opened(stuck.connection);
        connections.begin(stuck.connection);
        now[0] += 61_000_000_000L;
        connections.sweep();
        assertThat(stuck.closed).isTrue();
    }
}
