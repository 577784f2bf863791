package rondo.server.kvevents;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/** The last batches that were sent, for subscribers that have missed some. */
final class SentBatches {
    /** One batch: its number as 8 bytes, big-endian, and its payload. */
    record Sent(long number, byte[] payload) {
        byte[] numberBytes() {
            return bytes(number);
        }
    }

    private final int limit;
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();

    /** @param limit batches kept; 0 = none */
    SentBatches(int limit) {
        this.limit = limit;
    }

    synchronized void add(Sent batch) {
        if (limit == 0) {
            return;
        }
        if (sent.size() == limit) {
            sent.removeFirst();
        }
        sent.add(batch);
    }

    /** Those with this number (unsigned) or a later one, oldest first. */
    synchronized List<Sent> from(long number) {
        List<Sent> out = new ArrayList<>();
        for (Sent batch : sent) {
            if (Long.compareUnsigned(batch.number(), number) >= 0) {
                out.add(batch);
            }
        }
        return out;
    }

    static byte[] bytes(long number) {
        return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
    }
}
