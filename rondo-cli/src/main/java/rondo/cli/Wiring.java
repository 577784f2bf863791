package rondo.cli;

import rondo.base.Env;
import rondo.base.TimeSource;

/** The one place where the commands get what they run on. */
final class Wiring {
    private Wiring() {}

    static Serving serving(Env env) {
        return new ServeLoop(env, TimeSource.system());
    }
}
