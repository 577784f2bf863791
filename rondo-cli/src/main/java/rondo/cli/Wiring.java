package rondo.cli;

import rondo.base.Env;
import rondo.base.UserError;

/** The one place where rooms are joined by hand. */
final class Wiring {
    private Wiring() {}

    static Serving serving(Env env) {
        return request -> {
            throw new UserError(1, "serve: the engine is not wired to this command yet");
        };
    }
}
