package rondo.cli;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import rondo.cli.config.ConfigLoader;
import rondo.cli.config.ServeConfig;
import rondo.model.Inspection;
import rondo.model.ModelLoader;
import rondo.text.ChatTemplate;
import rondo.text.HuggingFaceTokenizer;

/** {@code rondo inspect MODEL}: what a checkpoint holds and whether it can be served, by its headers alone. */
@Command(
        name = "inspect",
        description = "Accounts for every tensor of a model and shows its sizes; loads no weights.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        sortOptions = false,
        footer = {"", "Exit codes: 0 the model can be served, 2 configuration or usage, 3 it cannot be loaded."})
final class InspectCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Parameters(index = "0", paramLabel = "MODEL", description = "Directory of the model.")
    private String model = "";

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Count as with this configuration file: KV type, windows, block size, parsers.")
    private Optional<Path> config = Optional.empty();

    @Option(names = "--json", description = "Print JSON.")
    private boolean json;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        CommandLine command = spec.commandLine();
        Path directory = directory(command);
        ServeConfig settings =
                config.isPresent() ? ConfigLoader.load(config.get(), List.of()) : ConfigLoader.load(List.of());
        Inspection seen = ModelLoader.inspect(directory, LocalServer.modelOptions(settings));
        InspectReport report = new InspectReport(directory, seen, text(directory, settings, seen));
        PrintWriter out = command.getOut();
        out.print(json ? report.json() : report.text());
        out.flush();
        if (seen.fault().isPresent()) {
            throw seen.fault().get();
        }
        return 0;
    }

    private Path directory(CommandLine command) {
        try {
            return Path.of(model);
        } catch (InvalidPathException e) {
            throw new ParameterException(command, "MODEL must be a local directory, got '" + model + "'", e);
        }
    }

    /** Tokenizer, template and parsers; what is not there is no fault here: a server can take it from elsewhere. */
    private static InspectReport.Text text(Path directory, ServeConfig settings, Inspection seen) {
        Path own = settings.model().tokenizer().map(Path::of).orElse(directory);
        Optional<ChatTemplate> template = ChatTemplate.load(directory);
        if (!Files.exists(own.resolve("tokenizer.json"))) {
            return new InspectReport.Text(
                    Optional.empty(),
                    template,
                    LocalServer.parsers(
                            settings, List.of(), template, seen.spec().architecture()));
        }
        try (HuggingFaceTokenizer tokenizer = HuggingFaceTokenizer.load(own)) {
            return new InspectReport.Text(
                    Optional.of(new InspectReport.Vocabulary(
                            tokenizer.vocabularySize(), tokenizer.addedTokens().size())),
                    template,
                    LocalServer.parsers(
                            settings,
                            tokenizer.addedTokens(),
                            template,
                            seen.spec().architecture()));
        }
    }
}
