package rondo.cli;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import rondo.base.UserError;
import rondo.cli.config.Nearest;

/** How a command that fails says so: one line and an exit code; a stack trace only for those who ask for it. */
final class Faults {
    /** Exit code of a fault of the program itself. */
    static final int BUG = 1;

    private Faults() {}

    /** The same command line with these manners, in all its subcommands. */
    static CommandLine handledBy(CommandLine rondo) {
        rondo.setParameterExceptionHandler((fault, args) -> usage(fault));
        rondo.setExecutionExceptionHandler((fault, command, parsed) -> report(command.getErr(), fault));
        return rondo;
    }

    /** Runs what lies outside of the command line's own handlers. */
    static int guard(PrintWriter err, Callable<Integer> body) {
        try {
            return body.call();
        } catch (Exception e) {
            return report(err, e);
        }
    }

    private static int usage(ParameterException fault) {
        CommandLine command = fault.getCommandLine();
        String name = command.getCommandSpec().qualifiedName();
        String text = String.valueOf(fault.getMessage()).replaceAll("\\s*\\R\\s*", " ");
        StringBuilder line = new StringBuilder(name).append(": ").append(text);
        Optional<String> meant = fault instanceof UnmatchedArgumentException u ? meant(command, u) : Optional.empty();
        if (meant.isPresent()) {
            line.append("; did you mean '").append(meant.get()).append("'?");
        } else {
            line.append("; see '").append(name).append(" --help'");
        }
        command.getErr().println(line);
        return UserError.USAGE;
    }

    /** The flag that was probably meant; of commands, what the command line itself suggests. */
    private static Optional<String> meant(CommandLine command, UnmatchedArgumentException fault) {
        String word = fault.getUnmatched().isEmpty() ? "" : fault.getUnmatched().getFirst();
        if (!word.startsWith("--")) {
            return fault.getSuggestions().stream().findFirst();
        }
        int equals = word.indexOf('=');
        return Nearest.of(
                equals < 0 ? word : word.substring(0, equals),
                command.getCommandSpec().options().stream()
                        .filter(option -> !option.hidden())
                        .flatMap(option -> Arrays.stream(option.names()))
                        .map(option -> new Nearest.Candidate(option, option, true))
                        .toList());
    }

    static int report(PrintWriter err, Exception fault) {
        boolean traced = Logging.debug();
        int code = BUG;
        if (fault instanceof UserError u) {
            err.println(u.getMessage());
            code = u.exitCode();
        } else {
            String text = String.valueOf(fault).replaceAll("\\s*\\R\\s*", " ");
            err.println("rondo: internal error: " + text + (traced ? "" : " (RONDO_LOG_LEVEL=debug shows where)"));
        }
        if (traced) {
            fault.printStackTrace(err);
        }
        err.flush();
        return code;
    }
}
