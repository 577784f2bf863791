package rondo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import rondo.agentx.plan.Marker.CacheBust;
import rondo.agentx.plan.PlanOptions;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.SessionPlanner;
import rondo.agentx.replay.ReplayOptions;
import rondo.agentx.trace.ContextScale;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceReader;
import rondo.agentx.trace.TraceSelection;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.cli.config.ConfigLoader;
import rondo.cli.config.FlagValue;
import rondo.cli.config.ServeConfig;
import rondo.model.ModelShape;
import rondo.sim.CostModel;

/** {@code rondo simulate}: replays traces through the real scheduler and memory under virtual time, without a device. */
@Command(
        name = "simulate",
        description = "Replays traces through the real scheduler and KV cache under virtual time; no model is loaded.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Flags that name a key of the configuration file win over the file (rondo serve --help lists them).",
            "ByteSize take B, KiB, MiB, GiB, TiB; all units are binary.",
            "Example: rondo simulate --traces traces.jsonl --model models/muse-glimmer-30b --config serve.yaml"
        })
final class SimulateCommand implements Callable<Integer> {
    /** An H200, sold as 141 GB. */
    private static final String DEFAULT_GPU = "143771MiB";
    /** What a step needs beside weights and KV cache: activations of the largest step, logits, graphs. */
    private static final long WORK_BYTES = 2L << 30;

    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Option(
            names = {"--traces", "--input-file"},
            required = true,
            paramLabel = "PATH",
            description = "Traces: a .json or .jsonl file, either with .gz, or a directory of such files.")
    private Path input = Path.of(".");

    @Option(
            names = "--model",
            required = true,
            paramLabel = "PATH",
            description = "A config.json, or the directory that holds it; nothing else of it is read.")
    private Path model = Path.of(".");

