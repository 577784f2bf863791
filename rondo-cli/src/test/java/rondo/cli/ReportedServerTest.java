package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.base.Json;
import rondo.engine.ColdTwin;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What users of other servers report, asked of the real server on the bundled model over HTTP; each test names its row. */
@Timeout(300)
class ReportedServerTest {
    private static final String CHAT = "/v1/chat/completions";
    private static final String COMPLETIONS = "/v1/completions";

    private static ObjectNode chat(String content, int maxTokens) {
        ObjectNode body = Json.mapper().createObjectNode();
        body.put("temperature", 0).put("max_tokens", maxTokens).put("ignore_eos", true);
        body.putArray("messages").addObject().put("role", "user").put("content", content);
        return body;
    }

    private static String ids(int count, int from) {
        return IntStream.range(0, count)
                .mapToObj(i -> "" + (i * 7 + from) % 4000)
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String completion(int tokens, int maxTokens) {
        return "{\"prompt\":" + ids(tokens, 3) + ",\"max_tokens\":" + maxTokens
                + ",\"temperature\":0,\"ignore_eos\":true}";
    }

    private static int cached(JsonNode answer) {
        return answer.at("/usage/prompt_tokens_details/cached_tokens").asInt();
    }

    private static void balanced(BundledServer server) throws Exception {
        server.awaitIdle();
        String metrics = server.get("/metrics").body();
        for (String gauge : List.of("rondo_num_requests_running", "rondo_num_requests_waiting")) {
            assertThat(metrics.lines().filter(l -> l.startsWith(gauge + "{")))
                    .as(gauge)
                    .isNotEmpty()
                    .allMatch(l -> l.endsWith(" 0"));
        }
        assertThat(metrics.lines().filter(l -> l.startsWith("rondo_kv_pages{") && l.contains("state=\"held\"")))
                .isNotEmpty()
                .allMatch(l -> l.endsWith(" 0"));
    }

    /**
     * R002: random prompts sent twice answer as under a salt that nobody has used; R169: and the second time is a hit.
     */
    @Test
    void sixteenRandomPromptsAnswerTheSameCachedAndCold() throws Exception {
        ColdTwin twin = new ColdTwin();
        SplittableRandom random = new SplittableRandom(2);
        try (BundledServer server = BundledServer.start("max_seq_len: 2048\n")) {
            for (int i = 0; i < 16; i++) {
                String text = random.ints(512, 'a', 'z' + 5)
                        .mapToObj(c -> c > 'z' ? " " : "" + (char) c)
                        .collect(Collectors.joining());
                ObjectNode body = chat(text, 16).put("logprobs", true);
                JsonNode first = server.json(CHAT, body.toString());
                JsonNode second = server.json(CHAT, body.toString());
                JsonNode cold =
                        server.json(CHAT, body.put("cache_salt", twin.salt()).toString());
                assertThat(second.get("choices")).isEqualTo(first.get("choices"));
                assertThat(cold.get("choices")).isEqualTo(first.get("choices"));
                assertThat(cached(second))
                        .isEqualTo(second.at("/usage/prompt_tokens").asInt() - 1);
                assertThat(cached(cold)).isZero();
            }
            balanced(server);
        }
    }

    /**
     * R009: with the bundled template the next turn's prompt begins with the last one and its answer, whatever the client
     * says of its reasoning; R153: no option of a request moves the head of the prompt.
     */
    @Test
    void theNextTurnsPromptBeginsWithTheLastTurnAndItsAnswer() throws Exception {
        try (BundledServer server = BundledServer.start("max_seq_len: 2048\n")) {
            String tool = "[{\"type\":\"function\",\"function\":{\"name\":\"look\",\"parameters\":{\"type\":\"object\","
                    + "\"properties\":{\"at\":{\"type\":\"string\"}}}}}]";
            String call = "{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"I think\",\"tool_calls\":[{"
                    + "\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"look\",\"arguments\":\"{\\\"at\\\": 1}\"}}]}";
            List<String> messages = new ArrayList<>(List.of(
                    "{\"role\":\"user\",\"content\":\"What is in the file?\"}",
                    call,
                    "{\"role\":\"tool\",\"tool_call_id\":\"1\",\"content\":\"a stone\"}"));
            List<Integer> before = tokenize(server, messages, tool, "");
            messages.add("{\"role\":\"assistant\",\"content\":\"It is a stone.\"}");
            List<Integer> withAnswer = tokenize(server, messages, tool, "");
            messages.add("{\"role\":\"user\",\"content\":\"And now?\"}");
            List<Integer> next = tokenize(server, messages, tool, "");
            assertThat(next.subList(0, before.size())).isEqualTo(before);
            // All of the answer but the header that asks for one more.
            int answered = commonPrefix(withAnswer, next);
            assertThat(answered).isGreaterThan(before.size() + 3);
            for (String option : List.of(
                    "\"chat_template_kwargs\":{\"enable_thinking\":true}",
                    "\"chat_template_kwargs\":{\"enable_thinking\":false}",
                    "\"temperature\":1",
                    "\"reasoning_effort\":null")) {
                assertThat(tokenize(server, messages, tool, "," + option))
                        .as(option)
                        .isEqualTo(next);
            }
        }
    }

    private static int commonPrefix(List<Integer> a, List<Integer> b) {
        int n = 0;
        while (n < Math.min(a.size(), b.size()) && a.get(n).equals(b.get(n))) {
            n++;
        }
        return n;
    }

    private static List<Integer> tokenize(BundledServer server, List<String> messages, String tools, String more)
            throws Exception {
        JsonNode answer = server.json("/tokenize", "{\"messages\":" + messages + ",\"tools\":" + tools + more + "}");
        return answer.get("tokens").valueStream().map(JsonNode::intValue).toList();
    }

    /**
     * R041: log-probabilities of a prompt are not offered: a 400 says so, whole or in chunks; R107: so that no prompt
     * takes memory for its logits.
     */
    @Test
    void logprobsOfAPromptAreRefusedByName() throws Exception {
        try (BundledServer server = BundledServer.start("max_num_tokens: 64\nmax_seq_len: 1024\n")) {
            for (int tokens : new int[] {10, 200}) {
                String body = "{\"prompt\":" + ids(tokens, 3) + ",\"max_tokens\":1,\"echo\":true,\"logprobs\":1}";
                HttpResponse<String> response = server.post(COMPLETIONS, body);
                assertThat(response.statusCode()).isEqualTo(400);
                assertThat(response.body()).contains("echo").contains("logprobs");
            }
            assertThat(server.post(COMPLETIONS, completion(200, 1)).statusCode())
                    .isEqualTo(200);
        }
    }

    /**
     * R044: without chunks a prompt beyond the budget is a 400 that names limit and setting, and the server goes on.
     */
    @Test
    void withoutChunksAPromptBeyondTheBudgetIsA400() throws Exception {
        try (BundledServer server =
                BundledServer.start("enable_chunked_prefill: false\nmax_num_tokens: 256\nmax_seq_len: 1024\n"
                        + "kv_cache_config:\n  enable_block_reuse: false\n")) {
            for (int tokens : new int[] {257, 300, 256, 255, 500}) {
                HttpResponse<String> response = server.post(COMPLETIONS, completion(tokens, 2));
                assertThat(response.statusCode())
                        .as("%d tokens: %s", tokens, response.body())
                        .isEqualTo(tokens <= 256 ? 200 : 400);
                if (tokens > 256) {
                    assertThat(response.body()).contains("max_num_tokens=256").contains("enable_chunked_prefill");
                }
            }
            balanced(server);
        }
    }

    /**
     * R157, R037: what the pools cannot hold is refused at once, and nobody waits behind it; what just fits is served.
     */
    @Test
    void aPromptLargerThanThePoolIsRefusedAtOnce() throws Exception {
        try (BundledServer server = BundledServer.start("kv_cache_config:\n  max_tokens: 2048\n")) {
            JsonNode model =
                    Json.mapper().readTree(server.get("/v1/models").body()).at("/data/0");
            int longest = model.get("max_model_len").intValue();
            assertThat(longest).isBetween(256, 8192);
            HttpResponse<String> tooLong = server.post(COMPLETIONS, completion(longest + 100, 4));
            assertThat(tooLong.statusCode()).isEqualTo(400);
            JsonNode error = Json.mapper().readTree(tooLong.body()).get("error");
            assertThat(error.get("code").asString()).isEqualTo("context_length_exceeded");
            assertThat(error.get("message").asString()).contains("" + longest).contains("" + (longest + 100));
            JsonNode shortOne = server.json(COMPLETIONS, completion(100, 4));
            assertThat(shortOne.at("/usage/completion_tokens").asInt()).isEqualTo(4);
            JsonNode exact = server.json(COMPLETIONS, completion(longest - 4, 4));
            assertThat(exact.at("/usage/completion_tokens").asInt()).isEqualTo(4);
            // R037: without a limit it ends where the context ends, and others are served.
            JsonNode giant = server.json(
                    COMPLETIONS,
                    "{\"prompt\":" + ids(longest - 40, 5)
                            + ",\"max_tokens\":100000,\"temperature\":0,\"ignore_eos\":true}");
            assertThat(giant.at("/choices/0/finish_reason").asString()).isEqualTo("length");
            assertThat(giant.at("/usage/completion_tokens").asInt()).isEqualTo(40);
            balanced(server);
        }
    }

    /** R068: there is no limit on tools below that of the body; what is too long for the context is said to be so. */
    @Test
    void manyToolsWorkUpToTheContext() throws Exception {
        try (BundledServer server = BundledServer.start("max_seq_len: 4096\n")) {
            for (int bytes : new int[] {97_102, 100_026, 500_000}) {
                String body = withTools(bytes);
                int count = server.json("/tokenize", body).get("count").intValue();
                assertThat(count).isGreaterThan(bytes / 20);
                HttpResponse<String> response = server.post(CHAT, body);
                assertThat(response.statusCode()).isEqualTo(400);
                assertThat(response.body()).contains("context_length_exceeded").contains("4096");
                assertThat(response.body().length()).isLessThan(4096);
            }
            assertThat(server.post(CHAT, withTools(5_000)).statusCode()).isEqualTo(200);
        }
    }

    private static String withTools(int bytes) {
        ObjectNode body = chat("Look it up.", 2);
        ArrayNode tools = body.putArray("tools");
        for (int i = 0; body.toString().length() < bytes; i++) {
            ObjectNode function = tools.addObject().put("type", "function").putObject("function");
            function.put("name", "tool_" + i).put("description", "does what number " + i + " does ".repeat(100));
            function.putObject("parameters").put("type", "object").putObject("properties");
        }
        return body.toString();
    }
}
