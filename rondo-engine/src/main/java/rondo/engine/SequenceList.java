package rondo.engine;

import java.util.Arrays;

/** A reused list of sequences, kept in serving order where {@link #insert} is used. */
final class SequenceList {
    private static final Sequence[] NONE = {};

    private final boolean byPriority;
    private Sequence[] items = NONE;
    private int size;

    SequenceList(boolean byPriority) {
        this.byPriority = byPriority;
    }

    int size() {
        return size;
    }

    boolean isEmpty() {
        return size == 0;
    }

    Sequence get(int index) {
        if (index >= size) {
            throw new IndexOutOfBoundsException(index);
        }
        return items[index];
    }

    void add(Sequence s) {
        if (size == items.length) {
            items = Arrays.copyOf(items, Math.max(16, 2 * size));
        }
        items[size++] = s;
    }

    /** Puts it at its place in the serving order; almost always the end. */
    void insert(Sequence s) {
        add(s);
        int at = size - 1;
        while (at > 0 && before(s, items[at - 1])) {
            items[at] = items[at - 1];
            at--;
        }
        items[at] = s;
    }

    boolean remove(Sequence s) {
        for (int i = 0; i < size; i++) {
            if (items[i] == s) {
                System.arraycopy(items, i + 1, items, i, size - i - 1);
                items[--size] = null;
                return true;
            }
        }
        return false;
    }

    void clear() {
        Arrays.fill(items, 0, size, null);
        size = 0;
    }

    /** Whether {@code a} is served before {@code b}: by priority where that counts, then by arrival. */
    boolean before(Sequence a, Sequence b) {
        if (byPriority) {
            int order = Double.compare(priority(b), priority(a));
            if (order != 0) {
                return order < 0;
            }
        }
        return a.arrival < b.arrival;
    }

    private static double priority(Sequence s) {
        return s.promoted ? Double.POSITIVE_INFINITY : s.request.priority();
    }
}
