package rondo.server;

import java.io.IOException;
import java.util.Arrays;
import tools.jackson.core.JsonGenerator;

/** The ids of a choice's tokens that have not been sent yet, where ids are what is sent; else always none. */
final class PendingIds {
    private static final int[] NONE = {};

    private final boolean wanted;
    private int[] ids = NONE;
    private int count;

    PendingIds(boolean wanted) {
        this.wanted = wanted;
    }

    void add(int id) {
        if (wanted) {
            if (count == ids.length) {
                ids = Arrays.copyOf(ids, Math.max(16, 2 * count));
            }
            ids[count++] = id;
        }
    }

    boolean pending() {
        return count > 0;
    }

    /** Writes {@code "token_ids":[…]} where ids are wanted, and forgets them. */
    void write(JsonGenerator json) throws IOException {
        if (!wanted) {
            return;
        }
        json.writeArrayPropertyStart("token_ids");
        for (int i = 0; i < count; i++) {
            json.writeNumber(ids[i]);
        }
        json.writeEndArray();
        count = 0;
    }
}
