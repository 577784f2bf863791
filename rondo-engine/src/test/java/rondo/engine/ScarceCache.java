package rondo.engine;

import java.util.OptionalInt;
import java.util.function.IntPredicate;
import rondo.kv.BlockKeys;
import rondo.kv.KvCache;
import rondo.kv.KvEventSink;
import rondo.kv.KvNumbers;
import rondo.kv.KvStats;
import rondo.kv.Match;
import rondo.kv.PageWork;
import rondo.kv.Retention;

/** A cache that says when asked to that it has no room, as if its pool were full: so a test forces a preemption. */
public final class ScarceCache implements KvCache {
    private final KvCache kv;
    private volatile IntPredicate full = reservation -> false;

    public ScarceCache(KvCache kv) {
        this.kv = kv;
    }

    /** Asked before every growth; true = there is no room for this reservation now. */
    public void fullWhen(IntPredicate condition) {
        full = condition;
    }

    @Override
    public int grow(int reservation, int wanted, int least, PageWork out) {
        return full.test(reservation) ? 0 : kv.grow(reservation, wanted, least, out);
    }

    @Override
    public Match match(BlockKeys keys, int limit) {
        return kv.match(keys, limit);
    }

    @Override
    public OptionalInt admit(Match match, Retention retention, int slot, PageWork out) {
        return kv.admit(match, retention, slot, out);
    }

    @Override
    public void submitted(int reservation, int tokens, long step) {
        kv.submitted(reservation, tokens, step);
    }

    @Override
    public void completed(int reservation, int keptTokens, BlockKeys keys) {
        kv.completed(reservation, keptTokens, keys);
    }

    @Override
    public void release(int reservation, long lastStep, boolean commit) {
        kv.release(reservation, lastStep, commit);
    }

    @Override
    public void pause(int reservation, long lastStep) {
        kv.pause(reservation, lastStep);
    }

    @Override
    public boolean ready(int reservation) {
        return kv.ready(reservation);
    }

    @Override
    public boolean suspend(int reservation, long lastStep, PageWork out) {
        return kv.suspend(reservation, lastStep, out);
    }

    @Override
    public boolean resume(int reservation, PageWork out) {
        return kv.resume(reservation, out);
    }

    @Override
    public void shrink(int reservation, int capacity) {
        kv.shrink(reservation, capacity);
    }

    @Override
    public void demoteAhead(PageWork out) {
        kv.demoteAhead(out);
    }

    @Override
    public void fences(long submitted, long completed, long retired) {
        kv.fences(submitted, completed, retired);
    }

    @Override
    public void now(long nanos) {
        kv.now(nanos);
    }

    @Override
    public void copiesStarted(long batch) {
        kv.copiesStarted(batch);
    }

    @Override
    public void copied(long batch) {
        kv.copied(batch);
    }

    @Override
    public boolean clear() {
        return kv.clear();
    }

    @Override
    public KvStats stats() {
        return kv.stats();
    }

    @Override
    public void stats(KvNumbers into) {
        kv.stats(into);
    }

    @Override
    public int available(int lifeCycle) {
        return kv.available(lifeCycle);
    }

    @Override
    public int drainEvents(KvEventSink to) {
        return kv.drainEvents(to);
    }
}
