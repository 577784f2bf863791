package rondo.cli;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import rondo.agentx.synth.SynthOptions;
import rondo.agentx.synth.TraceSynth;
import rondo.agentx.trace.Trace;
import rondo.agentx.trace.TraceWriter;

/** {@code rondo traces}: makes traces. */
@Command(
        name = "traces",
        description = "Makes traces for the bench.",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        subcommands = TracesCommand.Synth.class)
final class TracesCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /** {@code rondo traces synth}: seeded traces with the statistics of recorded ones. */
    @Command(
            name = "synth",
            description = "Writes synthetic traces with the statistics of recorded coding agents; options make them"
                    + " small. The same options give the same traces.",
            mixinStandardHelpOptions = true,
            usageHelpAutoWidth = true,
            sortOptions = false)
    static final class Synth implements Callable<Integer> {
        @CommandLine.Spec
        private CommandLine.Model.@Nullable CommandSpec spec;

        @Parameters(index = "0", paramLabel = "FILE", description = "A .jsonl file to write, or .jsonl.gz.")
        private Path file = Path.of(".");

        @Option(names = "--seed", paramLabel = "N", defaultValue = "42", description = "Default: ${DEFAULT-VALUE}.")
        private long seed = 42;

        @Option(names = "--traces", paramLabel = "N", defaultValue = "64", description = "Default: ${DEFAULT-VALUE}.")
        private int traces = 64;

        @Option(names = "--turns", paramLabel = "N", description = "Requests of the root agent. Default: drawn.")
        private Optional<Integer> turns = Optional.empty();

        @Option(names = "--block-size", paramLabel = "N", defaultValue = "64", description = "Tokens per block.")
        private int blockSize = 64;

        @Option(names = "--first-prompt", paramLabel = "N", description = "Median first prompt, tokens.")
        private Optional<Integer> firstPrompt = Optional.empty();

        @Option(names = "--growth", paramLabel = "N", description = "Median new input per turn, tokens.")
        private Optional<Integer> growth = Optional.empty();

        @Option(names = "--max-prompt", paramLabel = "N", description = "Length at which a context is compacted.")
        private Optional<Integer> maxPrompt = Optional.empty();

        @Option(names = "--output-scale", paramLabel = "F", defaultValue = "1", description = "Of output lengths.")
        private double outputScale = 1;

        @Option(names = "--time-scale", paramLabel = "F", defaultValue = "1", description = "Of pauses and durations.")
        private double timeScale = 1;

        @Option(names = "--subagent-share", paramLabel = "F", defaultValue = "0.1", description = "Of the traces.")
        private double subagentShare = 0.1;

        @Override
        public Integer call() {
            if (spec == null) {
                throw new IllegalStateException("run by picocli only");
            }
            List<Trace> made = TraceSynth.make(new SynthOptions(
                    seed,
                    traces,
                    optional(turns),
                    blockSize,
                    optional(firstPrompt),
                    optional(growth),
                    optional(maxPrompt),
                    outputScale,
                    timeScale,
                    subagentShare));
            TraceWriter.write(file, made);
            PrintWriter out = spec.commandLine().getOut();
            out.println("wrote " + made.size() + " traces to " + file);
            out.flush();
            return 0;
        }

        private static OptionalInt optional(Optional<Integer> value) {
            return value.stream().mapToInt(Integer::intValue).findFirst();
        }
    }
}
