package rondo.kv;

import java.util.Arrays;

/** Pages that a planned copy reads: each stays held until the step that carries the copy has retired. */
final class CopySources {
    private final Pages pages;
    private int[] page = new int[16];
    private long[] step = new long[16];
    private int count;

    CopySources(Pages pages) {
        this.pages = pages;
    }

    /** Takes over one hold of the page. */
    void add(int source, long carriedBy) {
        if (count == page.length) {
            page = Arrays.copyOf(page, 2 * count);
            step = Arrays.copyOf(step, 2 * count);
        }
        page[count] = source;
        step[count++] = carriedBy;
    }

    int count() {
        return count;
    }

    int page(int index) {
        return page[index];
    }

    /** Lets go of all whose step has retired. */
    void letGo(long retired) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (step[i] <= retired) {
                pages.letGo(page[i], step[i]);
            } else {
                page[kept] = page[i];
                step[kept++] = step[i];
            }
        }
        count = kept;
    }
}
