package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.engine.FinishReason;

/** A client that leaves cancels its work, in whatever phase it is. */
class DisconnectTest {
    private TestServer server;

    @BeforeEach
    void start() {
        server = new TestServer();
        server.service.manual = true;
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private void cancelledAndGone(int generation) {
        Wait.until("generation is cancelled", () -> server.service.submitted.get(generation).cancelled);
        Wait.until("no request is left", () -> server.server.runningRequests() == 0);
    }

    @Test
    void anHttp10ClientGetsItsStreamUntilTheConnectionEnds() throws Exception {
        try (RawClient client = new RawClient(server)) {
            String body = TestServer.chatBody("\"stream\":true");
            client.send("POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: "
                    + body.length() + "\r\n\r\n" + body);
            FakeService.FakeGeneration generation = server.service.awaitSubmitted(0);
            generation.emit("hello");
            generation.finish(FinishReason.STOP);
            assertThat(client.line()).startsWith("HTTP/1.").endsWith("200 OK");
            assertThat(client.lineThatBegins("data: [DONE]")).isEqualTo("data: [DONE]");
        }
    }

    @Test
    void whileQueuedAndStreaming() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true"));
            server.service.awaitSubmitted(0);
            assertThat(client.line()).isEqualTo("HTTP/1.1 200 OK");
        }
        cancelledAndGone(0);
    }

    @Test
    void whileQueuedAndNotStreaming() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody(""));
            server.service.awaitSubmitted(0);
        }
        cancelledAndGone(0);
    }

    @Test
    void inTheMiddleOfAStream() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true"));
            server.service.awaitSubmitted(0).emit("some text");
            client.lineThatBegins("data: ");
        }
        cancelledAndGone(0);
    }

    @Test
    void inTheMiddleOfAnAnswerThatIsNotStreamed() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/completions", "{\"prompt\":\"a\",\"max_tokens\":100}");
            FakeService.FakeGeneration generation = server.service.awaitSubmitted(0);
            generation.emit("some text");
            Wait.until("the text is taken", () -> generation.taken == 9);
        }
        cancelledAndGone(0);
    }

    @Test
    void insideAToolCall() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post(
                    "/v1/chat/completions",
                    TestServer.chatBody("\"stream\":true,\"tools\":[{\"function\":{\"name\":\"f\"}}]"));
            server.service.awaitSubmitted(0).emit("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\"");
            client.lineThatBegins("data: ");
        }
        cancelledAndGone(0);
    }

    @Test
    void withSeveralChoicesAllAreCancelled() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true,\"n\":3"));
            server.service.awaitSubmitted(2);
            server.service.submitted.get(1).emit("x");
            client.lineThatBegins("data: ");
        }
        for (int i = 0; i < 3; i++) {
            cancelledAndGone(i);
        }
    }

    @Test
    void anHttp2StreamThatIsResetCancelsOnlyItself() throws Exception {
        try (HttpClient http2 =
                HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).build()) {
            // The first answer makes the connection an HTTP/2 one.
            http2.send(server.request("/health").build(), HttpResponse.BodyHandlers.ofString());
            var leaving = http2.sendAsync(post("\"stream\":true"), HttpResponse.BodyHandlers.ofInputStream());
            leaving.get().body().close();
            var whole = http2.sendAsync(post(""), HttpResponse.BodyHandlers.ofString());
            server.service.awaitSubmitted(1);
            Wait.until("the first is cancelled", () -> server.service.submitted.get(0).cancelled);
            server.service.submitted.get(1).emit("here");
            server.service.submitted.get(1).finish(FinishReason.LENGTH);
            assertThat(whole.get().body()).contains("\"content\":\"here\"");
        }
    }

    private HttpRequest post(String fields) {
        return server.request("/v1/chat/completions")
                .POST(HttpRequest.BodyPublishers.ofString(TestServer.chatBody(fields)))
                .build();
    }

    @Test
    void whileItsBodyIsStillComing() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{\"messages\"");
        }
        // Nothing was begun, and the server goes on.
        server.service.manual = false;
        assertThat(server.chat("").statusCode()).isEqualTo(200);
        assertThat(server.service.submitted).hasSize(1);
    }

    @Test
    void aLateTokenAfterTheCancelHurtsNobody() throws Exception {
        try (RawClient client = new RawClient(server)) {
            client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true"));
            server.service.awaitSubmitted(0);
            client.line();
        }
        cancelledAndGone(0);
        server.service.submitted.getFirst().emit("late");
        server.service.manual = false;
        assertThat(server.chat("").statusCode()).isEqualTo(200);
        assertThat(server.get("/metrics").body())
                .contains("rondo_requests_total{model_name=\"test-model\",reason=\"cancelled\"} 1")
                .contains("rondo_requests_total{model_name=\"test-model\",reason=\"stop\"} 1");
    }
}
