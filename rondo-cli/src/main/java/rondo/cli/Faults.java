package rondo.cli;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;
import rondo.base.UserError;

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
        if (fault instanceof UnmatchedArgumentException u && !u.getSuggestions().isEmpty()) {
            line.append("; did you mean '")
                    .append(u.getSuggestions().getFirst())
                    .append("'?");
        } else {
            line.append("; see '").append(name).append(" --help'");
        }
        command.getErr().println(line);
        return UserError.USAGE;
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
