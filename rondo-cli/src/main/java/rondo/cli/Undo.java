package rondo.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/** What a half-done start has to take back: closing runs the steps, newest first, unless {@link #keep} was called. */
final class Undo implements AutoCloseable {
    /** One thing to take back. */
    interface Step {
        void run();
    }

    private final Deque<Step> steps = new ArrayDeque<>();

    Step add(Step step) {
        steps.push(step);
        return step;
    }

    /** Another owner took over: its own end replaces the old step. */
    void replace(Step old, Step step) {
        steps.remove(old);
        steps.push(step);
    }

    /** Another owner took over, who ends it from now on. */
    void remove(Step step) {
        steps.remove(step);
    }

    /** All went well. */
    void keep() {
        steps.clear();
    }

    @Override
    public void close() {
        while (!steps.isEmpty()) {
            steps.pop().run();
        }
    }
}
