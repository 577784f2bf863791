package rondo.cli;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import rondo.base.Env;

/** {@code rondo}: the command that holds all others. */
@Command(
        name = "rondo",
        description = "Serves large language models to agents, and measures such servers.",
        synopsisSubcommandLabel = "COMMAND",
        usageHelpAutoWidth = true,
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {"", "First steps: rondo quickstart", "Help on one command: rondo COMMAND --help"})
public final class RondoCommand implements Runnable {
    @CommandLine.Spec
    private CommandLine.Model.@org.jspecify.annotations.Nullable CommandSpec spec;

    /** Without a command: the list of commands. */
    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /** All commands, registered here and nowhere else. */
    static CommandLine commandLine(Serving serving) {
        CommandLine rondo = new CommandLine(new RondoCommand());
        rondo.addSubcommand(ServeCommand.commandLine(serving));
        rondo.addSubcommand(new ConfigCommand());
        return Faults.handledBy(rondo);
    }

    /** Runs a command line and returns its exit code. */
    static int run(Serving serving, Env env, String... args) {
        return Faults.guard(new java.io.PrintWriter(System.err, true), () -> {
            Logging.level(Logging.levelOf(env));
            CommandLine rondo = commandLine(serving);
            return rondo.execute(Spelling.of(rondo).normalise(args));
        });
    }
}
