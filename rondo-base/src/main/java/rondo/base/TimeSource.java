package rondo.base;

/** A monotonic clock; injected wherever time matters, so that tests and the simulator can hold it. */
@FunctionalInterface
public interface TimeSource {
    /** Nanoseconds since an arbitrary origin; never goes back. */
    long nanoTime();

    /** The machine's own clock. */
    static TimeSource system() {
        return System::nanoTime;
    }
}
