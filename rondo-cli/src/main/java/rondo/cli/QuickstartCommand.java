package rondo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import rondo.base.Env;
import rondo.base.TimeSource;
import rondo.base.UserError;

/** {@code rondo quickstart}: the whole main job on the bundled model. */
@Command(
        name = "quickstart",
        description = "Serves the bundled model, replays agent sessions against it and prints what was measured.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true)
final class QuickstartCommand implements Callable<Integer> {
    private static final List<Integer> SESSIONS = List.of(4, 8);

    private final Env env;

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

    QuickstartCommand(Env env) {
        this.env = env;
    }

    @Override
    public Integer call() throws Exception {
        if (spec == null) {
            throw new IllegalStateException("run by picocli only");
        }
        PrintWriter out = spec.commandLine().getOut();
        if (json.isPresent()) {
            writable(json.get());
        }
        Path folder = artifacts.orElseGet(() -> Path.of("artifacts", "quickstart-" + Stamps.utc(Clock.systemUTC())));
        Path directory = model.orElseGet(Quickstart::bundledModel);
        Quickstart.Outcome outcome = new Quickstart(env, TimeSource.system(), SESSIONS).run(directory, folder, out);
        if (json.isPresent()) {
            write(json.get(), outcome.json().toPrettyString() + "\n");
        }
        return outcome.ok() ? 0 : 1;
    }

    /** Fails before the run where the result could not be written after it. */
    private static void writable(Path file) {
        Path folder = file.toAbsolutePath().getParent();
        if (folder == null || Files.isDirectory(file) || !Files.isDirectory(folder) || !Files.isWritable(folder)) {
            throw new UserError(
                    UserError.USAGE, "--json: must be a file in a folder that can be written, got '" + file + "'");
        }
    }

    private static void write(Path file, String text) throws IOException {
        Path temporary = file.resolveSibling(file.getFileName() + ".part");
        try {
            Files.writeString(temporary, text);
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw new UserError(UserError.USAGE, "--json: cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
