package rondo.engine;

import rondo.kv.KvEvent;
import rondo.kv.KvEventSink;

/**
 * Where the cache's events go after every step. The engine thread calls it between two steps, so whoever implements it
 * returns at once: it neither locks nor waits, and rather loses events, countably, than holds up a token.
 */
public interface StepEvents extends KvEventSink {
    /** Nobody wants to know. */
    StepEvents NONE = new StepEvents() {
        @Override
        public void accept(long id, KvEvent event) {}

        @Override
        public void stepEnded(int lost) {}
    };

    /** The events of a step have all been given; {@code lost} older ones had no room in the cache's own buffer. */
    void stepEnded(int lost);
}
