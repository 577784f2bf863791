package rondo.engine;

/** Why a generation ended. */
public enum FinishReason {
    /** An end token, a stop token or a stop string; or a complete grammar. */
    STOP,
    /** The token limit. */
    LENGTH,
    /** The request's or the queue's time limit. */
    TIMEOUT,
    /** Cancelled by its owner. */
    CANCELLED,
    /** It can never run with this configuration; the batch carries the reason. */
    REFUSED,
    /** Broken by the engine; the batch carries the reason. */
    ERROR
}
