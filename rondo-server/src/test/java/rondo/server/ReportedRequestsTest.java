package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.engine.EngineOptions;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What users of other servers report, over HTTP through the real engine on the stub model; each test names its row. */
class ReportedRequestsTest {
    static String bundledTemplate() {
        try {
            return Files.readString(Shared.root().resolve("models/glimmer-mini/chat_template.jinja"));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * R010: a tool call that the server has given and the client sends back is rendered byte for byte, so that the next
     * turn finds all of it; R013: the same in a stream.
     */
    @Test
    void aToolCallThatComesBackIsFoundInTheCache() throws Exception {
        String arguments = "{\"b\": 1,  \"a\":2, \"u\": \"\\u00e9 é\"}";
        String text = "<tool_call>{\"name\": \"f\", \"arguments\": " + arguments + "}</tool_call>";
        String tools = "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":"
                + "{\"type\":\"object\",\"properties\":{\"b\":{},\"a\":{},\"u\":{}}}}}]";
        try (ForcedServer server = new ForcedServer(
                bundledTemplate(), s -> s.options(EngineOptions.of(4, 64, 2048)).overlap(true))) {
            server.forcing.say(TestTokenizer.ids(text), TestTokenizer.EOT);
            HttpResponse<String> streamed = server.chat("one", "\"stream\":true,\"max_tokens\":200," + tools)
                    .get();
            StringBuilder pieces = new StringBuilder();
            TestServer.events(streamed.body())
                    .forEach(e -> pieces.append(e.at("/choices/0/delta/tool_calls/0/function/arguments")
                            .asString("")));
            assertThat(pieces).hasToString(arguments);

            JsonNode answer = TestServer.json(
                    server.chat("one", "\"max_tokens\":200," + tools).get());
            JsonNode call = answer.at("/choices/0/message/tool_calls/0");
            assertThat(call.at("/function/arguments").asString()).isEqualTo(arguments);
            int turn = answer.at("/usage/prompt_tokens").intValue();

            ObjectNode next =
                    (ObjectNode) Json.mapper().readTree("{\"temperature\":0,\"max_tokens\":200," + tools + "}");
            ArrayNode messages = next.putArray("messages");
            messages.addObject().put("role", "user").put("content", "one");
            messages.add(answer.at("/choices/0/message"));
            messages.addObject()
                    .put("role", "tool")
                    .put("tool_call_id", call.get("id").asString())
                    .put("content", "done");
            JsonNode second = TestServer.json(
                    server.post("/v1/chat/completions", next.toString()).get());
            // All that has K and V of the first turn: its prompt and all it said but the end token.
            assertThat(second.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                    .isGreaterThanOrEqualTo(turn + TestTokenizer.ids(text).length);
            server.awaitBalance();
        }
    }

    /** R049: whoever leaves at any time with any mixture of features changes nothing for a steady client. */
    @Test
    void oneHundredLeaveWithMixedFeaturesBesideASteadyClient() throws Exception {
        leave(100);
    }

    @Test
    @Tag("long")
    void fiveHundredLeaveWithMixedFeaturesBesideASteadyClient() throws Exception {
        leave(500);
    }

    private static void leave(int count) throws Exception {
        String[] features = {
            "\"logprobs\":true,\"top_logprobs\":5",
            "\"n\":2,\"temperature\":1",
            "\"stop\":[\"xyz\",\"q\"]",
            "\"frequency_penalty\":1",
            "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}]",
            "\"min_tokens\":3",
            "\"ignore_eos\":true"
        };
        SplittableRandom random = new SplittableRandom(49);
        try (ForcedServer server = new ForcedServer(
                TestServer.TEMPLATE,
                s -> s.options(EngineOptions.of(6, 48, 1024)).overlap(true).pages(600))) {
            for (int i = 0; i < count; i++) {
                CompletableFuture<HttpResponse<String>> steady =
                        server.chat("steady " + i % 3, "\"stream\":true,\"max_tokens\":30");
                String mix = "\"stream\":" + random.nextBoolean() + ",\"max_tokens\":" + (1 + random.nextInt(500)) + ","
                        + features[random.nextInt(features.length)];
                CompletableFuture<HttpResponse<String>> leaves = server.chat("leaves " + i, mix);
                for (int look = random.nextInt(40); look > 0; look--) {
                    Thread.onSpinWait();
                    server.stats();
                }
                if (random.nextInt(4) == 0) {
                    server.get("/health");
                }
                leaves.cancel(true);
                StringBuilder text = new StringBuilder();
                TestServer.events(steady.get().body())
                        .forEach(e ->
                                text.append(e.at("/choices/0/delta/content").asString("")));
                assertThat(text).hasToString(ForcedServer.said(30));
            }
            server.awaitBalance();
            assertThat(server.stats().failed()).isZero();
        }
    }

    /**
     * R121: a burst far beyond the queue is answered at once with 429 or served to its end; afterwards nothing is
     * left.
     */
    @Test
    void aBurstIsServedOrRefusedAtOnce() throws Exception {
        burst(400);
    }

    @Test
    @Tag("long")
    void aBurstOfFiveThousandIsServedOrRefusedAtOnce() throws Exception {
        burst(5000);
    }

    private static void burst(int clients) throws Exception {
        EngineOptions options = EngineOptions.of(8, 64, 512).withQueue(EngineOptions.QueueOrder.FCFS, 32, 64 * 512);
        try (ForcedServer server =
                new ForcedServer(TestServer.TEMPLATE, s -> s.options(options).overlap(true))) {
            CountDownLatch allHaveCome = new CountDownLatch(1);
            server.harness.executor.onStep((step, plan) -> {
                if (step == 3) {
                    await(allHaveCome);
                }
                return new boolean[0];
            });
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                all.add(server.chat("client " + i % 50, "\"max_tokens\":40"));
            }
            // While the engine stands, the queue fills; all others are told at once.
            while (all.stream().filter(CompletableFuture::isDone).count() < clients - 32 - 8) {
                Thread.onSpinWait();
            }
            assertThat(server.stats().waiting()).isLessThanOrEqualTo(32);
            allHaveCome.countDown();
            int served = 0;
            for (CompletableFuture<HttpResponse<String>> one : all) {
                HttpResponse<String> response = one.get();
                if (response.statusCode() == 200) {
                    served++;
                    assertThat(TestServer.json(response)
                                    .at("/choices/0/message/content")
                                    .asString())
                            .isEqualTo(ForcedServer.said(40));
                } else {
                    assertThat(response.statusCode()).isEqualTo(429);
                    assertThat(response.headers().firstValue("Retry-After")).isPresent();
                }
            }
            assertThat(served).isBetween(32, 32 + 8);
            server.awaitBalance();
            assertThat(server.stats().finished()).isEqualTo(served);
            assertThat(server.chat("after", "\"max_tokens\":3").get().statusCode())
                    .isEqualTo(200);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** R123: when the step loop dies, who is served hears of it and the health page says so. */
    @Test
    void aDeadStepLoopIsToldToEverybody() throws Exception {
        try (ForcedServer server = new ForcedServer(
                TestServer.TEMPLATE,
                s -> s.options(EngineOptions.of(2, 64, 512)).overlap(true))) {
            server.harness.executor.onStep((step, plan) -> {
                if (step == 20) {
                    throw new IllegalStateException("made to fail");
                }
                return new boolean[0];
            });
            List<CompletableFuture<HttpResponse<String>>> all = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                all.add(server.chat("x", "\"max_tokens\":300,\"stream\":" + (i % 2 == 0)));
            }
            for (int i = 0; i < 5; i++) {
                HttpResponse<String> response = all.get(i).get();
                if (response.statusCode() == 200) {
                    assertThat(response.body()).contains("\"error\"").endsWith("data: [DONE]\n\n");
                } else {
                    assertThat(response.statusCode()).isIn(500, 503);
                }
            }
            Wait.until("the health page says so", () -> server.get("/health").statusCode() == 503);
            assertThat(server.get("/health").body()).contains("failed");
            assertThat(server.chat("y", "\"max_tokens\":1").get().statusCode()).isEqualTo(503);
        }
    }
}
