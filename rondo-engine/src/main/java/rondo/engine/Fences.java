package rondo.engine;

import java.util.Arrays;

/**
 * How far the steps are: handed over, computed, and retired, that is computed, applied, and free of copies under way.
 * Always retired <= completed <= submitted.
 */
final class Fences {
    private long submitted;
    private long completed;
    private long retired;
    /** Batches of tier copies. */
    private long started;

    private long landed;
    private long attached;
    // Steps with copies that may still be under way, oldest first, from head on.
    private long[] step = new long[16];
    private long[] copy = new long[16];
    private int head;
    private int tail;

    long submitted() {
        return submitted;
    }

    long completed() {
        return completed;
    }

    long retired() {
        return retired;
    }

    boolean copiesUnderWay() {
        return landed < started;
    }

    /** A batch has been handed over; it belongs to the step that is submitted next. */
    void copying(long batch) {
        started = batch;
    }

    /** Returns whether this is news. */
    boolean landed(long batch) {
        boolean news = batch > landed;
        landed = Math.max(landed, batch);
        retire();
        return news;
    }

    void submit(long number) {
        submitted = number;
        if (started > attached) {
            attached = started;
            if (tail == step.length) {
                makeRoom();
            }
            step[tail] = number;
            copy[tail++] = started;
        }
    }

    /** The step's results have been applied. */
    void complete(long number) {
        completed = number;
        retire();
    }

    private void retire() {
        while (head < tail && copy[head] <= landed) {
            head++;
        }
        long clear = head < tail ? step[head] - 1 : Long.MAX_VALUE;
        retired = Math.max(retired, Math.min(completed, clear));
    }

    private void makeRoom() {
        int count = tail - head;
        if (count > step.length / 2) {
            step = Arrays.copyOf(step, 2 * step.length);
            copy = Arrays.copyOf(copy, 2 * copy.length);
        }
        System.arraycopy(step, head, step, 0, count);
        System.arraycopy(copy, head, copy, 0, count);
        head = 0;
        tail = count;
    }
}
