package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import rondo.base.Seeds;
import rondo.base.TimeSource;
import rondo.engine.EngineHarness;
import rondo.engine.EngineOptions;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;

/** Thousands of damaged request bodies get an answer or a well-formed refusal, and leave nothing behind. */
@Tag("long")
class BodyFuzzTest {
    private static final int SEEDS = 10;
    private static final int BODIES_PER_SEED = 500;
    private static final Pattern INSIDES =
            Pattern.compile("Exception|\\bat (java|rondo|tools)\\.|\\b(java|rondo|tools\\.jackson)\\.[a-z]+\\.");

    private static final List<Map.Entry<String, String>> CHAT_FIELDS = List.of(
            Map.entry("model", "\"stub\""),
            Map.entry("messages", "[{\"role\":\"system\",\"content\":\"be\"},{\"role\":\"user\",\"content\":\"hi\"}]"),
            Map.entry("max_tokens", "5"),
            Map.entry("temperature", "0.5"),
            Map.entry("top_p", "0.9"),
            Map.entry("top_k", "3"),
            Map.entry("seed", "7"),
            Map.entry("n", "1"),
            Map.entry("stop", "[\"fox\"]"),
            Map.entry("stream", "true"),
            Map.entry("stream_options", "{\"include_usage\":true}"),
            Map.entry("logprobs", "true"),
            Map.entry("top_logprobs", "2"),
            Map.entry("ignore_eos", "true"),
            Map.entry("cache_salt", "\"salt\""),
            Map.entry("tool_choice", "\"auto\""),
            Map.entry(
                    "tools",
                    "[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{\"type\":\"object\"}}}]"));
    private static final List<Map.Entry<String, String>> COMPLETION_FIELDS = List.of(
            Map.entry("model", "\"stub\""),
            Map.entry("prompt", "\"once upon\""),
            Map.entry("max_tokens", "5"),
            Map.entry("temperature", "0"),
            Map.entry("top_p", "1"),
            Map.entry("seed", "3"),
            Map.entry("n", "1"),
            Map.entry("echo", "false"),
            Map.entry("logprobs", "1"),
            Map.entry("stop", "\"fox\""),
            Map.entry("stream", "false"),
            Map.entry("cache_salt", "\"salt\""));

    /** What any field may become: other types, and the edges of numbers, texts and depth. */
    private static final List<String> VALUES = List.of(
            "null",
            "true",
            "false",
            "0",
            "-1",
            "1",
            "2147483648",
            "-9223372036854775809",
            "1e400",
            "-0.0",
            "0.1e-400",
            "1.5",
            "\"\"",
            "\"5\"",
            "\"\\u0000\"",
            "\"\\ud800\"",
            "\"\\udc00x\"",
            "\"<|eot|>\"",
            "[]",
            "{}",
            "[null]",
            "[[]]",
            "[0]",
            "[-1]",
            "[1,2,3]",
            "[99999999999]",
            "[\"a\",1]",
            "{\"a\":{}}",
            "{\"type\":\"function\"}",
            "[{\"role\":\"user\"}]",
            "[{\"role\":\"tool\",\"content\":[{\"type\":\"text\"}]}]",
            "NaN",
            "Infinity",
            "\"" + "x".repeat(3000) + "\"",
            "[".repeat(600) + "]".repeat(600),
            "1" + "0".repeat(2000));

