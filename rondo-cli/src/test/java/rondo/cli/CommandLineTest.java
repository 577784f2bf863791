package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import rondo.base.Env;
import rondo.base.UserError;

/** What a person meets who types a command: one line for a mistake, the right exit code, help. */
class CommandLineTest {
    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final List<ServeRequest> served = new ArrayList<>();

    private int run(String... args) {
        return run(
                request -> {
                    served.add(request);
                    return 0;
                },
                args);
    }

    private int run(Serving serving, String... args) {
        CommandLine rondo = RondoCommand.commandLine(serving, new Env(Map.of()), args);
        PrintWriter o = new PrintWriter(out, true);
        PrintWriter e = new PrintWriter(err, true);
        rondo.setOut(o).setErr(e);
        return rondo.execute(Spelling.of(rondo).normalise(args));
    }

    @Test
    void theVersionNamesRondoAndJava() {
        assertThat(run("--version")).isZero();
        assertThat(out.toString())
                .startsWith("rondo " + Version.rondo() + " (Java 25")
                .hasLineCount(1);
        assertThat(Version.rondo()).matches("\\d+\\.\\d+\\.\\d+.*");
    }

    @Test
    void helpListsTheCommandsAndWithoutACommandToo() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString()).contains("serve", "config");
        assertThat(run()).isZero();
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void helpOfServeNamesItsFlagsAndExitCodes() {
        assertThat(run("serve", "--help")).isZero();
        assertThat(out.toString())
                .contains("--max_batch_size", "--extra_llm_api_options", "--port", "Exit codes")
                .doesNotContain("--server_role");
        assertThat(out.toString().lines()).allMatch(l -> l.length() <= 120);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            sreve                          | rondo: Unmatched argument at index 0: 'sreve'; did you mean 'serve'?
            serve --prot 1                 | rondo serve: Unknown option: '--prot'; did you mean '--port'?
            serve --port x                 | rondo serve: Invalid value for option '--port': 'x' is not an int; see 'rondo serve --help'
            serve --port 70000             | rondo serve: --port must be >= 0 and <= 65535, got 70000; see 'rondo serve --help'
            serve                          | rondo serve: Missing required parameter: 'MODEL'; see 'rondo serve --help'
            serve --log_level loud         | rondo serve: --log_level must be one of internal_error, error, warning, info, verbose, debug, trace, got 'loud'; see 'rondo serve --help'
            serve --max-batch-size 0       | config: max_batch_size must be >= 1, got 0 (--max_batch_size)
            serve --tp_size 4              | config: tensor_parallel_size must be <= 1 (devices on this machine), got 4 (--tensor_parallel_size)
            serve --cluster-size 2         | config: --moe_cluster_parallel_size must be 1 (expert clusters are not supported), got 2 (--moe_cluster_parallel_size)
            serve --server_role context    | config: --server_role=context is not supported by rondo: one process serves prefill and decode (--server_role)
            serve --reasoning-parser hermes | config: reasoning_parser=hermes is not supported by rondo: it reads calls, not reasoning (--reasoning_parser)
            serve --device cuda            | config: rondo.device=cuda is not supported by rondo: not built yet (--device)
            serve --simulate               | rondo serve: --simulate and --record-traces are not supported by rondo: not built yet; see 'rondo serve --help'
            """)
    void aMistakeIsOneLineAndExitCodeTwo(String args, String line) {
        assertThat(run(args.strip().split(" +"))).isEqualTo(UserError.USAGE);
        assertThat(err.toString()).isEqualTo(line + System.lineSeparator());
        assertThat(out.toString()).isEmpty();
        assertThat(served).isEmpty();
    }

    @Test
    void aModelThatIsNotThereIsExitCodeThree() {
        assertThat(run("serve", "org/name")).isEqualTo(UserError.MODEL);
        assertThat(err.toString())
                .isEqualTo("model: MODEL must be a local directory, got 'org/name'" + System.lineSeparator());
    }

    @Test
    void flagsAndFileReachTheServer() throws IOException {
        Path file = Files.writeString(directory.resolve("serve.yaml"), "max_batch_size: 48\nstream_interval: 3\n");
        Path template = Files.writeString(directory.resolve("t.jinja"), "{{ messages }}");
        int code = run(
                "serve",
                directory.toString(),
                "--extra-llm-api-options",
                file.toString(),
                "--max-batch-size=8",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                "--served-model-name",
                "mini",
                "--chat_template",
                template.toString(),
                "--enable_chunked_prefill=false",
                "--trust_remote_code",
                "--backend",
                "pytorch");
        assertThat(err.toString()).isEmpty();
        assertThat(code).isZero();
        ServeRequest request = served.getFirst();
        assertThat(request.model()).isEqualTo(directory);
        assertThat(request.servedName()).isEqualTo("mini");
        assertThat(request.host()).isEqualTo("127.0.0.1");
        assertThat(request.port()).isZero();
        assertThat(request.chatTemplate()).contains("{{ messages }}");
        assertThat(request.config().limits().maxBatchSize()).isEqualTo(8);
        assertThat(request.config().limits().chunkedPrefill()).isFalse();
        assertThat(request.config().front().streamInterval()).isEqualTo(3);
        assertThat(request.config().notices())
                .extracting(n -> n.text())
                .containsExactly(
                        "config: --max_batch_size 8 overrides max_batch_size 48 (" + file + ":1)",
                        "config notice: backend=pytorch has no effect in rondo: there is one engine (--backend)",
                        "config notice: trust_remote_code=true has no effect in rondo: rondo runs no code of a"
                                + " checkpoint (--trust_remote_code)");
    }

    @Test
    void aSwitchDoesNotSwallowTheModelBehindIt() {
        assertThat(run("serve", "--enable_chunked_prefill", directory.toString()))
                .isZero();
        assertThat(served.getFirst().model()).isEqualTo(directory);
        assertThat(served.getFirst().servedName())
                .isEqualTo(directory.getFileName().toString());
    }

    @Test
    void theFilesModelIsUsedWhereTheCommandLineNamesNone() throws IOException {
        Path file = Files.writeString(directory.resolve("serve.yaml"), "model: " + directory + "\n");
        assertThat(run("serve", "--config", file.toString())).isZero();
        assertThat(served.getFirst().model()).isEqualTo(directory);
    }

    @Test
    void checkPrintsWhatHoldsAndServesNothing() throws IOException {
        Path file = Files.writeString(directory.resolve("serve.yaml"), "max_batch_size: 48\n");
        assertThat(run("serve", "--check", "--config", file.toString(), "--max_num_tokens", "256"))
                .isZero();
        assertThat(out.toString())
                .containsPattern("max_batch_size: 48 +# .*serve.yaml:1")
                .containsPattern("max_num_tokens: 256 +# --max_num_tokens")
                .containsPattern("stream_interval: 1 +# default");
        assertThat(served).isEmpty();
    }

    @Test
    void configChecksAFileAndPrintsThePage() throws IOException {
        Path good = Files.writeString(directory.resolve("good.yaml"), "max_batch_size: 4\n");
        Path bad = Files.writeString(directory.resolve("bad.yaml"), "max_batch_size: 0\nmax_seq_len: 1\n");
        assertThat(run("config", good.toString())).isZero();
        assertThat(out.toString()).contains("max_batch_size: 4 ");
        assertThat(run("config", bad.toString())).isEqualTo(UserError.USAGE);
        assertThat(err.toString().lines()).hasSize(2).allMatch(l -> l.startsWith("config: max_"));
        assertThat(run("config", "--markdown")).isZero();
        assertThat(out.toString()).contains("# The configuration file");
    }

    @Test
    void aFaultThatAPersonCanMendIsItsMessageAndItsCode() {
        assertThat(run(
                        r -> {
                            throw new UserError(UserError.PORT, "serve: port 8000 is in use");
                        },
                        "serve",
                        directory.toString()))
                .isEqualTo(UserError.PORT);
        assertThat(err.toString()).isEqualTo("serve: port 8000 is in use" + System.lineSeparator());
    }

    @Test
    void aFaultOfTheProgramIsOneLineWithAHint() {
        assertThat(run(
                        r -> {
                            throw new IllegalStateException("two\nlines");
                        },
                        "serve",
                        directory.toString()))
                .isEqualTo(1);
        assertThat(err.toString())
                .isEqualTo("rondo: internal error: java.lang.IllegalStateException: two lines"
                        + " (RONDO_LOG_LEVEL=debug shows where)" + System.lineSeparator());
    }

    @Test
    void everyOptionMayBeWrittenBothWaysAndValuesAreLeftAlone() {
        CommandLine rondo = RondoCommand.commandLine(r -> 0, new Env(Map.of()));
        Spelling spelling = Spelling.of(rondo);
        assertThat(spelling.normalise(
                        "serve",
                        "--max-num-tokens=8",
                        "--record_traces",
                        "a_b-c",
                        "--nope_x",
                        "--",
                        "--max-num-tokens"))
                .containsExactly(
                        "serve",
                        "--max_num_tokens=8",
                        "--record-traces",
                        "a_b-c",
                        "--nope_x",
                        "--",
                        "--max-num-tokens");
    }
}
