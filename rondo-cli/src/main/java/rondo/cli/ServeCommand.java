package rondo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import rondo.base.UserError;
import rondo.cli.config.ByteSize;
import rondo.cli.config.ConfigLoader;
import rondo.cli.config.FlagValue;
import rondo.cli.config.Notice;
import rondo.cli.config.ServeConfig;

/** {@code rondo serve MODEL}: reads flags and file, then hands over to {@link Serving}. */
@Command(
        name = "serve",
        description = "Serves a model with an OpenAI-compatible API.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        sortOptions = false,
        abbreviateSynopsis = true,
        footer = {
            "",
            "Flags that name a key of the configuration file win over the file.",
            "Underscores and dashes are the same.",
            "RONDO_API_KEY in the environment is a key that clients must send (docs/serving.md).",
            "Exit codes: 0 clean, 1 device lost or internal error, 2 configuration or usage,",
            "3 model cannot be loaded, 4 out of memory at start, 5 port in use."
        })
final class ServeCommand implements Callable<Integer> {
    private static final Logger LOG = LoggerFactory.getLogger("rondo");

    private final Serving serving;

    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "Directory of the model.")
    private Optional<String> model = Optional.empty();

    @Option(
            names = "--host",
            paramLabel = "ADDRESS",
            defaultValue = "localhost",
            description = "Default: ${DEFAULT-VALUE}.")
    private String host = "localhost";

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "8000",
            description = "Default: ${DEFAULT-VALUE}; 0 = a free one.")
    private int port = 8000;

    @Option(
            names = {"--config", "--extra_llm_api_options"},
            paramLabel = "FILE",
            description = "Configuration file, YAML (docs/configuration.md).")
    private Optional<Path> config = Optional.empty();

    @Option(
            names = "--served_model_name",
            paramLabel = "ID",
            description = "Id of the model in the API; default: the directory's name.")
    private Optional<String> servedName = Optional.empty();

    @Option(names = "--chat_template", paramLabel = "FILE|TEXT", description = "Replaces the checkpoint's template.")
    private Optional<String> chatTemplate = Optional.empty();

    @Option(
            names = "--log_level",
            paramLabel = "LEVEL",
            description = "internal_error, error, warning, info (default), verbose, debug or trace.")
    private Optional<String> logLevel = Optional.empty();

    @Option(
            names = "--check",
            description = "Check the configuration, print what holds and where it comes from, and end.")
    private boolean check;

    @Option(
            names = "--print_capacity",
            description = "Tell how many sessions of which length fit where, by config.json alone, and end.")
    private boolean printCapacity;

    @Option(names = "--json", description = "With --print_capacity: print JSON.")
    private boolean json;

    @Option(
            names = {"--device_memory", "--gpu_memory"},
            paramLabel = "BYTES",
            description = "With --check or --print_capacity: plan for a device with so much memory (141GB, 80GiB)"
                    + " instead of this machine.")
    private Optional<String> deviceMemory = Optional.empty();

    @Option(names = "--simulate", hidden = true, description = "Not built yet.")
    private boolean notBuilt;

    @Option(names = "--record-traces", hidden = true, paramLabel = "DIR", description = "Not built yet.")
    private Optional<String> recordTraces = Optional.empty();

    private ServeCommand(Serving serving) {
        this.serving = serving;
    }

    static CommandLine commandLine(Serving serving) {
        CommandLine serve = new CommandLine(new ServeCommand(serving));
        ServeFlags.addTo(serve.getCommandSpec());
        return serve;
    }

    @Override
    public Integer call() throws Exception {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        CommandLine command = spec.commandLine();
        usage(command);
        logLevel.ifPresent(Logging::level);
        List<FlagValue> flags = ServeFlags.given(command.getParseResult());
        ServeConfig settings = config.isPresent()
                ? ConfigLoader.load(config.get(), flags, this::againstTheModel)
                : ConfigLoader.load(flags, this::againstTheModel);
        if (logLevel.isEmpty()) {
            Optional.ofNullable(settings.operator().environment().get("RONDO_LOG_LEVEL"))
                    .ifPresent(Logging::level);
        }
        settings.notices().forEach(ServeCommand::log);
        if (check || printCapacity) {
            PrintWriter out = command.getOut();
            out.print(printCapacity ? capacity(command, settings) : checked(settings));
            out.flush();
            return 0;
        }
        return serving.serve(request(command, settings));
    }

    /** What the model's {@code config.json} says to the file, where there is one; what is wrong with it is told later. */
    private List<String> againstTheModel(ServeConfig settings) {
        Optional<String> text = model.or(() -> settings.model().path());
        try {
            return text.isPresent() && Files.isRegularFile(Path.of(text.get(), "config.json"))
                    ? ModelRules.problems(settings, Path.of(text.get()), bytesOfDevice())
                    : List.of();
        } catch (InvalidPathException e) {
            return List.of();
        }
    }

    private String capacity(CommandLine command, ServeConfig settings) {
        CapacityReport report = new CapacityReport(Outlook.of(modelPath(command, settings), settings, bytesOfDevice()));
        return json ? report.json() : report.text();
    }

    /** What holds; with a model, what its {@code config.json} says to it too. */
    private String checked(ServeConfig settings) {
        Optional<String> directory = model.or(() -> settings.model().path());
        if (directory.isEmpty()) {
            return settings.effective().yaml();
        }
        MemoryPlan plan = Outlook.of(directory(directory.get()), settings, bytesOfDevice())
                .plan();
        return settings.settled(plan.maxSeqLen(), "config.json: " + plan.lengthReason())
                .yaml();
    }

    private OptionalLong bytesOfDevice() {
        return deviceMemory.isPresent() ? ByteSize.parse(deviceMemory.get()) : OptionalLong.empty();
    }

    private void usage(CommandLine command) {
        if (notBuilt || recordTraces.isPresent()) {
            throw new ParameterException(
                    command, "--simulate and --record-traces are not supported by rondo: not built yet");
        }
        if (json && !printCapacity) {
            throw new ParameterException(command, "--json goes with --print_capacity");
        }
        if (deviceMemory.isPresent() && !check && !printCapacity) {
            throw new ParameterException(command, "--device_memory goes with --check or --print_capacity");
        }
        if (deviceMemory.isPresent() && ByteSize.parse(deviceMemory.get()).orElse(0) <= 0) {
            throw new ParameterException(
                    command,
                    "--device_memory must be a number of bytes (an integer, or like '141GB'), got '"
                            + deviceMemory.get() + "'");
        }
        if (host.isBlank()) {
            throw new ParameterException(command, "--host must be an address or a name, got ''");
        }
        if (servedName.isPresent() && servedName.get().isBlank()) {
            throw new ParameterException(command, "--served_model_name must not be empty");
        }
        if (port < 0 || port > 65535) {
            throw new ParameterException(command, "--port must be >= 0 and <= 65535, got " + port);
        }
        if (logLevel.isPresent() && !Logging.LEVELS.contains(logLevel.get())) {
            throw new ParameterException(
                    command,
                    "--log_level must be one of " + String.join(", ", Logging.LEVELS) + ", got '" + logLevel.get()
                            + "'");
        }
    }

    private ServeRequest request(CommandLine command, ServeConfig settings) throws IOException {
        Path path = modelPath(command, settings);
        String name = servedName.orElseGet(() -> nameOf(path));
        Optional<String> template = Optional.empty();
        if (chatTemplate.isPresent()) {
            template = Optional.of(template(chatTemplate.get()));
        }
        return new ServeRequest(path, name, host, port, template, settings);
    }

    private Path modelPath(CommandLine command, ServeConfig settings) {
        return directory(model.or(() -> settings.model().path())
                .orElseThrow(() -> new ParameterException(command, "Missing required parameter: 'MODEL'")));
    }

    private static Path directory(String text) {
        try {
            Path path = Path.of(text);
            if (Files.isDirectory(path)) {
                return path;
            }
        } catch (InvalidPathException e) {
            // falls through to the one message
        }
        throw new UserError(UserError.MODEL, "model: MODEL must be a local directory, got '" + text + "'");
    }

    private static String nameOf(Path model) {
        Path name = model.toAbsolutePath().normalize().getFileName();
        return name == null ? "model" : name.toString();
    }

    /** A file's text where the argument names one, else the argument itself. */
    private static String template(String fileOrText) throws IOException {
        boolean text = fileOrText.contains("{") || fileOrText.contains("\n");
        if (text) {
            return fileOrText;
        }
        Path file = Path.of(fileOrText);
        if (!Files.isRegularFile(file)) {
            throw new UserError(
                    UserError.USAGE,
                    "--chat_template must be a file or the text of a template, got '" + fileOrText + "'");
        }
        return Files.readString(file);
    }

    private static void log(Notice notice) {
        switch (notice.level()) {
            case INFO -> LOG.info("{}", notice.text());
            case WARN -> LOG.warn("{}", notice.text());
        }
    }
}
