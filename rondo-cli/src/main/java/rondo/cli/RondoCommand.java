package rondo.cli;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import rondo.base.Env;
import rondo.base.UserError;

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
    private CommandLine.Model.@Nullable CommandSpec spec;

    /** Without a command: the list of commands. */
    @Override
    public void run() {
        if (spec != null) {
            spec.commandLine().usage(spec.commandLine().getOut());
        }
    }

    /** All commands, registered here and nowhere else; one is made when it is asked for, so that a start stays short. */
    private static Map<String, Supplier<CommandLine>> commands(Serving serving, Env env) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("serve", () -> ServeCommand.commandLine(serving));
        commands.put("inspect", () -> new CommandLine(new InspectCommand()));
        commands.put("bench", () -> new CommandLine(new BenchCommand()));
        commands.put("simulate", () -> SimulateCommand.commandLine());
        commands.put("traces", () -> new CommandLine(new TracesCommand()));
        commands.put("quickstart", () -> new CommandLine(new QuickstartCommand(env)));
        commands.put("config", () -> new CommandLine(new ConfigCommand()));
        commands.put("dev", () -> new CommandLine(new DevCommand()));
        return commands;
    }

    /** The command that the first argument names, or all of them where it names none. */
    static CommandLine commandLine(Serving serving, Env env, String... args) {
        CommandLine rondo = new CommandLine(new RondoCommand());
        Map<String, Supplier<CommandLine>> commands = commands(serving, env);
        if (args.length > 0 && commands.get(args[0]) instanceof Supplier<CommandLine> one) {
            rondo.addSubcommand(args[0], one.get());
        } else {
            commands.forEach((name, command) -> rondo.addSubcommand(name, command.get()));
        }
        return Faults.handledBy(rondo);
    }

    /** Runs a command line and returns its exit code. */
    static int run(Serving serving, Env env, String... args) {
        return Faults.guard(new PrintWriter(System.err, true), () -> {
            Logging.level(Logging.levelOf(env));
            CommandLine rondo = commandLine(serving, env, args);
            int code = rondo.execute(Spelling.of(rondo).normalise(args));
            // A stream of standard output swallows what goes wrong; a result that nobody can read is no success.
            if (System.out.checkError()) {
                throw new UserError(UserError.USAGE, "output: the standard output could not be written (full disk?)");
            }
            return code;
        });
    }
}
