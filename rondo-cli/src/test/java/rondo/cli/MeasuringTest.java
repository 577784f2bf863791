package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import rondo.agentx.trace.TraceReader;
import rondo.base.Env;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** Traces are made, replayed against the real server and reported, by the commands that people type. */
@Timeout(120)
class MeasuringTest {
    private static final Path BUNDLED = Shared.root().resolve("models/glimmer-mini");

    @TempDir
    Path directory;

    /** The quickstart turns the log down for its process. */
    @AfterEach
    void logAsBefore() {
        Logging.level("info");
    }

    private Path synth(String name, long seed) {
        Path file = directory.resolve(name);
        CommandRun run = CommandRun.of(
                "traces",
                "synth",
                file.toString(),
                "--traces",
                "3",
                "--turns",
                "4",
                "--first-prompt",
                "300",
                "--growth",
                "60",
                "--output-scale",
                "0.05",
                "--time-scale",
                "0.01",
                "--seed",
                String.valueOf(seed));
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualTo("wrote 3 traces to " + file + System.lineSeparator());
        return file;
    }

    @Test
    void theSameSeedWritesTheSameBytesAndTheReaderReadsThem() throws Exception {
        Path one = synth("one.jsonl", 5);
        assertThat(synth("two.jsonl", 5)).hasSameBinaryContentAs(one);
        assertThat(Files.mismatch(one, synth("other.jsonl", 6))).isNotNegative();
        TraceReader.Loaded read = TraceReader.read(one);
        assertThat(read.warnings()).isEmpty();
        assertThat(read.traces()).hasSize(3).doesNotHaveDuplicates();
        try (InputStream packed = new GZIPInputStream(Files.newInputStream(synth("packed.jsonl.gz", 5)))) {
            assertThat(packed).hasSameContentAs(Files.newInputStream(one));
        }
        CommandRun wrong =
                CommandRun.of("traces", "synth", directory.resolve("t.txt").toString());
        assertThat(wrong.code()).isEqualTo(UserError.USAGE);
        assertThat(wrong.onlyLine()).endsWith("must end in .jsonl or .jsonl.gz");
    }

    @Test
    void theBenchReplaysTracesAgainstTheServerAndWritesItsArtifacts() throws Exception {
        Path traces = synth("t.jsonl", 9);
        Path artifacts = directory.resolve("artifacts");
        try (BundledServer server = BundledServer.start("")) {
            CommandRun run = CommandRun.of(
                    "bench",
                    "--url",
                    server.url().toString(),
                    "--tokenizer",
                    BUNDLED.toString(),
                    "--input-file",
                    traces.toString(),
                    "--concurrency",
                    "2",
                    "--inter-turn-delay-cap-seconds",
                    "0.05",
                    "--random-seed",
                    "1",
                    "--extra-inputs",
                    "ignore_eos:true",
                    "--output-artifact-dir",
                    artifacts.toString());
            assertThat(run.err()).isEmpty();
            assertThat(run.code()).as(run.out()).isZero();
            assertThat(run.out())
                    .contains("TTFT", "ITL", "report: " + artifacts.resolve("report.html"))
                    .doesNotContain("cached tokens:", "not valid:");
            server.awaitIdle();
            assertThat(server.stats().failed()).isZero();
            List<String> records = Files.readAllLines(artifacts.resolve("profile_export.jsonl"));
            assertThat((long) records.size())
                    .isEqualTo(server.stats().finished())
                    .isGreaterThanOrEqualTo(12);
        }
        assertThat(artifacts.resolve("report.html")).content().contains("<html", "</html>");
        assertThat(artifacts.resolve("profile_export_aiperf.csv")).isNotEmptyFile();
        assertThat(artifacts.resolve("profile_export_console.txt")).isNotEmptyFile();
        assertThat(artifacts.resolve("rondo_point.json")).isNotEmptyFile();
        JsonNode summary = Json.mapper().readTree(Files.readString(artifacts.resolve("profile_export_aiperf.json")));
        assertThat(summary.at("/cached_check/violations")).isEmpty();
        assertThat(summary.at("/cached_check/checked").asInt()).isGreaterThanOrEqualTo(9);
    }

    @Test
    void theQuickstartMeasuresAndReports() {
        StringWriter told = new StringWriter();
        Path folder = directory.resolve("quickstart");
        Quickstart.Outcome outcome = new Quickstart(new Env(Map.of()), TimeSource.system(), List.of(1))
                .run(BUNDLED, folder, new PrintWriter(told, true));
        assertThat(outcome.ok()).as(told.toString()).isTrue();
        assertThat(outcome.report()).isEqualTo(folder.resolve("report.html")).isNotEmptyFile();
        assertThat(told.toString())
                .contains("TTFT", "report: " + outcome.report(), "every request was answered")
                .doesNotContain("cached tokens:");
        JsonNode json = outcome.json();
        assertThat(json.at("/cached_check/ok").asBoolean()).isTrue();
        assertThat(json.at("/runs")).hasSize(1);
        assertThat(json.at("/runs/0/failed_requests").asInt(-1)).isZero();
        assertThat(json.at("/runs/0/output_tokens_per_s").asDouble())
                .as(json.toString())
                .isPositive();
    }

    @Test
    void aWrongCountOfCachedTokensIsNoSuccess() {
        Path report = directory.resolve("report.html");
        Quickstart.Outcome good = new Quickstart.Outcome(report, 1, List.of(), List.of());
        Quickstart.Outcome bad = new Quickstart.Outcome(report, 1, List.of("0:1 turn 3: cached_tokens 7"), List.of());
        assertThat(good.ok()).isTrue();
        assertThat(bad.ok()).isFalse();
        assertThat(bad.json().at("/cached_check/ok").asBoolean(true)).isFalse();
        assertThat(bad.json().at("/cached_check/violations")).hasSize(1);
    }
}