    private EngineHarness harness;
    private RondoServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @BeforeEach
    void start() {
        harness = EngineHarness.setup()
                .options(EngineOptions.of(16, 64, 512))
                .vocabulary(TestTokenizer.VOCABULARY)
                .model((tokens, count, position, vocabulary) -> "the fox ".charAt(position % 8))
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
        Wait.until("the engine is ready", () -> health() == 200);
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

    private int health() {
        try {
            HttpRequest request = HttpRequest.newBuilder(uri("/health")).build();
            return client.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** R126: bad bodies cost nobody anything; R074: nor does any other wrong body. */
    @Test
    void noBodyBreaksTheServerOrLeavesWorkBehind() {
        int[] accepted = new int[1];
        int[] refused = new int[1];
        Seeds.forEach(SEEDS, random -> {
            for (int i = 0; i < BODIES_PER_SEED; i++) {
                boolean chat = random.nextBoolean();
                byte[] body = body(random, chat ? CHAT_FIELDS : COMPLETION_FIELDS);
                HttpRequest request = HttpRequest.newBuilder(uri(chat ? "/v1/chat/completions" : "/v1/completions"))
                        .timeout(Duration.ofSeconds(10))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofByteArray(body))
                        .build();
                String sent = new String(body, StandardCharsets.UTF_8);
                try {
                    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
                    check(response);
                    (response.statusCode() == 200 ? accepted : refused)[0]++;
                } catch (Exception | AssertionError e) {
                    throw new AssertionError("body " + i + " (chat=" + chat + "): " + sent, e);
                }
            }
            Wait.until(
                    "everything is given back",
                    () -> server.runningRequests() == 0
                            && harness.engine.stats().running() == 0
                            && harness.engine.stats().waiting() == 0
                            && harness.heldPages() == 0);
            assertThat(health()).isEqualTo(200);
        });
        assertThat(accepted[0]).as("bodies still valid").isPositive();
        assertThat(refused[0]).as("bodies refused").isPositive();
    }

    private static void check(HttpResponse<String> response) {
        int status = response.statusCode();
        String answer = response.body();
        if (status == 200) {
            if (answer.startsWith("data: ")) {
                assertThat(TestServer.events(answer)).isNotEmpty().noneMatch(e -> e.has("error"));
            } else {
                assertThat(TestServer.json(response).get("choices").size()).isPositive();
            }
            return;
        }
        assertThat(status < 500 || status == 501 || status == 503)
                .as("status %d: %s", status, answer)
                .isTrue();
        assertThat(INSIDES.matcher(answer).find())
                .as("shows insides: %s", answer)
                .isFalse();
        JsonNode error = Json.mapper().readTree(answer).get("error");
        assertThat(error.get("message").stringValue()).isNotBlank().doesNotContain("\n");
        assertThat(error.get("type").stringValue()).isNotBlank();
        assertThat(error.has("param")).isTrue();
        assertThat(error.has("code")).isTrue();
    }

    /** A body of some valid fields, with a few of them damaged, or its bytes, or both. */
    private static byte[] body(SplittableRandom random, List<Map.Entry<String, String>> valid) {
        List<String> members = new ArrayList<>();
        int kind = random.nextInt(4);
        int damaged = kind == 0 ? -1 : random.nextInt(valid.size());
        for (int i = 0; i < valid.size(); i++) {
            boolean required = i < 3;
            if (!required && i != damaged && random.nextInt(2) == 0) {
                continue;
            }
            String name = "\"" + valid.get(i).getKey() + "\":";
            String value = valid.get(i).getValue();
            switch (i == damaged ? random.nextInt(5) : 4) {
                case 0 -> {} // dropped
                case 1 -> { // twice, the second one other
                    members.add(name + value);
                    members.add(name + any(random));
                }
                case 2 -> members.add("\"" + valid.get(i).getKey() + "x\":" + value);
                case 3 -> members.add(name + inside(random, value));
                default -> members.add(name + (i == damaged ? any(random) : value));
            }
        }
        byte[] bytes = ("{" + String.join(",", members) + "}").getBytes(StandardCharsets.UTF_8);
        return kind == 0 || random.nextInt(8) == 0 ? damagedBytes(random, bytes) : bytes;
    }

    private static String any(SplittableRandom random) {
        return VALUES.get(random.nextInt(VALUES.size()));
    }

    /** The value with one of its own leaves replaced, where it has any. */
    private static String inside(SplittableRandom random, String value) {
        List<int[]> leaves = new ArrayList<>();
        var matcher =
                Pattern.compile("(?<=[:\\[])\"[^\"]*\"|(?<=:)true|(?<=:)\\{\\}").matcher(value);
        while (matcher.find()) {
            leaves.add(new int[] {matcher.start(), matcher.end()});
        }
        if (leaves.isEmpty()) {
            return any(random);
        }
        int[] leaf = leaves.get(random.nextInt(leaves.size()));
        return value.substring(0, leaf[0]) + any(random) + value.substring(leaf[1]);
    }

    private static byte[] damagedBytes(SplittableRandom random, byte[] bytes) {
        int at = random.nextInt(bytes.length);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        switch (random.nextInt(3)) {
            case 0 -> out.write(bytes, 0, at);
            case 1 -> {
                out.writeBytes(bytes);
                byte[] flipped = out.toByteArray();
                flipped[at] ^= (byte) (1 << random.nextInt(8));
                return flipped;
            }
            default -> {
                out.write(bytes, 0, at);
                for (int n = 1 + random.nextInt(4); n > 0; n--) {
                    out.write(random.nextInt(256));
                }
                out.write(bytes, at, bytes.length - at);
            }
        }
        return out.toByteArray();
    }
}
