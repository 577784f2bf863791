package rondo.engine;

/** Told on the engine thread that a generation has something to take; must only pass the word on, never block. */
@FunctionalInterface
public interface GenerationListener {
    void ready(Generation generation);
}
