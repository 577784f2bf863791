package rondo.engine;

import java.util.ArrayDeque;
import java.util.Arrays;
import rondo.kv.PageCopies;
import rondo.kv.Tier;

/**
 * Copies between the fake pages of two tiers that land late. From its start to its landing a copy's target holds
 * garbage, and its source must keep what the copy has read: so a copy that is planned against the fences, or a page that
 * is used too early, gives wrong tokens or an error.
 */
final class StubCopies {
    private static final int GARBAGE = 0x7eadbeef;

    private record Batch(PageCopies list, long afterStep, int[][] read) {}

    private final int[][][] device;
    private final int[][][] host;
    private final ArrayDeque<Batch> waiting = new ArrayDeque<>();
    private final ArrayDeque<Batch> started = new ArrayDeque<>();
    private long handed;
    private long landed;
    /** Steps that must be computed after a batch has started before it lands. */
    private int delaySteps;

    private boolean held;
    private long pages;

    StubCopies(int[][][] device, int[][][] host) {
        this.device = device;
        this.host = host;
    }

    void delay(int steps) {
        delaySteps = steps;
    }

    /** While held, batches land only where somebody waits for them. */
    void hold(boolean on) {
        held = on;
    }

    long add(PageCopies copies, long afterStep, long computed) {
        PageCopies kept = new PageCopies();
        for (int i = 0; i < copies.count; i++) {
            kept.add(copies.lifeCycle[i], copies.fromTier[i], copies.fromPage[i], copies.toTier[i], copies.toPage[i]);
        }
        pages += copies.count;
        waiting.add(new Batch(kept, afterStep, new int[copies.count][]));
        handed++;
        computed(computed);
        return handed;
    }

    /** Batches whose step has been computed start; those that have started long enough ago land. */
    void computed(long step) {
        while (!waiting.isEmpty() && waiting.element().afterStep() <= step) {
            start(waiting.remove());
        }
        while (!held && !started.isEmpty() && started.element().afterStep() + delaySteps <= step) {
            land(started.remove());
        }
    }

    /** The stream waits for everything up to this batch. */
    void landUpTo(long batch) {
        while (landed < batch) {
            if (started.isEmpty()) {
                throw new IllegalStateException("batch " + batch + " is awaited before step "
                        + waiting.element().afterStep() + ", which it waits for");
            }
            land(started.remove());
        }
    }

    long handed() {
        return handed;
    }

    long landed() {
        return landed;
    }

    /** Pages handed over so far. */
    long pages() {
        return pages;
    }

    private void start(Batch batch) {
        PageCopies list = batch.list();
        for (int i = 0; i < list.count; i++) {
            batch.read()[i] = source(list, i).clone();
        }
        for (int i = 0; i < list.count; i++) {
            Arrays.fill(target(list, i), GARBAGE);
        }
        started.add(batch);
    }

    private void land(Batch batch) {
        PageCopies list = batch.list();
        for (int i = 0; i < list.count; i++) {
            int[] read = batch.read()[i];
            int[] source = source(list, i);
            int[] target = target(list, i);
            for (int p = 0; p < read.length; p++) {
                if (read[p] != 0 && source[p] != read[p]) {
                    throw new IllegalStateException("a page was written while it was copied: life cycle "
                            + list.lifeCycle[i] + " " + list.fromTier[i] + " page " + list.fromPage[i]);
                }
                if (target[p] != GARBAGE) {
                    throw new IllegalStateException("a page was written while a copy wrote it: life cycle "
                            + list.lifeCycle[i] + " " + list.toTier[i] + " page " + list.toPage[i]);
                }
            }
            System.arraycopy(read, 0, target, 0, read.length);
        }
        landed++;
    }

    private int[] source(PageCopies list, int i) {
        return (list.fromTier[i] == Tier.DEVICE ? device : host)[list.lifeCycle[i]][list.fromPage[i]];
    }

    private int[] target(PageCopies list, int i) {
        return (list.toTier[i] == Tier.DEVICE ? device : host)[list.lifeCycle[i]][list.toPage[i]];
    }
}
