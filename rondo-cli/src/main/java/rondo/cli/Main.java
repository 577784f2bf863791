package rondo.cli;

import rondo.base.Env;

/** Where the process begins: wires the commands by hand and ends with their exit code. */
public final class Main {
    private Main() {}

    public static void main(String[] args) {
        Env env = Env.system();
        Terminal.restoreErrors(env);
        System.exit(run(env, args));
    }

    /** Runs one command line; what a test calls. */
    static int run(Env env, String... args) {
        Serving serving = Wiring.serving(env);
        return RondoCommand.run(serving, env, args);
    }
}
