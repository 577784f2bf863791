package rondo.kv;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A growing list of pages that may have died since: each with the generation in which it was meant. */
final class PageSet {
    private int[] page = new int[8];
    private int[] generation = new int[8];
    private int count;

    int size() {
        return count;
    }

    void clear() {
        truncate(0);
    }

    void add(Pages pages, int id) {
        if (count == page.length) {
            page = Arrays.copyOf(page, 2 * count);
            generation = Arrays.copyOf(generation, 2 * count);
        }
        page[count] = id;
        generation[count++] = pages.generation[id];
    }

    /** Puts the entry at one index in the place of the one at another. */
    void move(int from, int to) {
        page[to] = page[from];
        generation[to] = generation[from];
    }

    /** Forgets all entries from {@code size} on. */
    void truncate(int size) {
        count = size;
    }

    /** Every entry as "id:generation". */
    List<String> names() {
        List<String> out = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            out.add(page[i] + ":" + generation[i]);
        }
        return out;
    }

    /** The page at an index, or -1 if it is gone. */
    int get(Pages pages, int index) {
        int id = page[index];
        return pages.generation[id] == generation[index] && pages.exists(id) ? id : -1;
    }
}
