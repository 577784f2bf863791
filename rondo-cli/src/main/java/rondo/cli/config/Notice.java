package rondo.cli.config;

/**
 * A line for the log about a configuration that is valid.
 *
 * @param level how loud
 * @param text  one line
 */
public record Notice(Level level, String text) {
    /** How loud a notice is. */
    public enum Level {
        INFO,
        WARN
    }
}
