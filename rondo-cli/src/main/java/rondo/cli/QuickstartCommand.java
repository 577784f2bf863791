package rondo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import rondo.agentx.BenchOptions;
import rondo.agentx.BenchResult;
import rondo.agentx.BenchRow;
import rondo.agentx.BenchRun;
import rondo.agentx.Progress;
import rondo.agentx.ServedPrompt;
import rondo.agentx.client.TargetOptions;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.report.BenchTable;
import rondo.agentx.report.ReportHtml;
import rondo.agentx.synth.SynthOptions;
import rondo.agentx.synth.TraceSynth;
import rondo.agentx.trace.Trace;
import rondo.base.Env;
import rondo.base.Json;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.cli.config.ConfigLoader;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo quickstart}: the whole main job on the bundled model: serve, replay, table, report. */
@Command(
        name = "quickstart",
        description = "Serves the bundled model, replays agent sessions against it and prints what was measured.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class QuickstartCommand implements Callable<Integer> {
    private static final List<Integer> SESSIONS = List.of(4, 8);
    private static final long SEED = 42;
    private static final int TURNS = 10;
    private static final int FIRST_PROMPT = 900;
    private static final int GROWTH = 90;
    /** Longest pause of an agent: the sessions are small, so are their pauses. */
    private static final double PAUSE_CAP_SECONDS = 0.5;

    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(names = "--json", paramLabel = "FILE", description = "Write the results there too, as JSON.")
    private Optional<Path> json = Optional.empty();

    @Option(names = "--model", paramLabel = "DIR", description = "Another model than the bundled one.")
    private Optional<Path> model = Optional.empty();

    @Option(
            names = "--output-artifact-dir",
            paramLabel = "DIR",
            description = "Default: artifacts/quickstart-<UTC stamp>.")
    private Optional<Path> artifacts = Optional.empty();

    private final Env env;
    private final TimeSource time = TimeSource.system();

    QuickstartCommand(Env env) {
        this.env = env;
    }

    @Override
    public Integer call() throws Exception {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        PrintWriter out = spec.commandLine().getOut();
        Path folder = artifacts.orElseGet(() -> Path.of("artifacts", "quickstart-" + Stamps.utc(Clock.systemUTC())));
        Path directory = model.orElseGet(QuickstartCommand::bundledModel);
        long begin = time.nanoTime();
        Logging.level("warning");
        ServeRequest request = new ServeRequest(
                directory, "quickstart", "localhost", 0, Optional.empty(), ConfigLoader.load(List.of()));
        List<BenchResult> results = new ArrayList<>();
        try (LocalServer server = LocalServer.start(request, env, time)) {
            out.printf(
                    "serving %s at %s (ready after %d ms)%n",
                    directory.getFileName(), server.url(), (time.nanoTime() - begin) / 1_000_000);
            out.flush();
            TerminalProgress progress = new TerminalProgress(out);
            warmUp(server, folder, progress);
            for (int sessions : SESSIONS) {
                results.add(replay(server, folder.resolve("sessions-" + sessions), sessions, SEED, progress));
                progress.end();
            }
        }
        Path report = folder.resolve("report.html");
        ReportHtml.write(report, results);
        double seconds = (time.nanoTime() - begin) / 1e9;
        List<String> violations = new ArrayList<>();
        results.forEach(r -> r.cacheCheck().ifPresent(c -> violations.addAll(c.violations())));
        if (json.isPresent()) {
            writeJson(json.get(), report, seconds, violations, results);
        }
        return tell(out, report, seconds, violations, results);
    }

    private static int tell(
            PrintWriter out, Path report, double seconds, List<String> violations, List<BenchResult> results) {
        List<BenchRow> rows = results.stream().map(BenchResult::row).toList();
        out.println();
        out.print(BenchTable.text(rows));
        results.forEach(r -> r.warnings().forEach(w -> out.println("warning: " + w)));
        violations.stream().limit(10).forEach(v -> out.println("cached tokens: " + v));
        int failed = rows.stream().mapToInt(BenchRow::failedRequests).sum();
        out.printf(
                "%nreport: %s%n%s in %.1f s%n",
                report.toAbsolutePath(),
                failed == 0 && violations.isEmpty()
                        ? "every request was answered, and every count of cached tokens is what its prompts allow"
                        : failed + " requests failed, " + violations.size() + " counts of cached tokens are wrong",
                seconds);
        out.flush();
        return failed == 0 && violations.isEmpty() ? 0 : 1;
    }

    /** A few short sessions that nobody counts, so that the numbers are those of compiled code. */
    private static void warmUp(LocalServer server, Path folder, TerminalProgress progress) {
        progress.note("warming up");
        replay(server, folder.resolve("warm-up"), 2, SEED + 1, Progress.SILENT);
    }

    private static BenchResult replay(LocalServer server, Path folder, int sessions, long seed, Progress progress) {
        List<Trace> traces = TraceSynth.make(SynthOptions.small(seed, sessions, TURNS, FIRST_PROMPT, GROWTH));
        TargetOptions target = TargetOptions.of(server.url(), "quickstart")
                .withExtraInputs(Map.of("ignore_eos", BooleanNode.TRUE));
        BenchOptions options = BenchOptions.builder(target, folder)
                .concurrency(sessions)
                .sessions(sessions)
                .interTurnDelayCapSeconds(PAUSE_CAP_SECONDS)
                .cacheBust(CacheBust.FIRST_TURN_PREFIX)
                .seed(seed)
                .tokensPerBlock(server.engine().info().tokensPerBlock())
                .command("rondo quickstart")
                .build();
        return new BenchRun(options, server.tokenizer(), server.servedPrompt()).run(traces, progress);
    }

    /** {@code models/glimmer-mini} of the installation that the launcher names, or of the working directory. */
    private static Path bundledModel() {
        Path home = Path.of(System.getProperty("rondo.home", ".")).resolve("models/glimmer-mini");
        if (!Files.isDirectory(home)) {
            throw new UserError(
                    UserError.MODEL, "model: the bundled model must be at " + home + "; give another with --model");
        }
        return home;
    }

    private static void writeJson(
            Path file, Path report, double seconds, List<String> violations, List<BenchResult> results)
            throws IOException {
        ObjectNode root = Json.mapper().createObjectNode();
        root.put("report", report.toString()).put("seconds", seconds);
        ObjectNode check = root.putObject("cached_check").put("ok", violations.isEmpty());
        violations.forEach(check.putArray("violations")::add);
        var runs = root.putArray("runs");
        results.forEach(r -> runs.add(r.row().json()));
        Path temporary = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(temporary, root.toPrettyString() + "\n");
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw new UserError(UserError.USAGE, "--json: cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
