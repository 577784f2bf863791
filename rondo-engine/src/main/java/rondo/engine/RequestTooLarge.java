package rondo.engine;

/** The KV cache could never hold the request; it was not taken. */
public final class RequestTooLarge extends RuntimeException {
    public RequestTooLarge(String message) {
        super(message);
    }
}
