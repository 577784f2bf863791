package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Json;
import rondo.base.Shared;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo simulate}: agents against the real scheduler and memory under virtual time. */
class SimulateTest {
    /** All settings of the runs in docs/performance.md, section Simulated. */
    private static final String SERVE = """
            max_seq_len: 1048576
            max_num_tokens: 8192
            max_batch_size: 48
            kv_cache_config:
              free_gpu_memory_fraction: 0.8
              tokens_per_block: 32
            %s
            rondo: {allow_longer_than_model: true}
            """;

    private static final String MODEL =
            Shared.root().resolve("models/muse-glimmer-30b").toString();

    @TempDir
    private Path folder;

    private Path config;

    @BeforeEach
    void writeConfig() throws IOException {
        config = folder.resolve("serve.yaml");
        Files.writeString(config, SERVE.formatted(""));
    }

    @Test
    void theSameCommandTwiceGivesTheSameNumbers() {
        String traces = synthetic();
        for (String memory : List.of("60GiB", "15GiB")) {
            ObjectNode a = simulate(traces, "--device_bytes", memory, "--sessions", "4");
            ObjectNode b = simulate(traces, "--device_bytes", memory, "--sessions", "4");
            assertThat(a.without("wall_seconds").toString())
                    .isEqualTo(b.without("wall_seconds").toString());
            assertThat(a.path("requests").asInt()).isGreaterThan(20);
            assertThat(a.path("failed").asInt()).isZero();
        }
    }

    @Test
    void whatIsNotCachedIsComputedOnce() {
        JsonNode r = simulate(synthetic(), "--device_bytes", "200GiB");
        assertThat(r.path("computed_tokens").asLong())
                .isEqualTo(r.path("prompt_tokens").asLong()
                        - r.path("cached_tokens").asLong()
                        + r.path("generated_tokens").asLong()
                        - r.path("requests").asLong());
        assertThat(r.path("recomputed_tokens").asLong()).isZero();
        assertThat(r.path("pages_dropped").asLong()).isZero();
        assertThat(r.path("busy_seconds").asDouble())
                .isPositive()
                .isLessThanOrEqualTo(r.path("virtual_seconds").asDouble());
    }

    @Test
    void anAgentThatSendsBackWhatItWasAnsweredHitsItsReplyToo() {
        String traces = synthetic();
        JsonNode discarded = simulate(traces, "--device_bytes", "200GiB");
        JsonNode continued = simulate(traces, "--device_bytes", "200GiB", "--continued");
        assertThat(continued.path("cached_tokens").asLong())
                .isGreaterThan(discarded.path("cached_tokens").asLong());
    }

    @Test
    void theTableNamesWhatItShows() {
        CommandRun run = run(synthetic(), "--sessions", "2");
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("Prefix hits", "TTFT p50 / p90 / p99", "ITL", "Preemptions", "Pool window 2048", "Pool full")
                .contains("s virtual, busy");
    }

    @Test
    void recordedAgentsHitWhatTheoryAllows() {
        String traces = Shared.data("traces/dev-64.jsonl.gz").toString();
        JsonNode r = simulate(
                traces,
                "--device_bytes",
                "120GiB",
                "--num-dataset-entries",
                "4",
                "--trace-idle-gap-cap-seconds",
                "300",
                "--system-idle-gap-cap-seconds",
                "10");
        assertThat(r.path("requests").asInt()).isEqualTo(203);
        assertThat(hits(r)).isCloseTo(theory(r), within(0.5));
    }

    /** The runs of docs/performance.md: plenty of memory, one GPU's, a half, with and without a host tier. */
    @Test
    @Tag("long")
    void sixtyFourRecordedAgentsOnFortyEightLanes() throws IOException {
        String traces = Shared.data("traces/dev-64.jsonl.gz").toString();
        Files.writeString(config, SERVE.formatted("  pool_ratio: [0.75, 0.25]"));
        JsonNode plenty = agents(traces, "1TiB");
        assertThat(plenty.path("pages_dropped").asLong()).isZero();
        assertThat(hits(plenty)).isCloseTo(theory(plenty), within(0.5));
        Files.writeString(config, SERVE.formatted(""));
        assertThat(hits(agents(traces, "69GiB"))).isGreaterThan(theory(plenty) - 5);
        Files.writeString(config, SERVE.formatted("  host_cache_size: 160GiB"));
        assertThat(hits(agents(traces, "69GiB"))).isGreaterThan(theory(plenty) - 1);
        assertThat(hits(agents(traces, "35GiB"))).isGreaterThan(theory(plenty) - 1);
    }

    @Test
    void badInputIsOneLine() {
        assertThat(run("nowhere.jsonl").onlyLine()).isEqualTo("traces: nowhere.jsonl does not exist");
        String traces = synthetic();
        assertThat(run(traces, "--sessions", "0").onlyLine())
                .isEqualTo("rondo simulate: --sessions must be >= 1, got 0; see 'rondo simulate --help'");
        assertThat(run(traces, "--device_bytes", "much").onlyLine())
                .contains("must be a size such as 80GiB or a number of bytes, got 'much'");
        assertThat(run(traces, "--gpu_memory", "40GiB").onlyLine()).contains("--gpu-memory must be >");
        assertThat(run(traces, "--device_bytes", "1GiB").onlyLine())
                .contains("config: max_seq_len must be <=", "holds no longer sequence");
    }

    private JsonNode agents(String traces, String deviceBytes) {
        return simulate(
                traces,
                "--device_bytes",
                deviceBytes,
                "--sessions",
                "48",
                "--trace-idle-gap-cap-seconds",
                "300",
                "--system-idle-gap-cap-seconds",
                "10");
    }

    private static double hits(JsonNode r) {
        return r.path("hit_percent").asDouble();
    }

    private static double theory(JsonNode r) {
        return r.path("theoretical_hit_percent").asDouble();
    }

    private String synthetic() {
        Path file = folder.resolve("traces.jsonl");
        CommandRun run = CommandRun.of(
                "traces", "synth", file.toString(), "--traces", "6", "--turns", "6", "--output-scale", "0.2");
        assertThat(run.code()).as(run.err()).isZero();
        return file.toString();
    }

    private ObjectNode simulate(String traces, String... more) {
        List<String> args = new ArrayList<>(List.of(more));
        args.add("--json");
        CommandRun run = run(traces, args.toArray(new String[0]));
        assertThat(run.code()).as(run.err()).isZero();
        return (ObjectNode) Json.mapper().readTree(run.out());
    }

    private CommandRun run(String traces, String... more) {
        List<String> args = new ArrayList<>(
                List.of("simulate", "--traces", traces, "--model", MODEL, "--config", config.toString()));
        args.addAll(List.of(more));
        return CommandRun.of(args.toArray(new String[0]));
    }
}
