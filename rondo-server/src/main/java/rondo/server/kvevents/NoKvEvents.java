package rondo.server.kvevents;

import java.util.Map;
import rondo.engine.StepEvents;

/** Nobody is told of the cache, and it costs nothing. */
record NoKvEvents() implements KvEvents {
    @Override
    public StepEvents feed() {
        return StepEvents.NONE;
    }

    @Override
    public int stepLimit() {
        return 0;
    }

    @Override
    public Counts counts() {
        return new Counts(0, 0);
    }

    @Override
    public Map<String, String> about() {
        return Map.of();
    }

    @Override
    public void close() {}
}