    @Option(
            names = {"--config", "--extra_llm_api_options"},
            paramLabel = "FILE",
            description = "Configuration file as for rondo serve.")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = {"--sessions", "--lanes", "--concurrency"},
            paramLabel = "N",
            defaultValue = "48",
            description = "Session trees alive at all times. Default: ${DEFAULT-VALUE}.")
    private int sessions = 48;

    @Option(names = "--plays", paramLabel = "N", description = "Sessions in all. Default: every trace once.")
    private Optional<Integer> plays = Optional.empty();

    @Option(
            names = "--gpu-memory",
            paramLabel = "SIZE",
            defaultValue = DEFAULT_GPU,
            description = "Memory of the device, weights included. Default: ${DEFAULT-VALUE}, an H200.")
    private String gpuMemory = DEFAULT_GPU;

    @Option(
            names = "--device-bytes",
            paramLabel = "SIZE",
            description = "Memory of the KV cache itself; then --gpu-memory and all bounds of the file have no effect.")
    private Optional<String> deviceBytes = Optional.empty();

    @Option(
            names = "--continued",
            description = "Every next prompt goes on from the simulated reply, as a real agent's does. Default: replies"
                    + " are discarded, as AgentX does.")
    private boolean continued;

    @Option(names = "--num-dataset-entries", paramLabel = "N", description = "The first N traces that fit.")
    private Optional<Integer> entries = Optional.empty();

    @Option(names = "--max-context-length", paramLabel = "N", description = "Only traces whose peak fits, tokens.")
    private Optional<Integer> maxContext = Optional.empty();

    @Option(names = "--scale-context", paramLabel = "F", defaultValue = "1", description = "Keep every F-th block.")
    private int scale = 1;

    @Option(names = "--ignore-trace-delays", description = "Send every turn at once when it may be sent.")
    private boolean ignoreDelays;

    @Option(names = "--inter-turn-delay-cap-seconds", paramLabel = "S", description = "Cap of each pause.")
    private Optional<Double> delayCap = Optional.empty();

    @Option(names = "--trace-idle-gap-cap-seconds", paramLabel = "S", description = "Cap of a tree's idle time.")
    private Optional<Double> traceIdleCap = Optional.empty();

    @Option(names = "--system-idle-gap-cap-seconds", paramLabel = "S", description = "Cap of the whole idle time.")
    private Optional<Double> systemIdleCap = Optional.empty();

    @Option(names = "--random-seed", paramLabel = "N", defaultValue = "42", description = "Default: ${DEFAULT-VALUE}.")
    private long seed = 42;

    @Option(names = "--json", description = "Print one JSON object instead of the table.")
    private boolean json;

    static CommandLine commandLine() {
        CommandLine simulate = new CommandLine(new SimulateCommand());
        ServeFlags.addTo(simulate.getCommandSpec());
        return simulate;
    }

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        CommandLine command = spec.commandLine();
        atLeastOne(command, "--sessions", sessions);
        plays.ifPresent(n -> atLeastOne(command, "--plays", n));
        PrintWriter out = command.getOut();
        List<FlagValue> flags = ServeFlags.given(command.getParseResult());
        ServeConfig settings = config.isPresent() ? ConfigLoader.load(config.get(), flags) : ConfigLoader.load(flags);
        ModelShape shape = ModelShape.read(model, LocalServer.modelOptions(settings));
        MemoryPlan memory = MemoryPlan.of(settings, shape.facts(), kvBytes(command, settings, shape));
        List<SessionPlan> plans = plans(out);
        Simulation simulation = new Simulation(new Simulation.Setup(
                settings,
                shape.facts(),
                memory,
                CostModel.museGlimmer30bOnH200(),
                plans,
                plays.orElse(plans.size()),
                replay(),
                continued,
                seed));
        SimulationResult result = simulation.run(TimeSource.system());
        SimulationReport report = new SimulationReport(result, memory, sessions);
        out.print(json ? report.json() : report.text());
        out.flush();
        return result.summary().requests() == 0 ? 1 : 0;
    }

    private long kvBytes(CommandLine command, ServeConfig settings, ModelShape shape) {
        if (deviceBytes.isPresent()) {
            return size(command, "--device-bytes", deviceBytes.get());
        }
        long gpu = size(command, "--gpu-memory", gpuMemory);
        long free = gpu - shape.weightBytes() - WORK_BYTES;
        if (free <= 0) {
            throw new UserError(
                    UserError.MEMORY,
                    "--gpu-memory must be > " + ByteSize.show(shape.weightBytes() + WORK_BYTES)
                            + " (weights and work buffers), got " + gpuMemory);
        }
        return MemoryPlan.share(settings.kv(), shape.facts().layout(), free);
    }

    private List<SessionPlan> plans(PrintWriter out) {
        TraceReader.Loaded traces = TraceReader.read(input);
        List<String> warnings = new ArrayList<>(traces.warnings());
        ContextScale factor = new ContextScale(scale);
        PlanOptions options = PlanOptions.defaults().withScale(factor);
        TraceSelection selection =
                new TraceSelection(optional(maxContext), optional(entries), OptionalInt.empty(), OptionalInt.empty());
        List<SessionPlan> plans = new ArrayList<>();
        for (Trace trace : selection.apply(traces.traces(), factor)) {
            SessionPlanner.Planned planned = SessionPlanner.plan(trace, options);
            plans.add(planned.plan());
            warnings.addAll(planned.warnings());
        }
        if (!json) {
            warnings.forEach(w -> out.println("warning: " + w));
        }
        return plans;
    }

    private ReplayOptions replay() {
        return new ReplayOptions(
                sessions,
                Optional.empty(),
                Duration.ZERO,
                ignoreDelays,
                seconds(delayCap),
                seconds(traceIdleCap),
                seconds(systemIdleCap),
                CacheBust.NONE,
                "");
    }

    private static void atLeastOne(CommandLine command, String flag, int value) {
        if (value < 1) {
            throw new ParameterException(command, flag + " must be >= 1, got " + value);
        }
    }

    private static long size(CommandLine command, String flag, String text) {
        OptionalLong bytes = ByteSize.parse(text);
        if (bytes.isEmpty() || bytes.getAsLong() < 1) {
            throw new ParameterException(
                    command, flag + " must be a size such as 80GiB or a number of bytes, got '" + text + "'");
        }
        return bytes.getAsLong();
    }

    private static OptionalDouble seconds(Optional<Double> value) {
        return value.stream().mapToDouble(Double::doubleValue).findFirst();
    }

    private static OptionalInt optional(Optional<Integer> value) {
        return value.stream().mapToInt(Integer::intValue).findFirst();
    }
}
