package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.base.Json;
import rondo.base.TimeSource;
import rondo.engine.EngineHarness;
import rondo.engine.EngineOptions;
import rondo.kv.LifeCycle;
import rondo.server.kvevents.BufferedKvEvents;
import rondo.server.kvevents.CacheShape;
import rondo.server.kvevents.HashAlgorithm;
import rondo.server.kvevents.KvEvents;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;

/** Buffered KV events over HTTP, from the real cache and engine on a stub model. */
@Timeout(60)
class KvEventsTest {
    private static final CacheShape SHAPE = new CacheShape(4, 512, List.of(8, 0));

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private EngineHarness harness;
    private RondoServer server;

    private void start(KvEvents events, List<String> keys) {
        harness = EngineHarness.setup()
                .options(EngineOptions.of(16, 64, 512))
                .lifeCycles(LifeCycle.sliding(8), LifeCycle.full())
                .pages(120)
                .hostPages(40)
                .vocabulary(TestTokenizer.VOCABULARY)
                .model((tokens, count, position, vocabulary) -> 'a' + position % 26)
                .events(events.feed(), events.stepLimit())
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
                RondoServer.Transport.open(),
                ServerOptions.builder().host("127.0.0.1").port(0).apiKeys(keys).build(),
                model,
                harness.engine,
                TimeSource.system(),
                events);
        Wait.until("the engine is ready", () -> send("GET", "/health", "").statusCode() == 200);
    }

    @AfterEach
    void stop() {
        server.close();
        harness.close();
        client.close();
    }

    private HttpResponse<String> send(String method, String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(20))
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private void complete(String prompt, String more) {
        String body = "{\"prompt\":\"" + prompt + "\",\"max_tokens\":6,\"ignore_eos\":true" + more + "}";
        assertThat(send("POST", "/v1/completions", body).statusCode()).isEqualTo(200);
    }

    private JsonNode rows(String method) {
        HttpResponse<String> answer = send(method, "/kv_cache_events", "");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return TestServer.json(answer);
    }

    private static BufferedKvEvents buffer(int size) {
        return new BufferedKvEvents(size, HashAlgorithm.V2_SHA256, SHAPE);
    }

    /** R032: replayed, the rows give the pages that the statistics count, in every life cycle and tier. */
    @Test
    void replayedRowsAreThePagesThatTheCacheHolds() {
        start(buffer(100_000), List.of());
        Map<Integer, Map<String, Integer>> levels = new HashMap<>();
        Set<Integer> seen = new HashSet<>();
        AtomicLong next = new AtomicLong();
        for (int i = 0; i < 40; i++) {
            complete("conversation " + i % 7 + " ".repeat(i % 5) + "x".repeat(3 * i), "");
            String method = i % 2 == 0 ? "GET" : "POST";
            // Copies to the host land after the answer, and are told of when they have.
            Wait.until("the rows tell of the pages that the cache holds", () -> {
                for (JsonNode row : rows(method)) {
                    assertThat(row.get("event_id").longValue())
                            .as("a row is given once")
                            .isEqualTo(next.getAndIncrement());
                    replay(row, levels, seen);
                }
                return told(levels).equals(held());
            });
        }
        assertThat(seen).as("pages went to the host").contains(1);
    }

    /** Pages per pool as the rows tell, in the order of the statistics. */
    private static List<Integer> told(Map<Integer, Map<String, Integer>> levels) {
        List<Integer> pages = new ArrayList<>();
        for (int level = 0; level < 2; level++) {
            for (int lc = 0; lc < 2; lc++) {
                pages.add((int) count(levels.getOrDefault(lc, Map.of()), level));
            }
        }
        return pages;
    }

    private List<Integer> held() {
        return harness.engine.stats().kv().pools().stream()
                .map(pool -> pool.total() - pool.free())
                .toList();
    }

    private static long count(Map<String, Integer> levels, int level) {
        return levels.values().stream().filter(l -> l == level).count();
    }

    private static void replay(JsonNode row, Map<Integer, Map<String, Integer>> all, Set<Integer> seen) {
        int lc = row.get("layer_group_id").intValue();
        assertThat(row.get("window_size").intValue()).isEqualTo(lc == 0 ? 8 : 512);
        assertThat(row.get("hash_algo").stringValue()).isEqualTo("v2_sha256");
        Map<String, Integer> levels = all.computeIfAbsent(lc, k -> new HashMap<>());
        JsonNode data = row.get("data");
        switch (data.get("type").stringValue()) {
            case "created" ->
                assertThat(data.get("num_blocks_per_cache_level").toString()).isEqualTo("[120,40]");
            case "stored" ->
                data.get("blocks").forEach(b -> {
                    assertThat(b.get("cache_salt").isNull()).isTrue();
                    assertThat(levels.put(
                                    b.get("block_hash").stringValue(),
                                    b.get("cache_level").intValue()))
                            .isNull();
                });
            case "removed" ->
                data.get("block_hashes")
                        .forEach(h -> assertThat(levels.remove(h.stringValue())).isNotNull());
            case "updated" -> {
                JsonNode level = data.get("cache_level");
                if (!level.isNull()) {
                    seen.add(level.get("new_value").intValue());
                    assertThat(levels.put(
                                    data.get("block_hash").stringValue(),
                                    level.get("new_value").intValue()))
                            .isEqualTo(level.get("old_value").intValue());
                }
            }
            default -> throw new AssertionError(row);
        }
    }

    @Test
    void aFullBufferIsAGapInTheIdsAndACounter() {
        start(buffer(2), List.of());
        for (int i = 0; i < 5; i++) {
            complete(i + "abcdefghij", "");
        }
        JsonNode rows = rows("GET");
        assertThat(rows.size()).isEqualTo(2);
        long first = rows.get(0).get("event_id").longValue();
        assertThat(first).isGreaterThan(2);
        String metrics = send("GET", "/prometheus/metrics", "").body();
        assertThat(metrics)
                .contains("rondo_kv_events_total{model_name=\"stub\"} " + (first + 2))
                .contains("rondo_kv_events_dropped_total{model_name=\"stub\"} " + first);
    }

    @Test
    void aSaltShowsNowhereAndItsBlocksCannotBeRecomputed() {
        start(buffer(100_000), List.of());
        complete("the same words for both", "");
        complete("the same words for both", ",\"cache_salt\":\"alice\"");
        String body = rows("GET").toString();
        assertThat(body).doesNotContain("alice", "11d2e0647a7702154d74a2909e090a2b43373948f1eccc06fd18d9c946fb5315");
        List<String> first = new ArrayList<>();
        for (JsonNode row : Json.mapper().readTree(body)) {
            JsonNode data = row.get("data");
            if (data.get("type").stringValue().equals("stored")
                    && data.get("parent_hash").isNull()) {
                first.add(data.at("/blocks/0/block_hash").stringValue());
            }
        }
        assertThat(first).as("two scopes in two life cycles").hasSize(4);
        assertThat(new HashSet<>(first)).as("of which nothing is shared").hasSize(2);
    }

    @Test
    void aResetOfTheCacheRemovesWhatWasStored() {
        start(buffer(100_000), List.of());
        complete("something to forget", "");
        rows("GET");
        assertThat(send("POST", "/admin/reset_prefix_cache", "").statusCode()).isEqualTo(200);
        List<JsonNode> removed = new ArrayList<>();
        Wait.until("the removals are told, though nothing runs", () -> {
            rows("GET").forEach(removed::add);
            return removed.size() >= 2;
        });
        assertThat(removed).allMatch(row -> row.at("/data/type").stringValue().equals("removed"));
    }

    /** R138: whoever places requests can compare its block size and hash with the server's. */
    @Test
    void theModelTellsItsBlockSizeAndTheHashOfItsEvents() {
        start(new BufferedKvEvents(10, HashAlgorithm.V2_SHA256_64, SHAPE), List.of());
        JsonNode rondo = TestServer.json(send("GET", "/v1/models/stub", "")).get("rondo");
        assertThat(rondo.get("tokens_per_block").intValue()).isEqualTo(4);
        assertThat(rondo.get("kv_events").toString()).isEqualTo("{\"hash_algo\":\"v2_sha256_64\"}");
    }

    @Test
    void eventsNeedAKeyWhereRequestsDo() {
        start(buffer(10), List.of("secret"));
        assertThat(send("GET", "/kv_cache_events", "").statusCode()).isEqualTo(401);
    }

    @Test
    void aServerWithoutABufferSaysSo() {
        start(KvEvents.off(), List.of());
        HttpResponse<String> answer = send("POST", "/kv_cache_events", "");
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body())
                .contains("no KV events are buffered here: kv_cache_config.event_buffer_max_size is 0");
    }
}
