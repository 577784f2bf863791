package rondo.base;

/**
 * A fault that the person at the keyboard can mend: its message is one clear line (what, where, what was
 * expected, what was got) and is printed without a stack trace.
 */
public final class UserError extends RuntimeException {
    /** Exit codes of the commands (serve-config.md §7). */
    public static final int USAGE = 2, MODEL = 3, MEMORY = 4, PORT = 5;

    private final int exitCode;

    public UserError(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public UserError(int exitCode, String message, Throwable cause) {
        super(message, cause);
        this.exitCode = exitCode;
    }

    /** The code with which the command ends. */
    public int exitCode() {
        return exitCode;
    }
}
