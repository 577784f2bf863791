package rondo.engine;

/**
 * How a generation ended.
 *
 * @param stopToken the stop token that ended it, or -1
 * @param error     one line for {@link FinishReason#ERROR} and {@link FinishReason#REFUSED}, else empty
 */
record Ending(FinishReason reason, int stopToken, String error) {
    static final Ending LENGTH = new Ending(FinishReason.LENGTH, -1, "");
    static final Ending STOP = new Ending(FinishReason.STOP, -1, "");
    static final Ending CANCELLED = new Ending(FinishReason.CANCELLED, -1, "");
    static final Ending TIMEOUT = new Ending(FinishReason.TIMEOUT, -1, "");

    static Ending refused(String message) {
        return new Ending(FinishReason.REFUSED, -1, message);
    }

    static Ending error(String message) {
        return new Ending(FinishReason.ERROR, -1, message);
    }
}
