package rondo.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import rondo.base.Threads;

/** Ctrl-C while something runs: it is told to end, and the process waits until it has written its results. */
final class Interrupts implements AutoCloseable {
    private static final int PATIENCE_SECONDS = 60;

    private final CountDownLatch done = new CountDownLatch(1);
    private final Thread hook;

    private Interrupts(Runnable cancel) {
        hook = Threads.platform("rondo-interrupt").newThread(() -> {
            cancel.run();
            try {
                done.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
    }

    static Interrupts handledBy(Runnable cancel) {
        return new Interrupts(cancel);
    }

    /** The results are written. */
    void done() {
        done.countDown();
    }

    @Override
    public void close() {
        done.countDown();
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            // the process is ending already, the hook is at work
        }
    }
}
