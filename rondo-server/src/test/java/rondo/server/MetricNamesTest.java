package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** R134: names of metrics are an interface: dashboards and autoscalers break when one changes. */
class MetricNamesTest {
    /** Those that trtllm-serve has, under both prefixes. */
    private static final List<String> SHARED = List.of(
            "request_success_total counter",
            "request_error_total counter",
            "num_requests_completed_total counter",
            "prompt_tokens_total counter",
            "generation_tokens_total counter",
            "prompt_cached_tokens_total counter",
            "spec_decode_drafted_tokens_total counter",
            "spec_decode_accepted_tokens_total counter",
            "kv_cache_hit_rate gauge",
            "kv_cache_utilization gauge",
            "num_requests_running gauge",
            "num_requests_waiting gauge",
            "num_paused_requests gauge",
            "e2e_request_latency_seconds histogram",
            "request_queue_time_seconds histogram",
            "time_to_first_token_seconds histogram",
            "time_per_output_token_seconds histogram");

    private static final List<String> OWN = List.of(
            "unauthorized_total counter",
            "kv_pages gauge",
            "kv_offload_pages_total counter",
            "kv_offload_bytes_total counter",
            "kv_onboard_pages_total counter",
            "kv_onboard_bytes_total counter",
            "kv_dropped_pages_total counter",
            "kv_copy_wait_seconds_total counter",
            "preemptions_total counter",
            "recomputed_tokens_total counter",
            "pipeline_drains_total counter",
            "scheduler_stalls_total counter",
            "step_seconds histogram",
            "batch_tokens histogram",
            "tokenization_cache_hits_total counter",
            "tokenization_cache_misses_total counter",
            "tokenization_cache_resync_failures_total counter");

    private static final String LONG_TIMES = "0.3 0.5 0.8 1 1.5 2 2.5 5 10 15 20 30 40 50 60 120 240 480 960 1920 7680";

    private static Map<String, String> families(String text) {
        Map<String, String> out = new TreeMap<>();
        text.lines()
                .filter(l -> l.startsWith("# TYPE "))
                .map(l -> l.split(" "))
                .forEach(p -> assertThat(out.put(p[2], p[3]))
                        .as("announced once: " + p[2])
                        .isNull());
        return out;
    }

    /** The finite bounds of a histogram, as numbers. */
    private static double[] bounds(String text, String name) {
        return text.lines()
                .filter(l -> l.startsWith(name + "_bucket{") && !l.contains("+Inf"))
                .mapToDouble(l -> Double.parseDouble(l.replaceAll(".*le=\"([^\"]+)\".*", "$1")))
                .toArray();
    }

    private static double[] numbers(String text) {
        return Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
    }

    @Test
    void everyFamilyIsThereOnceUnderItsNames() throws Exception {
        try (TestServer server = new TestServer()) {
            Map<String, String> families = families(server.get("/metrics").body());
            for (String one : SHARED) {
                String[] parts = one.split(" ");
                assertThat(families)
                        .containsEntry("rondo_" + parts[0], parts[1])
                        .containsEntry("trtllm_" + parts[0], parts[1]);
            }
            for (String one : OWN) {
                String[] parts = one.split(" ");
                assertThat(families).containsEntry("rondo_" + parts[0], parts[1]);
            }
            assertThat(families.keySet().stream().filter(n -> n.startsWith("trtllm_")))
                    .as("nothing else is passed off as the other's")
                    .hasSize(SHARED.size());
        }
    }

    /** A family is announced with what it is and of which type, in this order, and its samples follow. */
    @Test
    void everyFamilySaysWhatItIs() throws Exception {
        try (TestServer server = new TestServer()) {
            List<String> lines = server.get("/metrics").body().lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                if (lines.get(i).startsWith("# TYPE ")) {
                    String name = lines.get(i).split(" ")[2];
                    assertThat(lines.get(i - 1)).matches("# HELP " + name + " [A-Z][^\\\\]{10,}\\.");
                }
            }
        }
    }

    @Test
    void theOtherNamesCanBeLeftOut() throws Exception {
        try (TestServer server = new TestServer(o -> o.metricsAlias(false))) {
            assertThat(families(server.get("/metrics").body()).keySet()).allMatch(n -> n.startsWith("rondo_"));
        }
    }

    @Test
    void theBucketsAreThoseThatDashboardsKnowUnlessOthersAreSet() throws Exception {
        Map<String, List<Double>> own = Map.of("time_to_first_token_seconds", List.of(0.5, 2.0));
        try (TestServer server = new TestServer(o -> o.buckets(own))) {
            String text = server.get("/metrics").body();
            for (String prefix : List.of("rondo_", "trtllm_")) {
                assertThat(bounds(text, prefix + "e2e_request_latency_seconds")).containsExactly(numbers(LONG_TIMES));
                assertThat(bounds(text, prefix + "request_queue_time_seconds")).containsExactly(numbers(LONG_TIMES));
                assertThat(bounds(text, prefix + "time_per_output_token_seconds"))
                        .containsExactly(numbers(".01 .025 .05 .075 .1 .15 .2 .3 .4 .5 .75 1 2.5 5 7.5 10 20 40 80"));
                assertThat(bounds(text, prefix + "time_to_first_token_seconds")).containsExactly(0.5, 2);
            }
        }
        try (TestServer server = new TestServer()) {
            assertThat(bounds(server.get("/metrics").body(), "trtllm_time_to_first_token_seconds"))
                    .containsExactly(numbers(
                            ".001 .005 .01 .02 .04 .06 .08 .1 .25 .5 .75 1 2.5 5 7.5 10 20 40 80 160 640 2560"));
        }
    }
}
