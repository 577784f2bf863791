package rondo.kv;

import java.util.Arrays;

/** Which pages each reservation still waits for: those whose copy into the device has not landed, or not even begun. */
final class Arrivals {
    private final Pages pages;
    private final TierMoves tiers;
    private final Reservations reservations;
    private final int lifeCycles;
    private final int[] missing;
    private int[] reservation = new int[64];
    private int[] page = new int[64];
    private int count;

    Arrivals(CachedBlocks cached, TierMoves tiers, Reservations reservations) {
        this.pages = cached.pages;
        this.tiers = tiers;
        this.reservations = reservations;
        this.lifeCycles = cached.lifeCycles();
        this.missing = new int[reservations.most()];
    }

    /** Tells the executor of a held block's pages, {@code all} or those that are not there, and brings those back. */
    void use(int r, int b, boolean all, PageWork out) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            int of = reservations.page(r, lc, b);
            if (of != Pages.NONE && (all || !pages.isUsable(of))) {
                if (pages.tier[of] == Tier.HOST) {
                    tiers.call(of, out);
                }
                await(r, of);
                out.edit(reservations.slot[r], lc, b, pages.deviceSlot(of));
            }
        }
    }

    /** The reservation waits for this page, unless it is there. */
    void await(int r, int forPage) {
        if (isThere(forPage)) {
            return;
        }
        if (count == page.length) {
            reservation = Arrays.copyOf(reservation, 2 * count);
            page = Arrays.copyOf(page, 2 * count);
        }
        reservation[count] = r;
        page[count++] = forPage;
        missing[r]++;
    }

    /** A private page may be written next: not while a copy still reads it, though nobody wants that copy any more. */
    private boolean isThere(int forPage) {
        boolean stillRead = pages.motion[forPage] == Motion.KEPT && pages.node[forPage] == Pages.NONE;
        return pages.isUsable(forPage) && !stillRead;
    }

    boolean hasAll(int r) {
        return missing[r] == 0;
    }

    /** Looks which pages have come. */
    void update() {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (isThere(page[i])) {
                missing[reservation[i]]--;
            } else {
                reservation[kept] = reservation[i];
                page[kept++] = page[i];
            }
        }
        count = kept;
    }

    /** The reservation waits no longer, whatever comes. */
    void forget(int r) {
        if (missing[r] == 0) {
            return;
        }
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (reservation[i] != r) {
                reservation[kept] = reservation[i];
                page[kept++] = page[i];
            }
        }
        count = kept;
        missing[r] = 0;
    }
}
