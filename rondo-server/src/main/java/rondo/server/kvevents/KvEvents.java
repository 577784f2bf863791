package rondo.server.kvevents;

import java.util.Map;
import rondo.engine.StepEvents;

/** How a server tells of its cache: not at all, in rows that are fetched, or in a stream. */
public sealed interface KvEvents extends AutoCloseable permits NoKvEvents, BufferedKvEvents, KvEventStream {
    /**
     * What became of the events so far.
     *
     * @param taken   given by the cache
     * @param dropped of these, lost because nobody took them in time
     */
    record Counts(long taken, long dropped) {}

    static KvEvents off() {
        return new NoKvEvents();
    }

    /** What the engine is opened with. */
    StepEvents feed();

    /** Events of one step for which the cache must have room; 0 = it need not collect any. */
    int stepLimit();

    Counts counts();

    /** What a router has to know to read them, beside the size of a block; empty if there is nothing to read. */
    Map<String, String> about();

    /** Gives back threads and sockets; the engine has stopped. */
    @Override
    void close();
}
