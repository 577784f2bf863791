package rondo.cli;

import java.io.PrintWriter;
import java.net.URI;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import rondo.agentx.BenchOptions;
import rondo.agentx.BenchResult;
import rondo.agentx.BenchRun;
import rondo.agentx.ServedPrompt;
import rondo.agentx.client.TargetOptions;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.PlanOptions.SpawnAnchor;
import rondo.agentx.report.BenchTable;
import rondo.agentx.report.ReportHtml;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.SubagentTime;
import rondo.agentx.trace.TraceReader;
import rondo.agentx.trace.TraceSelection;
import rondo.base.Json;
import rondo.base.TokenIds;
import rondo.text.HuggingFaceTokenizer;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** {@code rondo bench}: replays traces against any OpenAI-compatible server and prints the table. */
@Command(
        name = "bench",
        description = "Replays agentic coding traces against an OpenAI-compatible server and measures it.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Example: rondo bench --url http://localhost:8000 --tokenizer models/glimmer-mini --input-file traces.jsonl"
        })
final class BenchCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(names = "--url", paramLabel = "URL", description = "Server, repeatable. Default: http://localhost:8000.")
    private List<URI> urls = List.of();

    @Option(names = "--model", paramLabel = "NAME", description = "Served model, repeatable. Default: the only one.")
    private List<String> models = List.of();

    @Option(names = "--api-key", paramLabel = "KEY", description = "Sent as Authorization: Bearer.")
    private Optional<String> apiKey = Optional.empty();

    @Option(
            names = "--tokenizer",
            required = true,
            paramLabel = "DIR",
            description = "Directory with the served model's tokenizer.json.")
    private Path tokenizer = Path.of(".");

    @Option(
            names = "--input-file",
            required = true,
            paramLabel = "PATH",
            description = "Traces: a .json or .jsonl file, either with .gz, or a directory of such files.")
    private Path input = Path.of(".");

    @Option(names = "--num-dataset-entries", paramLabel = "N", description = "The first N traces that fit.")
    private Optional<Integer> entries = Optional.empty();

    @Option(names = "--max-context-length", paramLabel = "N", description = "Only traces whose peak fits, tokens.")
    private Optional<Integer> maxContext = Optional.empty();

    @Option(names = "--synthesis-max-osl", paramLabel = "N", description = "Cap of output tokens per request.")
    private Optional<Integer> maxOutput = Optional.empty();

    @Option(names = "--synthesis-max-isl", paramLabel = "N", description = "Drop requests with longer prompts.")
    private Optional<Integer> maxInput = Optional.empty();

    @Option(
            names = "--scale-context",
            paramLabel = "F",
            defaultValue = "1",
            description = "Keep every F-th block: the same sessions, F times shorter, for small servers.")
    private int scale = 1;

    @Option(
            names = "--concurrency",
            paramLabel = "N",
            defaultValue = "1",
            description = "Session trees alive at all times. Default: ${DEFAULT-VALUE}.")
    private int concurrency = 1;

    @Option(
            names = "--benchmark-duration",
            paramLabel = "S",
            description = "Seconds in which new requests are sent. Default: until every trace was played once.")
    private Optional<Double> duration = Optional.empty();

    @Option(
            names = "--benchmark-grace-period",
            paramLabel = "S",
            defaultValue = "30",
            description = "Seconds that requests in flight get after that. Default: ${DEFAULT-VALUE}.")
    private double grace = 30;

    @Option(names = "--ignore-trace-delays", description = "Send every turn at once when it may be sent.")
    private boolean ignoreDelays;

    @Option(names = "--inter-turn-delay-cap-seconds", paramLabel = "S", description = "Cap of each pause.")
    private Optional<Double> delayCap = Optional.empty();

    @Option(names = "--trace-idle-gap-cap-seconds", paramLabel = "S", description = "Cap of a tree's idle time.")
    private Optional<Double> traceIdleCap = Optional.empty();

    @Option(names = "--system-idle-gap-cap-seconds", paramLabel = "S", description = "Cap of the whole idle time.")
    private Optional<Double> systemIdleCap = Optional.empty();

    @Option(
            names = "--cache-bust",
            paramLabel = "TARGET",
            defaultValue = "none",
            description = "Where each play gets a unique marker: none, system_prefix, system_suffix,"
                    + " first_turn_prefix, first_turn_suffix.")
    private String cacheBust = "none";

    @Option(names = "--allow-dataset-wrap", description = "More lanes than traces, without a marker.")
    private boolean allowWrap;

    @Option(names = "--random-seed", paramLabel = "N", description = "Seed of everything. Default: a fresh one.")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--extra-inputs",
            paramLabel = "KEY:VALUE",
            description = "Added to every request body, repeatable; ignore_eos:true makes output lengths exact.")
    private List<String> extraInputs = List.of();

    @Option(names = "--subagent-time", paramLabel = "RULE", defaultValue = "auto", description = "auto, spawn or end.")
    private String subagentTime = "auto";

    @Option(names = "--spawn-anchor", paramLabel = "RULE", defaultValue = "branch", description = "branch, parent-end.")
    private String spawnAnchor = "branch";

    @Option(names = "--failed-request-threshold", paramLabel = "SHARE", description = "Cancel above it.")
    private Optional<Double> failedThreshold = Optional.empty();

    @Option(
            names = "--request-timeout-seconds",
            paramLabel = "S",
            defaultValue = "3600",
            description = "Default: ${DEFAULT-VALUE}.")
    private double requestTimeout = 3600;

    @Option(
            names = "--tokens-per-block",
            paramLabel = "N",
            description = "Check the server's cached-token counts against its block size. Default: what a Rondo says.")
    private Optional<Integer> tokensPerBlock = Optional.empty();

    @Option(names = "--allow-drift", description = "Run although the tokenizer does not give back its own words.")
    private boolean allowDrift;

    @Option(names = "--gpus", paramLabel = "N", defaultValue = "1", description = "Devices of the server.")
    private int gpus = 1;

    @Option(names = "--output-artifact-dir", paramLabel = "DIR", description = "Default: artifacts/bench-<UTC>.")
    private Optional<Path> artifacts = Optional.empty();

    @Option(
            names = {"--streaming", "--use-server-token-count"},
            description = "Always so; accepted for the sake of scripts.")
    private boolean always;

    @Option(
            names = {"--scenario", "--warmup-requests-per-lane", "--num-profile-runs", "--public-dataset"},
            hidden = true,
            paramLabel = "VALUE",
            description = "Not built yet.")
    private Optional<String> notBuilt = Optional.empty();

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        CommandLine command = spec.commandLine();
        if (notBuilt.isPresent()) {
            throw new ParameterException(
                    command,
                    "--scenario, --warmup-requests-per-lane, --num-profile-runs and --public-dataset are not supported"
                            + " by rondo: not built yet");
        }
        urls.forEach(url -> address(command, url));
        PrintWriter out = command.getOut();
        TraceReader.Loaded traces = TraceReader.read(input);
        traces.warnings().forEach(w -> out.println("warning: " + w));
        List<URI> servers = urls.isEmpty() ? List.of(URI.create("http://localhost:8000")) : urls;
        ServerProbe probe = models.isEmpty()
                ? ServerProbe.of(servers.getFirst(), apiKey)
                : new ServerProbe(models.getFirst(), OptionalInt.empty());
        BenchOptions options = options(command, servers, probe);
        try (HuggingFaceTokenizer words = HuggingFaceTokenizer.load(tokenizer)) {
            BenchRun run = new BenchRun(
                    options,
                    words,
                    options.tokensPerBlock().isPresent()
                            ? ServedPrompt.of(tokenizer, words)
                            : messages -> TokenIds.empty());
            BenchResult result;
            try (Interrupts interrupts = Interrupts.handledBy(run::cancel)) {
                result = run.run(traces.traces(), new TerminalProgress(out));
                interrupts.done();
            }
            Path report = options.artifacts().resolve("report.html");
            ReportHtml.write(report, List.of(result));
            out.println();
            out.print(BenchTable.text(List.of(result.row())));
            result.warnings().forEach(w -> out.println("warning: " + w));
            BenchErrors.tell(result, out);
            result.reasons().forEach(r -> out.println("not valid: " + r));
            result.cacheCheck()
                    .ifPresent(c -> c.violations().stream().limit(10).forEach(v -> out.println("cached tokens: " + v)));
            out.println("report: " + report);
            out.flush();
            return result.cancelled() || BenchErrors.allFailed(result) ? 1 : 0;
        }
    }

    private static void address(CommandLine command, URI url) {
        boolean web = "http".equalsIgnoreCase(url.getScheme()) || "https".equalsIgnoreCase(url.getScheme());
        if (!web || url.getHost() == null) {
            throw new ParameterException(command, "--url must be http://HOST:PORT or https://HOST, got '" + url + "'");
        }
    }

    private BenchOptions options(CommandLine command, List<URI> servers, ServerProbe probe) {
        TargetOptions one = TargetOptions.of(servers.getFirst(), probe.model());
        TargetOptions target = new TargetOptions(
                servers,
                models.isEmpty() ? List.of(probe.model()) : models,
                apiKey,
                Map.of(),
                one.sessionHeader(),
                one.affinityHeaders(),
                one.legacyMaxTokens(),
                extras(command),
                one.perChunkUsage(),
                seconds(command, "--request-timeout-seconds", requestTimeout),
                one.keepAlive(),
                one.overflowPhrases());
        Path folder = artifacts.orElseGet(() -> Path.of("artifacts", "bench-" + Stamps.utc(Clock.systemUTC())));
        BenchOptions.Builder b = BenchOptions.builder(target, folder)
                .selection(new TraceSelection(
                        optional(maxContext), optional(entries), optional(maxOutput), optional(maxInput)))
                .plan(PlanOptions.defaults()
                        .withScale(new ContextScale(scale))
                        .withSubagentTime(choice(command, "--subagent-time", SubagentTime.class, subagentTime))
                        .withSpawnAnchor(choice(command, "--spawn-anchor", SpawnAnchor.class, spawnAnchor)))
                .concurrency(concurrency)
                .grace(seconds(command, "--benchmark-grace-period", grace))
                .ignoreTraceDelays(ignoreDelays)
                .cacheBust(choice(command, "--cache-bust", CacheBust.class, cacheBust))
                .allowDatasetWrap(allowWrap)
                .seed(seed.orElseGet(() -> ThreadLocalRandom.current().nextLong(Long.MAX_VALUE)))
                .allowDrift(allowDrift)
                .gpus(gpus)
                .command("rondo " + String.join(" ", command.getParseResult().originalArgs()));
        duration.ifPresent(s -> b.duration(seconds(command, "--benchmark-duration", s)));
        delayCap.ifPresent(b::interTurnDelayCapSeconds);
        traceIdleCap.ifPresent(b::traceIdleGapCapSeconds);
        systemIdleCap.ifPresent(b::systemIdleGapCapSeconds);
        failedThreshold.ifPresent(b::failedRequestThreshold);
        tokensPerBlock
                .or(() -> probe.tokensPerBlock().stream().boxed().findFirst())
                .ifPresent(b::tokensPerBlock);
        return b.build();
    }

    private Map<String, JsonNode> extras(CommandLine command) {
        Map<String, JsonNode> out = new LinkedHashMap<>();
        for (String extra : extraInputs) {
            int colon = extra.indexOf(':');
            if (colon < 1) {
                throw new ParameterException(command, "--extra-inputs must be KEY:VALUE, got '" + extra + "'");
            }
            String value = extra.substring(colon + 1);
            JsonNode node;
            try {
                node = Json.mapper().readTree(value);
            } catch (JacksonException e) {
                node = Json.mapper().valueToTree(value);
            }
            out.put(extra.substring(0, colon), node);
        }
        return out;
    }

    private static Duration seconds(CommandLine command, String flag, double value) {
        if (!(value >= 0) || value > 1e8) {
            throw new ParameterException(command, flag + " must be >= 0 and <= 1e8 seconds, got " + value);
        }
        return Duration.ofNanos((long) (value * 1e9));
    }

    private static <E extends Enum<E>> E choice(CommandLine command, String flag, Class<E> type, String text) {
        for (E value : type.getEnumConstants()) {
            if (value.name().equals(text.toUpperCase(Locale.ROOT).replace('-', '_'))) {
                return value;
            }
        }
        List<String> names = List.of(type.getEnumConstants()).stream()
                .map(v -> v.name().toLowerCase(Locale.ROOT))
                .toList();
        throw new ParameterException(
                command, flag + " must be one of " + String.join(", ", names) + ", got '" + text + "'");
    }

    private static OptionalInt optional(Optional<Integer> value) {
        return value.stream().mapToInt(Integer::intValue).findFirst();
    }
}
