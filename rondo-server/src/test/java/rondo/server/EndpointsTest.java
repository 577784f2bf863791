package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.engine.EngineStats;
import rondo.engine.FinishReason;
import rondo.engine.IterationRow;
import rondo.kv.KvStats;
import rondo.kv.Tier;
import tools.jackson.databind.JsonNode;

/** What is not a completion: models, health, metrics, tokens. */
class EndpointsTest {
    private TestServer server;

    @BeforeEach
    void start() {
        server = new TestServer();
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    @Test
    void theModelIsListedWithItsLimits() throws Exception {
        JsonNode list = TestServer.json(server.get("/v1/models"));
        assertThat(list.get("object").stringValue()).isEqualTo("list");
        JsonNode model = list.at("/data/0");
        assertThat(model).isEqualTo(TestServer.json(server.get("/v1/models/test-model")));
        assertThat(model.get("id").stringValue()).isEqualTo("test-model");
        assertThat(model.get("object").stringValue()).isEqualTo("model");
        assertThat(model.get("max_model_len").intValue()).isEqualTo(FakeService.MAX_SEQ_LEN);
        assertThat(model.get("rondo").toString())
                .isEqualTo(
                        "{\"max_num_tokens\":512,\"max_batch_size\":64,\"tokens_per_block\":16,\"stream_interval\":1,"
                                + "\"deterministic\":true,\"guided_decoding\":true,\"weights\":{\"consumed\":10,\"skipped\":2,"
                                + "\"rule\":\"text_only\",\"missing\":0,\"left_over\":0}}");
    }

    /** R123: health is the engine's. */
    @Test
    void healthFollowsTheEngine() throws Exception {
        for (String path : new String[] {"/health", "/health/ready"}) {
            server.service.state = EngineStats.State.READY;
            HttpResponse<String> ready = server.get(path);
            assertThat(ready.statusCode()).isEqualTo(200);
            assertThat(ready.body()).isEmpty();
            Map<EngineStats.State, String> answers = Map.of(
                    EngineStats.State.STARTING, "{\"status\":\"starting\"}",
                    EngineStats.State.DRAINING, "{\"status\":\"draining\"}",
                    EngineStats.State.FAILED, "{\"status\":\"failed\"}");
            for (Map.Entry<EngineStats.State, String> one : answers.entrySet()) {
                server.service.state = one.getKey();
                HttpResponse<String> response = server.get(path);
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(response.body()).isEqualTo(one.getValue());
            }
        }
        server.service.state = EngineStats.State.FAILED;
        assertThat(server.get("/health/live").statusCode()).isEqualTo(503);
        server.service.state = EngineStats.State.STARTING;
        assertThat(server.get("/health/live").statusCode()).isEqualTo(200);
    }

    @Test
    void healthGenerateRunsOneTokenThroughTheEngine() throws Exception {
        assertThat(server.get("/health_generate").statusCode()).isEqualTo(200);
        var request = server.service.submitted.getFirst().request;
        assertThat(request.maxTokens()).isEqualTo(1);
        assertThat(request.retention().excluded()).isTrue();
        server.service.manual = true;
        var answer = server.client.sendAsync(
                server.request("/health_generate").build(), HttpResponse.BodyHandlers.ofString());
        server.service.awaitSubmitted(1).fail("the device is lost");
        assertThat(answer.get().statusCode()).isEqualTo(500);
    }

    @Test
    void metricsArePrometheusTextUnlessJsonIsAskedFor() throws Exception {
        server.service.script = r -> TestTokenizer.ids("four");
        server.chat("");
        server.chat("\"max_tokens\":2,\"stream\":true");
        server.chat("\"temperature\":9");
        HttpResponse<String> text = server.get("/metrics");
        assertThat(text.headers().firstValue("content-type").orElse("")).startsWith("text/plain; version=0.0.4");
        assertThat(server.get("/prometheus/metrics").body()).isNotEmpty();
        Map<String, String> samples = samples(text.body());
        for (String prefix : new String[] {"rondo_", "trtllm_"}) {
            assertThat(samples)
                    .containsEntry(
                            prefix + "request_success_total{model_name=\"test-model\",finished_reason=\"stop\"}", "1")
                    .containsEntry(
                            prefix + "request_success_total{model_name=\"test-model\",finished_reason=\"length\"}", "1")
                    .containsEntry(prefix + "request_error_total{model_name=\"test-model\"}", "1")
                    .containsEntry(prefix + "num_requests_completed_total{model_name=\"test-model\"}", "2")
                    .containsEntry(prefix + "num_requests_running{model_name=\"test-model\"}", "1")
                    .containsEntry(prefix + "time_to_first_token_seconds_count{model_name=\"test-model\"}", "2")
                    .containsEntry(prefix + "e2e_request_latency_seconds_count{model_name=\"test-model\"}", "2")
                    .containsEntry(prefix + "kv_cache_utilization{model_name=\"test-model\"}", "0.1");
        }
        assertThat(samples)
                .containsEntry("rondo_requests_total{model_name=\"test-model\",reason=\"rejected\"}", "1")
                .containsEntry(
                        "rondo_kv_pages{model_name=\"test-model\",life_cycle=\"0\",tier=\"device\",state=\"evictable\"}",
                        "30");
        assertThat(samples)
                .containsEntry("rondo_preemptions_total{model_name=\"test-model\",kind=\"suspend\"}", "11")
                .containsEntry("rondo_preemptions_total{model_name=\"test-model\",kind=\"recompute\"}", "12")
                .containsEntry("rondo_recomputed_tokens_total{model_name=\"test-model\"}", "13")
                .containsEntry("rondo_pipeline_drains_total{model_name=\"test-model\"}", "15")
                .containsEntry("rondo_scheduler_stalls_total{model_name=\"test-model\"}", "16")
                .containsEntry("rondo_kv_copy_wait_seconds_total{model_name=\"test-model\"}", "1.7")
                .containsEntry("rondo_kv_offload_bytes_total{model_name=\"test-model\"}", Long.toString(6 * 64))
                .containsEntry("rondo_kv_onboard_bytes_total{model_name=\"test-model\"}", Long.toString(7 * 64))
                .containsEntry("trtllm_num_paused_requests{model_name=\"test-model\"}", "1")
                .containsEntry("rondo_step_seconds_bucket{model_name=\"test-model\",phase=\"plan\",le=\"1\"}", "5")
                .containsEntry("rondo_step_seconds_bucket{model_name=\"test-model\",phase=\"plan\",le=\"+Inf\"}", "6")
                .containsEntry("rondo_step_seconds_sum{model_name=\"test-model\",phase=\"plan\"}", "9.5")
                .containsEntry("rondo_step_seconds_count{model_name=\"test-model\",phase=\"device\"}", "0")
                .containsKey("rondo_batch_tokens_count{model_name=\"test-model\",kind=\"decode\"}")
                .containsKey("rondo_tokenization_cache_hits_total{model_name=\"test-model\"}")
                .containsEntry("rondo_tokenization_cache_resync_failures_total{model_name=\"test-model\"}", "0");
    }

    private static IterationRow row(long iteration, IterationRow.Request... requests) {
        KvStats kv = new KvStats(
                List.of(
                        new KvStats.Pool(0, Tier.DEVICE, 100, 60, 30, 10),
                        new KvStats.Pool(1, Tier.DEVICE, 50, 20, 10, 20),
                        new KvStats.Pool(0, Tier.HOST, 8, 7, 1, 0),
                        new KvStats.Pool(1, Tier.HOST, 4, 1, 1, 2)),
                List.of(new KvStats.Counters(64, 100, 30, 10, 60, 5, 0, 2, 4, 0, 7, 8, 0)),
                9,
                10,
                0);
        return new IterationRow(
                iteration,
                1_787_446_923_123_456L,
                7_400_000,
                6_900_000,
                3,
                2,
                1,
                4,
                1_500_000,
                new IterationRow.Batch(1, 64, 2, 2),
                3,
                new IterationRow.Memory(4096, 123, 1024),
                kv,
                List.of(requests));
    }

    @Test
    void iterationStatisticsHaveTheFieldsThatToolsRead() throws Exception {
        server.service.iterations.add(row(7));
        server.service.iterations.add(row(8));
        JsonNode json = TestServer.json(server.get("/iteration_stats"));
        assertThat(json.size()).isEqualTo(2);
        JsonNode row = json.get(0);
        String stamp = row.get("timestamp").stringValue();
        assertThat(stamp).matches("\\d\\d-\\d\\d-2026 \\d\\d:\\d\\d:\\d\\d\\.123456");
        assertThat(row.toString().replace(stamp, "T"))
                .isEqualTo("{'iter':7,'iterLatencyMS':7.4,'numActiveRequests':3,'numQueuedRequests':2,"
                        .concat("'numCompletedRequests':4,'maxNumActiveRequests':64,")
                        .concat("'newActiveRequestsQueueLatencyMS':1.5,'gpuMemUsage':4096,'cpuMemUsage':123,")
                        .concat("'pinnedMemUsage':1024,'timestamp':'T','inflightBatchingStats':{")
                        .concat("'numScheduledRequests':3,'numContextRequests':1,'numGenRequests':2,")
                        .concat("'numPausedRequests':1,'numCtxTokens':64,'microBatchId':0,")
                        .concat("'avgNumDecodedTokensPerIter':1.0},'kvCacheStats':{'maxNumBlocks':150,")
                        .concat("'freeNumBlocks':120,'usedNumBlocks':30,'tokensPerBlock':16,'allocTotalBlocks':140,")
                        .concat("'allocNewBlocks':100,'reusedBlocks':40,'missedBlocks':60,'cacheHitRate':0.4,")
                        .concat("'byLifeCycle':[{'lifeCycle':0,'maxNumBlocks':100,'freeNumBlocks':60,")
                        .concat("'evictableNumBlocks':30,'usedNumBlocks':10,'hostMaxNumBlocks':8,")
                        .concat("'hostFreeNumBlocks':7,'hostEvictableNumBlocks':1,'hostUsedNumBlocks':0},")
                        .concat("{'lifeCycle':1,'maxNumBlocks':50,'freeNumBlocks':20,'evictableNumBlocks':10,")
                        .concat("'usedNumBlocks':20,'hostMaxNumBlocks':4,'hostFreeNumBlocks':1,")
                        .concat("'hostEvictableNumBlocks':1,'hostUsedNumBlocks':2}]}}")
                        .replace('\'', '"'));
        assertThat(TestServer.json(server.get("/iteration_stats")).isEmpty())
                .as("the read drains")
                .isTrue();
    }

    @Test
    void metricsAsJsonAreTheStepsWhereThatIsSwitchedOn() throws Exception {
        server.service.iterations.add(row(7));
        HttpResponse<String> off = server.get("/metrics", "Accept", "application/json");
        assertThat(TestServer.json(off).toString()).isEqualTo("[]");
        assertThat(off.headers().firstValue("X-Rondo-Note"))
                .as("how to switch it on")
                .contains("enable_iter_perf_stats is false: set it to true, or read GET /iteration_stats,"
                        + " which has the steps always");
        assertThat(TestServer.json(server.get("/iteration_stats")).size())
                .as("nothing was drained")
                .isEqualTo(1);
        try (TestServer on = new TestServer(o -> o.iterPerfStats(true).iterReqStats(true))) {
            on.service.iterations.add(row(
                    9,
                    new IterationRow.Request(
                            "abc/0", IterationRow.Stage.GENERATION_IN_PROGRESS, 20, 16, 20, 5, true, false, 1)));
            HttpResponse<String> rows = on.get("/metrics", "Accept", "application/json");
            assertThat(rows.headers().firstValue("X-Rondo-Note")).isEmpty();
            JsonNode json = TestServer.json(rows);
            assertThat(json.at("/0/iter").intValue()).isEqualTo(9);
            assertThat(json.at("/0/requestStats").toString())
                    .isEqualTo("[{'id':'abc/0','stage':'GENERATION_IN_PROGRESS','contextPrefillPosition':20,"
                            .concat("'numGeneratedTokens':5,'scheduled':true,'paused':false,'numPromptTokens':20,")
                            .concat("'numCachedTokens':16,'numPreemptions':1}]")
                            .replace('\'', '"'));
        }
    }

    /** Samples by name and labels; every line must be a comment or well-formed, every name announced once. */
    private static Map<String, String> samples(String text) {
        Map<String, String> samples = new HashMap<>();
        Pattern line = Pattern.compile("([a-z0-9_]+\\{[^}]*}) (\\S+)");
        Map<String, String> types = new HashMap<>();
        for (String one : text.split("\n")) {
            if (one.startsWith("# HELP ")) {
                continue;
            }
            if (one.startsWith("# TYPE ")) {
                String[] parts = one.split(" ");
                assertThat(types.put(parts[2], parts[3]))
                        .as("announced twice: " + one)
                        .isNull();
                continue;
            }
            var matcher = line.matcher(one);
            assertThat(matcher.matches()).as(one).isTrue();
            assertThat(Double.valueOf(matcher.group(2))).isNotNaN();
            assertThat(samples.put(matcher.group(1), matcher.group(2)))
                    .as("twice: " + one)
                    .isNull();
        }
        return samples;
    }

    /** R161: cancelled ones are counted too. */
    @Test
    void endedRequestsAddUpOverTheirReasons() throws Exception {
        server.service.manual = true;
        int[] counts = new int[4];
        for (int i = 0; i < 12; i++) {
            int before = server.service.submitted.size();
            int way = i % 4;
            counts[way]++;
            try (RawClient client = new RawClient(server)) {
                client.post("/v1/chat/completions", TestServer.chatBody("\"stream\":true"));
                FakeService.FakeGeneration generation = server.service.awaitSubmitted(before);
                generation.emit("x");
                client.lineThatBegins("data: ");
                switch (way) {
                    case 0 -> generation.finish(FinishReason.STOP);
                    case 1 -> generation.finish(FinishReason.LENGTH);
                    case 2 -> generation.fail("boom");
                    default -> {}
                }
                if (way < 3) {
                    client.lineThatBegins("data: [DONE]");
                }
            }
            Wait.until("the request is gone", () -> server.server.runningRequests() == 0);
        }
        Wait.until("all are counted", () -> metric("requests_total", "") == 12);
        assertThat(metric("requests_total", "stop")).isEqualTo(counts[0]);
        assertThat(metric("requests_total", "length")).isEqualTo(counts[1]);
        assertThat(metric("requests_total", "error")).isEqualTo(counts[2]);
        assertThat(metric("requests_total", "cancelled")).isEqualTo(counts[3]);
    }

    private int metric(String name, String reason) {
        try {
            return samples(server.get("/metrics").body()).entrySet().stream()
                    .filter(e ->
                            e.getKey().startsWith("rondo_" + name) && e.getKey().contains(reason))
                    .mapToInt(e -> Integer.parseInt(e.getValue()))
                    .sum();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void tokenizeAndDetokenizeAreInverse() throws Exception {
        JsonNode plain = TestServer.json(server.post("/tokenize", "{\"prompt\":\"aé\",\"add_special_tokens\":false}"));
        assertThat(plain.toString()).isEqualTo("{\"count\":3,\"max_model_len\":4096,\"tokens\":[97,195,169]}");
        assertThat(server.post("/detokenize", "{\"tokens\":[97,195,169]}").body())
                .isEqualTo("{\"prompt\":\"aé\"}");
        assertThat(server.post("/detokenize", "{\"tokens\":[97,260]}").statusCode())
                .isEqualTo(400);
        JsonNode chat = TestServer.json(server.post("/tokenize", TestServer.chatBody("")));
        server.chat("");
        assertThat(chat.get("count").intValue())
                .isEqualTo(server.service.submitted.getFirst().request.prompt().tokens());
        assertThat(server.post("/tokenize", "{}").statusCode()).isEqualTo(400);
    }

    @Test
    void thePrefixCacheIsClearedOnDemand() throws Exception {
        assertThat(server.post("/admin/reset_prefix_cache", "").statusCode()).isEqualTo(200);
        assertThat(server.service.cleared).isEqualTo(1);
        assertThat(server.get("/version").body()).isEqualTo("{\"version\":\"0.1.0\"}");
    }

    @Test
    void aRequestMayAskForItsTimings() throws Exception {
        try (TestServer timed = new TestServer(o -> o.returnPerfMetrics(true))) {
            String body = TestServer.chatBody("");
            JsonNode answer = TestServer.json(timed.post("/v1/chat/completions", body, "X-Rondo-Metrics", "1"));
            assertThat(answer.at("/perf_metrics/first_token_ms").doubleValue()).isPositive();
            assertThat(TestServer.json(timed.post("/v1/chat/completions", body)).has("perf_metrics"))
                    .isFalse();
        }
    }
}
