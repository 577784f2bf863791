package rondo.server.kvevents;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import rondo.engine.StepEvents;
import rondo.kv.KvEvent;

/**
 * Keeps events until somebody fetches them: {@code event_buffer_max_size} and {@code /kv_cache_events}. When it is full
 * the oldest go, which a reader sees by a gap in the ids. The engine adds without a lock.
 */
public final class BufferedKvEvents implements KvEvents, StepEvents {
    private final int limit;
    private final EventRows rows;
    private final ConcurrentLinkedQueue<EventRows.Row> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger size = new AtomicInteger();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();

    // Of the engine thread.
    private long nextId;
    private long expected;

    /** @param limit events kept, at least 1 */
    public BufferedKvEvents(int limit, HashAlgorithm algorithm, CacheShape shape) {
        if (limit < 1) {
            throw new IllegalArgumentException("a buffer of events holds at least 1, got " + limit);
        }
        this.limit = limit;
        this.rows = new EventRows(algorithm, shape);
    }

    @Override
    public StepEvents feed() {
        return this;
    }

    @Override
    public int stepLimit() {
        return limit;
    }

    @Override
    public Counts counts() {
        return new Counts(taken.get(), dropped.get());
    }

    @Override
    public Map<String, String> about() {
        return Map.of("hash_algo", rows.algorithm().key());
    }

    @Override
    public void accept(long id, KvEvent event) {
        long missing = id - expected;
        expected = id + 1;
        if (missing > 0) {
            nextId += missing;
            taken.addAndGet(missing);
            dropped.addAndGet(missing);
        }
        if (event instanceof KvEvent.Cleared) {
            return; // its removals have been told
        }
        waiting.add(new EventRows.Row(nextId++, event));
        taken.incrementAndGet();
        if (size.incrementAndGet() > limit && waiting.poll() != null) {
            size.decrementAndGet();
            dropped.incrementAndGet();
        }
    }

    @Override
    public void stepEnded(int lost) {
        // Their ids were missing, and so are counted already.
    }

    /** All rows that are there, as a JSON array; each is given once. Any thread but the engine's. */
    public synchronized byte[] drain() {
        List<EventRows.Row> out = new ArrayList<>();
        // No more than were there at the beginning, so that a busy engine cannot keep a reader for ever.
        for (int left = size.get(); left > 0; left--) {
            EventRows.Row row = waiting.poll();
            if (row == null) {
                break;
            }
            size.decrementAndGet();
            out.add(row);
        }
        return rows.json(out);
    }

    @Override
    public void close() {}
}
