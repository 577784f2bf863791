package rondo.engine;

/** The engine's turn; the engine thread, tests and the simulator all call it. */
@FunctionalInterface
public interface EngineLoop {
    /** Nothing to do until a command comes. */
    long IDLE = Long.MAX_VALUE;

    /**
     * One turn: take commands, plan, compute, publish.
     *
     * @return when the next turn is due (nanoTime of the engine's time source): now or earlier if there is more to do,
     *     or {@link #IDLE}
     */
    long tick();
}
