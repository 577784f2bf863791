package rondo.model.decoder;

import java.util.ArrayDeque;
import rondo.kv.PageCopies;
import rondo.kv.Tier;
import rondo.model.compute.KvMemory;

/**
 * Copies between tiers where both lie in one memory: host page p of a life cycle is page {@code firstHostPage + p}. A
 * batch runs as soon as its step has been computed, in order; then it has landed.
 */
final class TierCopies {
    private record Waiting(PageCopies copies, long afterStep) {}

    private final KvMemory kv;
    private final int[] firstHostPage;
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private long landed;

    TierCopies(KvMemory kv, int[] firstHostPage) {
        this.kv = kv;
        this.firstHostPage = firstHostPage;
    }

    /** Takes a batch and returns its number; the list may be reused at once. */
    long add(PageCopies copies, long afterStep, long computed) {
        if (waiting.isEmpty() && afterStep <= computed) {
            copy(copies);
            return ++landed;
        }
        PageCopies kept = new PageCopies();
        for (int i = 0; i < copies.count; i++) {
            kept.add(copies.lifeCycle[i], copies.fromTier[i], copies.fromPage[i], copies.toTier[i], copies.toPage[i]);
        }
        waiting.add(new Waiting(kept, afterStep));
        return landed + waiting.size();
    }

    /** Runs what has waited for this step. */
    void run(long computed) {
        while (!waiting.isEmpty() && waiting.element().afterStep() <= computed) {
            copy(waiting.remove().copies());
            landed++;
        }
    }

    long landed() {
        return landed;
    }

    /** Runs a list of copies, between tiers or within the device. */
    void copy(PageCopies copies) {
        for (int i = 0; i < copies.count; i++) {
            int group = copies.lifeCycle[i];
            kv.copyPage(
                    group,
                    page(group, copies.fromTier[i], copies.fromPage[i]),
                    page(group, copies.toTier[i], copies.toPage[i]));
        }
    }

    private int page(int group, Tier tier, int page) {
        return tier == Tier.HOST ? firstHostPage[group] + page : page;
    }
}
