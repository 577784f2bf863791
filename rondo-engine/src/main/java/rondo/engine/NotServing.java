package rondo.engine;

/** The engine is starting, draining or has failed; the request was not taken. */
public final class NotServing extends Exception {
    private final EngineStats.State state;

    public NotServing(EngineStats.State state) {
        super("the engine is " + state.name().toLowerCase(java.util.Locale.ROOT));
        this.state = state;
    }

    public EngineStats.State state() {
        return state;
    }
}
