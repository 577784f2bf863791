package rondo.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;
import sun.misc.Signal;
import sun.misc.SignalHandler;

/**
 * Ctrl-C, SIGTERM and a terminal that closes, while this is open. The JVM itself would begin its shutdown at the first one
 * and be deaf from then on; so the process hears a second one, and ends with an exit code of its own.
 */
final class Signals implements AutoCloseable {
    private static final List<String> NAMES = List.of("INT", "TERM", "HUP");
    /** Added to a signal's number for the exit code of a process that it has ended. */
    private static final int BY_SIGNAL = 128;

    private record Before(Signal signal, SignalHandler handler) {}

    private final List<Before> before = new ArrayList<>();
    private final AtomicInteger count = new AtomicInteger();

    private Signals() {}

    /**
     * Begins to listen.
     *
     * @param first what the first signal does
     * @param again what each further one does; it is given the exit code that says so
     */
    static Signals handledBy(Runnable first, IntConsumer again) {
        Signals signals = new Signals();
        for (String name : NAMES) {
            try {
                SignalHandler old = Signal.handle(
                        new Signal(name), got -> signals.heard(BY_SIGNAL + got.getNumber(), first, again));
                signals.before.add(new Before(new Signal(name), old));
            } catch (IllegalArgumentException e) {
                // This system has no such signal, or the process was told to ignore it (nohup).
            }
        }
        return signals;
    }

    private void heard(int code, Runnable first, IntConsumer again) {
        if (count.getAndIncrement() == 0) {
            first.run();
        } else {
            again.accept(code);
        }
    }

    /** As it was before. */
    @Override
    public void close() {
        before.forEach(b -> Signal.handle(b.signal(), b.handler()));
    }
}
