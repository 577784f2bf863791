package rondo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import rondo.agentx.BenchOptions;
import rondo.agentx.BenchResult;
import rondo.agentx.BenchRow;
import rondo.agentx.BenchRun;
import rondo.agentx.Progress;
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
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.BooleanNode;
import tools.jackson.databind.node.ObjectNode;

/** Serve, replay, measure, report: synthetic agent sessions against a server in this process. */
final class Quickstart {
    private static final String NAME = "quickstart";
    private static final long SEED = 42;
    private static final int TURNS = 10;
    private static final int FIRST_PROMPT = 900;
    private static final int GROWTH = 90;
    /** Longest pause of an agent: the sessions are small, so are their pauses. */
    private static final double PAUSE_CAP_SECONDS = 0.5;

    private final Env env;
    private final TimeSource time;
    private final List<Integer> sessions;

    /** @param sessions one run each, with so many sessions at a time */
    Quickstart(Env env, TimeSource time, List<Integer> sessions) {
        this.env = env;
        this.time = time;
        this.sessions = List.copyOf(sessions);
    }

    /**
     * What came of it.
     *
     * @param violations counts of cached tokens that the prompts do not allow
     */
    record Outcome(Path report, double seconds, List<String> violations, List<BenchResult> results) {
        int failedRequests() {
            return results.stream().mapToInt(r -> r.row().failedRequests()).sum();
        }

        boolean ok() {
            return failedRequests() == 0
                    && violations.isEmpty()
                    && results.stream().noneMatch(BenchResult::cancelled);
        }

        ObjectNode json() {
            ObjectNode root = Json.mapper().createObjectNode();
            root.put("report", report.toString()).put("seconds", seconds);
            ObjectNode check = root.putObject("cached_check").put("ok", violations.isEmpty());
            violations.forEach(check.putArray("violations")::add);
            ArrayNode runs = root.putArray("runs");
            results.forEach(r -> runs.add(r.row().json()));
            return root;
        }
    }

    /** Runs it all, telling on {@code out}; artifacts go below {@code folder}. */
    Outcome run(Path model, Path folder, PrintWriter out) {
        long begin = time.nanoTime();
        Logging.level("warning");
        List<BenchResult> results = new ArrayList<>();
        TerminalProgress progress = new TerminalProgress(out);
        try (LocalServer server = LocalServer.start(request(model, isBundled(model)), env, time)) {
            progress.note("serving %s at %s, ready after %d ms"
                    .formatted(model.getFileName(), server.url(), (time.nanoTime() - begin) / 1_000_000));
            // A few short sessions that nobody counts, so that the numbers are those of compiled code.
            progress.note("warming up");
            replay(server, folder.resolve("warm-up"), 2, SEED + 1, Progress.SILENT);
            for (int count : sessions) {
                results.add(replay(server, folder.resolve("sessions-" + count), count, SEED, progress));
                progress.end();
            }
        }
        Path report = folder.resolve("report.html");
        ReportHtml.write(report, results);
        List<String> violations = new ArrayList<>();
        results.forEach(r -> r.cacheCheck().ifPresent(c -> violations.addAll(c.violations())));
        Outcome outcome = new Outcome(report, (time.nanoTime() - begin) / 1e9, List.copyOf(violations), results);
        tell(outcome, out);
        return outcome;
    }

    /**
     * Half of the bundled model's cache for its sliding layers, and all window pages kept alike: its synthetic agents
     * edit what they said up to a turn ago, and no prefix of theirs should be evicted even on a small machine.
     */
    static ServeRequest request(Path model, boolean bundled) {
        String yaml = bundled
                ? "kv_cache_config: {pool_ratio: [0.5, 0.5], block_reuse_config: {swa_endpoint_rewind_tokens: 0}}"
                : "";
        return new ServeRequest(
                model, NAME, "localhost", 0, Optional.empty(), ConfigLoader.parse(NAME, yaml, List.of()));
    }

    /** Fails now, and not after minutes, where the results could not be written. */
    private static void writable(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UserError(UserError.USAGE, "quickstart: cannot write to " + folder + ": " + e.getMessage(), e);
        }
        if (!Files.isWritable(folder)) {
            throw new UserError(UserError.USAGE, "quickstart: cannot write to " + folder + ": no permission");
        }
    }

    private static void tell(Outcome outcome, PrintWriter out) {
        List<BenchRow> rows = outcome.results().stream().map(BenchResult::row).toList();
        out.println();
        out.print(BenchTable.text(rows));
        outcome.results().forEach(r -> r.warnings().forEach(w -> out.println("warning: " + w)));
        outcome.results().forEach(r -> BenchErrors.tell(r, out));
        outcome.violations().stream().limit(10).forEach(v -> out.println("cached tokens: " + v));
        out.println();
        out.println("report: " + outcome.report().toAbsolutePath());
        out.printf(
                "%s (%.1f s)%n",
                outcome.ok()
                        ? "every request was answered, and every count of cached tokens is what its prompts allow"
                        : outcome.failedRequests() + " requests failed, "
                                + outcome.violations().size() + " counts of cached tokens are wrong",
                outcome.seconds());
        out.flush();
    }

    private static BenchResult replay(LocalServer server, Path folder, int sessions, long seed, Progress progress) {
        List<Trace> traces = TraceSynth.make(SynthOptions.small(seed, sessions, TURNS, FIRST_PROMPT, GROWTH));
        TargetOptions target =
                TargetOptions.of(server.url(), NAME).withExtraInputs(Map.of("ignore_eos", BooleanNode.TRUE));
        BenchOptions options = BenchOptions.builder(target, folder)
                .concurrency(sessions)
                .sessions(sessions)
                .interTurnDelayCapSeconds(PAUSE_CAP_SECONDS)
                .cacheBust(CacheBust.FIRST_TURN_PREFIX)
                .seed(seed)
                .tokensPerBlock(server.engine().info().tokensPerBlock())
                .command("rondo quickstart")
                .build();
        BenchRun run = new BenchRun(options, server.tokenizer(), server.servedPrompt());
        try (Interrupts interrupts = Interrupts.handledBy(run::cancel)) {
            BenchResult result = run.run(traces, progress);
            interrupts.done();
            return result;
        }
    }

    /** {@code models/glimmer-mini} of the installation that the launcher names, or of the working directory. */
    static Path bundledModel() {
        Path home = bundledPath();
        if (!Files.isDirectory(home)) {
            throw new UserError(
                    UserError.MODEL, "model: the bundled model must be at " + home + "; give another with --model");
        }
        return home;
    }

    private static Path bundledPath() {
        return Path.of(System.getProperty("rondo.home", ".")).resolve("models/glimmer-mini");
    }

    private static boolean isBundled(Path model) {
        try {
            return Files.isSameFile(model, bundledPath());
        } catch (IOException e) {
            return false; // one of them is not there; loading says so
        }
    }
}
