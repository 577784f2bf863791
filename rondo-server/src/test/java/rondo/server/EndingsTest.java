package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.engine.EngineStats;
import rondo.engine.FinishReason;
import tools.jackson.databind.JsonNode;

/** Every way in which a request can end. */
class EndingsTest {
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

    private static CompletableFuture<HttpResponse<String>> begin(TestServer at, String fields) {
        return at.client.sendAsync(
                at.request("/v1/chat/completions")
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(TestServer.chatBody(fields)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void anEngineErrorBeforeTheEndIsA500() throws Exception {
        var answer = begin(server, "");
        server.service.awaitSubmitted(0).fail("the rows of this step failed");
        HttpResponse<String> response = answer.get();
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(TestServer.json(response).at("/error/type").stringValue()).isEqualTo("internal_server_error");
        assertThat(TestServer.json(response).at("/error/message").stringValue())
                .isEqualTo("the rows of this step failed (request "
                        + response.headers().firstValue("X-Request-ID").orElse("") + ")");
    }

    /** R080: it ends this request alone. */
    @Test
    void aGrammarThatAllowsNothingHasACodeOfItsOwn() throws Exception {
        var answer = begin(server, "");
        server.service.awaitSubmitted(0).fail("empty_mask: no token is allowed after 3 output tokens");
        HttpResponse<String> response = answer.get();
        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(TestServer.json(response).at("/error/code").stringValue()).isEqualTo("empty_mask");
    }

    /** R149: errors in a stream are told; R053: every ending is told; R054: what goes wrong later is one event. */
    @Test
    void anEngineErrorInAStreamIsAnErrorEventAndThenDone() throws Exception {
        var answer = begin(server, "\"stream\":true,\"n\":2");
        server.service.awaitSubmitted(1);
        server.service.submitted.get(0).emit("ab");
        server.service.submitted.get(1).fail("boom");
        List<JsonNode> events = TestServer.events(answer.get().body());
        JsonNode last = events.getLast();
        assertThat(last.at("/error/message").stringValue()).startsWith("boom");
        assertThat(last.at("/code").intValue()).isEqualTo(500);
        Wait.until("the other choice is cancelled", () -> server.service.submitted.get(0).cancelled);
    }

    /** R121: the queue is bounded. */
    @Test
    void aFullQueueIsA429ThatSaysWhenToTryAgain() throws Exception {
        server.service.queueLimit = 1;
        for (String fields : new String[] {"\"n\":2", "\"stream\":true,\"n\":2"}) {
            server.service.submitted.clear();
            HttpResponse<String> response = server.chat(fields);
            assertThat(response.statusCode()).isEqualTo(429);
            assertThat(response.headers().firstValue("Retry-After")).contains("1");
            assertThat(TestServer.json(response).at("/error/type").stringValue())
                    .isEqualTo("rate_limit_error");
            assertThat(TestServer.json(response).at("/error/code").stringValue())
                    .isEqualTo("queue_full");
            assertThat(server.service.submitted.getFirst().cancelled)
                    .as("no choice is left behind")
                    .isTrue();
        }
    }

    @Test
    void anEngineThatDoesNotServeIsA503() throws Exception {
        server.service.state = EngineStats.State.STARTING;
        HttpResponse<String> starting = server.chat("");
        assertThat(starting.statusCode()).isEqualTo(503);
        assertThat(starting.headers().firstValue("Retry-After")).contains("5");
        assertThat(TestServer.json(starting).at("/error/code").stringValue()).isEqualTo("starting");
        server.service.state = EngineStats.State.FAILED;
        assertThat(TestServer.json(server.chat("")).at("/error/code").stringValue())
                .isEqualTo("failed");
    }

    /** R053: so does one that takes too long. */
    @Test
    void theTimeLimitEndsAStreamWithTimeoutAndAnAnswerWith504() throws Exception {
        try (TestServer hasty = new TestServer(o -> o.requestTimeoutMs(50))) {
            hasty.service.manual = true;
            var stream = begin(hasty, "\"stream\":true,\"stream_options\":{\"include_usage\":true}");
            hasty.service.awaitSubmitted(0).emit("ab");
            List<JsonNode> events = TestServer.events(stream.get().body());
            assertThat(events.get(events.size() - 2)
                            .at("/choices/0/finish_reason")
                            .stringValue())
                    .isEqualTo("timeout");
            assertThat(events.getLast().at("/usage/completion_tokens").intValue())
                    .isEqualTo(2);
            assertThat(hasty.service.submitted.get(0).cancelled).isTrue();
            HttpResponse<String> whole = begin(hasty, "").get();
            assertThat(whole.statusCode()).isEqualTo(504);
            assertThat(TestServer.json(whole).at("/error/type").stringValue()).isEqualTo("timeout_error");
            assertThat(hasty.service.submitted.get(1).cancelled).isTrue();
        }
    }

    @Test
    void aTimeoutInTheQueueIsA503() throws Exception {
        var answer = begin(server, "");
        server.service.awaitSubmitted(0).finish(FinishReason.TIMEOUT);
        assertThat(answer.get().statusCode()).isEqualTo(503);
        var stream = begin(server, "\"stream\":true");
        server.service.awaitSubmitted(1).finish(FinishReason.TIMEOUT);
        JsonNode event = TestServer.events(stream.get().body()).getLast();
        assertThat(event.at("/error/code").stringValue()).isEqualTo("queue_timeout");
    }

    @Test
    void drainingRefusesNewRequestsAndLetsTheRunningOnesEnd() throws Exception {
        var running = begin(server, "\"stream\":true");
        FakeService.FakeGeneration generation = server.service.awaitSubmitted(0);
        Wait.until("the request runs", () -> server.server.runningRequests() == 1);
        CompletableFuture<Boolean> drained = CompletableFuture.supplyAsync(() -> {
            try {
                return server.server.drain(Duration.ofSeconds(10));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        Wait.until("health says so", () -> {
            try {
                return server.get("/health").statusCode() == 503;
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        });
        HttpResponse<String> refused = server.chat("");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(TestServer.json(refused).at("/error/code").stringValue()).isEqualTo("draining");
        generation.emit("done");
        generation.finish(FinishReason.STOP);
        assertThat(drained.get()).isTrue();
        assertThat(running.get().body()).contains("\"finish_reason\":\"stop\"");
    }

    /** F014: a second signal ends at once. */
    @Test
    void whoIsInAHurryDoesNotWaitForTheRunningOnes() throws Exception {
        var stream = begin(server, "\"stream\":true");
        server.service.awaitSubmitted(0);
        Wait.until("it runs", () -> server.server.runningRequests() == 1);
        AtomicInteger asked = new AtomicInteger();
        assertThat(server.server.drain(Duration.ofHours(1), () -> asked.incrementAndGet() > 3))
                .isFalse();
        assertThat(stream.get().body()).contains("\"finish_reason\":\"abort\"").endsWith("data: [DONE]\n\n");
    }

    /** R053: a stream that is cut off ends like any other. */
    @Test
    void whatIsNotDoneWhenDrainingEndsIsAborted() throws Exception {
        var stream = begin(server, "\"stream\":true");
        var whole = begin(server, "");
        server.service.awaitSubmitted(1);
        server.service.submitted.getFirst().emit("ab");
        Wait.until("both run", () -> server.server.runningRequests() == 2);
        assertThat(server.server.drain(Duration.ofMillis(20))).isFalse();
        List<HttpResponse<String>> answers = List.of(stream.get(), whole.get());
        assertThat(answers.get(0).body())
                .contains("\"finish_reason\":\"abort\"")
                .endsWith("data: [DONE]\n\n");
        assertThat(answers.get(1).statusCode()).isEqualTo(503);
        assertThat(server.service.submitted).allMatch(g -> g.cancelled);
    }

    @Test
    void closingLeavesNoThreadBehind() throws Exception {
        try (TestServer other = new TestServer(o -> o.numPostprocessWorkers(3))) {
            other.service.script = r -> TestTokenizer.ids("x");
            assertThat(other.chat("").statusCode()).isEqualTo(200);
            Thread worker = thread("rondo-post-2");
            Thread parser = thread("rondo-parse-0");
            assertThat(worker.isAlive()).isTrue();
            other.server.close();
            Wait.until("its threads have ended", () -> !worker.isAlive() && !parser.isAlive());
        }
    }

    private static Thread thread(String name) {
        Thread found = null;
        for (Thread one : Thread.getAllStackTraces().keySet()) {
            if (one.getName().equals(name) && (found == null || one.threadId() > found.threadId())) {
                found = one;
            }
        }
        if (found == null) {
            throw new AssertionError("no thread " + name);
        }
        return found;
    }
}
