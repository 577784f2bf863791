package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import rondo.engine.EngineHarness;
import rondo.engine.EngineOptions;
import tools.jackson.databind.JsonNode;

/** What can never run is the client's fault, and said so; what can is watched step by step. */
class LimitsThroughTheEngineTest {
    private static EngineServer server(EngineOptions options, int pages) {
        return new EngineServer(EngineHarness.setup().options(options).pages(pages), ServerOptions.builder());
    }

    private static void refused(HttpResponse<String> answer, String code, String message) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        JsonNode error = TestServer.json(answer).get("error");
        assertThat(error.get("type").stringValue()).isEqualTo("invalid_request_error");
        assertThat(error.get("code").stringValue()).isEqualTo(code);
        assertThat(error.get("message").stringValue()).isEqualTo(message);
    }

    @Test
    void withPromisedPagesARequestBeyondThePoolIsA400StreamedOrNot() throws Exception {
        EngineOptions options = EngineOptions.of(4, 64, 512)
                .withPolicies(
                        EngineOptions.Capacity.GUARANTEED_NO_EVICT, EngineOptions.Chunking.FIRST_COME_FIRST_SERVED);
        try (EngineServer server = server(options, 30)) {
            String message =
                    "the KV cache is too small for 140 tokens (prompt and max_tokens, with GUARANTEED_NO_EVICT)";
            for (String stream : new String[] {"", ",\"stream\":true"}) {
                refused(server.complete(40, ",\"max_tokens\":100" + stream).get(), "request_too_large", message);
            }
            assertThat(server.complete(40, ",\"max_tokens\":60").get().statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void withoutChunkingAPromptBeyondTheStepIsA400AndTheServerGoesOn() throws Exception {
        try (EngineServer server = server(EngineOptions.of(4, 64, 512).withChunkedPrefill(false), 400)) {
            String message = "the prompt has 65 tokens to compute, more than max_num_tokens=64, and"
                    + " enable_chunked_prefill is false";
            refused(server.complete(65, ",\"max_tokens\":2").get(), "request_too_large", message);
            String stream = server.complete(65, ",\"max_tokens\":2,\"stream\":true")
                    .get()
                    .body();
            assertThat(stream)
                    .contains(message)
                    .contains("invalid_request_error")
                    .endsWith("data: [DONE]\n\n");
            HttpResponse<String> whole =
                    server.complete(64, ",\"max_tokens\":2").get();
            assertThat(TestServer.json(whole).at("/choices/0/text").stringValue())
                    .isEqualTo("ab");
        }
    }

    @Test
    void aPromptBeyondMaxInputLenIsRefusedInTheWordsThatAgentsLookFor() throws Exception {
        try (EngineServer server = new EngineServer(
                EngineHarness.setup().options(EngineOptions.of(4, 64, 512)),
                ServerOptions.builder().maxInputLen(100))) {
            refused(
                    server.complete(101, ",\"max_tokens\":2").get(),
                    "context_length_exceeded",
                    "This model's maximum context length is 100 tokens for the input (max_input_len). However, you"
                            + " requested 101 tokens in the messages. Please reduce the length of the input"
                            + " messages.");
            assertThat(server.complete(100, ",\"max_tokens\":2").get().statusCode())
                    .isEqualTo(200);
        }
    }

    /** R037, from outside. */
    @Test
    void aGiantEndsAtItsLengthWhenThePoolIsFullAndTheOthersAreAnswered() throws Exception {
        try (EngineServer server = server(EngineOptions.of(4, 64, 4096), 64)) {
            CompletableFuture<HttpResponse<String>> giant =
                    server.complete(20, ",\"max_tokens\":4000,\"ignore_eos\":true");
            HttpResponse<String> normal =
                    server.complete(10, ",\"max_tokens\":9").get();
            assertThat(TestServer.json(normal).at("/choices/0/text").stringValue())
                    .isEqualTo("abcabcabc");
            JsonNode end = TestServer.json(giant.get());
            assertThat(end.at("/choices/0/finish_reason").stringValue()).isEqualTo("length");
            assertThat(end.at("/usage/completion_tokens").intValue()).isBetween(200, 256);
            assertThat(server.get("/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theStepsOfALongPromptCanBeReadOneByOne() throws Exception {
        EngineOptions options =
                EngineOptions.of(4, 64, 512).withStatistics(new EngineOptions.Statistics(1000, true, 1));
        try (EngineServer server = new EngineServer(
                EngineHarness.setup().options(options),
                ServerOptions.builder().iterPerfStats(true).iterReqStats(true))) {
            assertThat(server.complete(200, ",\"max_tokens\":3").get().statusCode())
                    .isEqualTo(200);
            JsonNode rows = server.iterations();
            int prefills = 0;
            int before = 0;
            for (JsonNode row : rows) {
                assertThat(row.get("iter").intValue()).isEqualTo(++before);
                int tokens = row.at("/inflightBatchingStats/numCtxTokens").intValue();
                assertThat(tokens).isLessThanOrEqualTo(64);
                prefills += tokens > 0 ? 1 : 0;
                assertThat(row.get("requestStats").size()).isEqualTo(1);
            }
            assertThat(prefills).isEqualTo(4);
            assertThat(rows.size()).isEqualTo(6);
            assertThat(rows.get(5).at("/requestStats/0/stage").stringValue()).isEqualTo("GENERATION_COMPLETE");
            assertThat(rows.get(5)
                            .at("/kvCacheStats/byLifeCycle/0/hostMaxNumBlocks")
                            .intValue())
                    .isZero();
            assertThat(server.iterations().isEmpty()).isTrue();
        }
    }
}
