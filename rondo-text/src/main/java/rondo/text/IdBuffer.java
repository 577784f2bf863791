package rondo.text;

import java.util.Arrays;
import rondo.base.TokenIds;

/** A growing array of token ids while a text is being encoded. */
final class IdBuffer {
    private int[] ids;
    private int length;

    IdBuffer(int expected) {
        ids = new int[Math.max(16, expected)];
    }

    int length() {
        return length;
    }

    void add(int id) {
        reserve(1);
        ids[length++] = id;
    }

    void add(long[] more) {
        reserve(more.length);
        for (long id : more) {
            ids[length++] = (int) id;
        }
    }

    void add(TokenIds more) {
        reserve(more.length());
        more.copy(0, ids, length, more.length());
        length += more.length();
    }

    /** {@code before} followed by what this buffer holds. */
    TokenIds after(TokenIds before) {
        return before.append(ids, 0, length);
    }

    private void reserve(int more) {
        if (length + more > ids.length) {
            ids = Arrays.copyOf(ids, Math.max(length + more, ids.length * 2));
        }
    }
}
