package rondo.server.kvevents;

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
    public void close() {}
}
