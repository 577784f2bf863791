package rondo.engine;

import java.util.concurrent.atomic.AtomicLong;
import rondo.base.TimeSource;

/** A clock that stands until it is moved. */
public final class ManualClock implements TimeSource {
    private final AtomicLong now = new AtomicLong(1_000);

    @Override
    public long nanoTime() {
        return now.get();
    }

    public void advanceMillis(long millis) {
        now.addAndGet(millis * 1_000_000);
    }

    public void advanceMicros(long micros) {
        now.addAndGet(micros * 1_000);
    }
}
