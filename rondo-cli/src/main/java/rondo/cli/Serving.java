package rondo.cli;

/** What {@code rondo serve} does once its command line and its configuration are known to be valid. */
@FunctionalInterface
public interface Serving {
    /**
     * Serves until the process is told to end.
     *
     * @return the exit code of the command
     * @throws rondo.base.UserError for what the person at the keyboard can mend
     */
    int serve(ServeRequest request) throws Exception;
}
