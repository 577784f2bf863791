package rondo.kv;

import java.util.Arrays;

/** A reused list of page copies between slots and tiers, as parallel arrays of {@link #count} entries. */
public final class PageCopies {
    public int count;
    public int[] lifeCycle = new int[16];
    public Tier[] fromTier = new Tier[16];
    public int[] fromPage = new int[16];
    public Tier[] toTier = new Tier[16];
    public int[] toPage = new int[16];

    public void add(int lifeCycle, Tier fromTier, int fromPage, Tier toTier, int toPage) {
        if (count == this.lifeCycle.length) {
            int size = 2 * count;
            this.lifeCycle = Arrays.copyOf(this.lifeCycle, size);
            this.fromTier = Arrays.copyOf(this.fromTier, size);
            this.fromPage = Arrays.copyOf(this.fromPage, size);
            this.toTier = Arrays.copyOf(this.toTier, size);
            this.toPage = Arrays.copyOf(this.toPage, size);
        }
        this.lifeCycle[count] = lifeCycle;
        this.fromTier[count] = fromTier;
        this.fromPage[count] = fromPage;
        this.toTier[count] = toTier;
        this.toPage[count] = toPage;
        count++;
    }

    public void clear() {
        count = 0;
    }
}
