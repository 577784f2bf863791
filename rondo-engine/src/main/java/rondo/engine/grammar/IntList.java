package rondo.engine.grammar;

import java.util.Arrays;

/** A growing list of ints. */
final class IntList {
    int[] items = new int[16];
    int size;

    void add(int item) {
        if (size == items.length) {
            items = Arrays.copyOf(items, 2 * size);
        }
        items[size++] = item;
    }

    int get(int i) {
        return items[i];
    }

    int removeLast() {
        return items[--size];
    }

    int[] toArray() {
        return Arrays.copyOf(items, size);
    }
}
