package rondo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import rondo.cli.config.ConfigDocs;
import rondo.cli.config.ConfigLoader;
import rondo.cli.config.ServeConfig;

/** {@code rondo config}: what a configuration file may say, or what one says. */
@Command(
        name = "config",
        description = "Checks a configuration file and prints what holds, or lists all keys.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class ConfigCommand implements Callable<Integer> {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "FILE",
            description = "A YAML file; without one, the defaults.")
    private Optional<Path> file = Optional.empty();

    @Option(names = "--markdown", description = "Print docs/configuration.md instead.")
    private boolean markdown;

    @Override
    public Integer call() {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (markdown) {
            out.print(ConfigDocs.markdown());
        } else {
            ServeConfig config =
                    file.isPresent() ? ConfigLoader.load(file.get(), List.of()) : ConfigLoader.load(List.of());
            config.notices().forEach(n -> spec.commandLine().getErr().println(n.text()));
            out.print(config.effective().yaml());
        }
        out.flush();
        return 0;
    }
}
