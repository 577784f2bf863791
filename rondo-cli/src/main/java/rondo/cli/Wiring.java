package rondo.cli;

import rondo.base.TimeSource;

/** The one place where the commands get what they run on. */
final class Wiring {
    private Wiring() {}

    static Serving serving() {
        return new ServeLoop(TimeSource.system());
    }
}
