package rondo.engine;

/** The waiting queue is at one of its limits; the request was not taken. */
public final class QueueFull extends Exception {
    public QueueFull(String message) {
        super(message);
    }
}
