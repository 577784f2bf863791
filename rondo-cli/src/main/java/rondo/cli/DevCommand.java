package rondo.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import rondo.base.Env;
import rondo.base.TimeSource;
import rondo.model.SyntheticCheckpoint;
import rondo.model.SyntheticCheckpoint.Shape;
import rondo.model.compute.ElementType;

/** {@code rondo dev}: tools for those who work on Rondo itself. */
@Command(
        name = "dev",
        hidden = true,
        description = "Tools for those who work on Rondo itself.",
        mixinStandardHelpOptions = true,
        subcommands = {DevCommand.RandomModel.class, DevCommand.Train.class, SecondTurn.class})
final class DevCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /** {@code rondo dev random-model}: a checkpoint with weights from a formula, for speed measurements. */
    @Command(
            name = "random-model",
            description = "Writes a muse_glimmer checkpoint of a named size whose weights come from a formula.",
            mixinStandardHelpOptions = true)
    static final class RandomModel implements Callable<Integer> {
        private static final Map<String, Shape> SHAPES = Map.of(
                "1b", Shape.oneBillion(false),
                "1b-tied", Shape.oneBillion(true),
                "tiny", new Shape(256, 4, 8, 2, 32, 512, 4096, false, 256, 32_768));

        private static final List<String> TEXT_FILES =
                List.of("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json", "chat_template.jinja");

        @CommandLine.Spec
        private CommandLine.Model.@Nullable CommandSpec spec;

        @Parameters(index = "0", paramLabel = "DIR", description = "Folder to write.")
        private Path directory = Path.of(".");

        @Option(names = "--shape", paramLabel = "NAME", defaultValue = "1b", description = "1b, 1b-tied or tiny.")
        private String shape = "1b";

        @Option(names = "--tokenizer", paramLabel = "DIR", description = "Copy tokenizer and template from there.")
        private Optional<Path> tokenizer = Optional.empty();

        @Override
        public Integer call() throws IOException {
            if (spec == null) {
                throw new IllegalStateException("run by picocli only");
            }
            Shape wanted = SHAPES.get(shape);
            if (wanted == null) {
                throw new ParameterException(
                        spec.commandLine(), "--shape must be one of 1b, 1b-tied, tiny, got '" + shape + "'");
            }
            SyntheticCheckpoint.write(directory, wanted, ElementType.BF16);
            if (tokenizer.isPresent()) {
                for (String file : TEXT_FILES) {
                    Path from = tokenizer.get().resolve(file);
                    if (Files.exists(from)) {
                        Files.copy(from, directory.resolve(file), StandardCopyOption.REPLACE_EXISTING);
                    }
                }
            }
            PrintWriter out = spec.commandLine().getOut();
            out.println("wrote " + directory);
            out.flush();
            return 0;
        }
    }

    /** {@code rondo dev train}: what runs while the AOT cache is made. */
    @Command(
            name = "train",
            description = "Starts a server on the bundled model, replays a few short sessions and ends.",
            mixinStandardHelpOptions = true)
    static final class Train implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.@Nullable CommandSpec spec;

        @Override
        public Integer call() throws Exception {
            if (spec == null) {
                throw new IllegalStateException("run by picocli only");
            }
            PrintWriter out = spec.commandLine().getOut();
            Path folder = Files.createTempDirectory("rondo-train");
            try {
                return new Quickstart(new Env(Map.of()), TimeSource.system(), List.of(2))
                                .run(Quickstart.bundledModel(), folder, out)
                                .ok()
                        ? 0
                        : 1;
            } finally {
                Folders.delete(folder);
            }
        }
    }
}
