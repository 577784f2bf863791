package rondo.cli;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import rondo.base.Threads;

/** One thing that is made on a thread of its own while the starter does something else. */
final class Background<T> {
    private final FutureTask<T> task;

    private Background(FutureTask<T> task) {
        this.task = task;
    }

    static <T> Background<T> start(String thread, Callable<T> make) {
        FutureTask<T> task = new FutureTask<>(make);
        Threads.start(thread, task);
        return new Background<>(task);
    }

    /** The result; what went wrong is thrown here as it was there. */
    T await() {
        try {
            return task.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException fault -> throw fault;
                case Error fault -> throw fault;
                case null, default -> throw new IllegalStateException(e);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting", e);
        }
    }

    /** Waits for the result and gives it to {@code end}, if there is one. */
    void quietly(Consumer<T> end) {
        T made;
        try {
            made = await();
        } catch (RuntimeException e) {
            return; // it was never made, so there is nothing to end
        }
        end.accept(made);
    }
}
