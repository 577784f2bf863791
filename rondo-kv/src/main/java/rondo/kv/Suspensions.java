package rondo.kv;

import java.util.Arrays;

/** Lets the pages of sequences that pause move to the host, and brings them back. */
final class Suspensions {
    private static final int NONE = -1;

    private final Pages pages;
    private final TierMoves tiers;
    private final TierCopies copies;
    private final Reservations reservations;
    private final Arrivals arrivals;
    private final double maxUtilisation;
    private final int tokensPerBlock;
    private final int lifeCycles;
    /** What a resumption needs, per life cycle: slots, and pages that could have made room but will be held. */
    private final int[] slots;

    private final int[] spoken;

    /** @param maxUtilisation share of the fullest device pool above which nobody is resumed while others run */
    Suspensions(
            CachedBlocks cached,
            TierMoves tiers,
            TierCopies copies,
            Reservations reservations,
            Arrivals arrivals,
            double maxUtilisation) {
        this.pages = cached.pages;
        this.tiers = tiers;
        this.copies = copies;
        this.reservations = reservations;
        this.arrivals = arrivals;
        this.maxUtilisation = maxUtilisation;
        this.tokensPerBlock = cached.tree.tokensPerBlock;
        this.lifeCycles = cached.lifeCycles();
        slots = new int[lifeCycles];
        spoken = new int[lifeCycles];
    }

    /** The pages queue up as at an end, tail first; false if none of them could move. */
    boolean suspend(int r, long lastStep) {
        if (isBeingFilled(r) || !canMoveSome(r)) {
            return false;
        }
        long step = Math.max(lastStep, reservations.lastStep[r]);
        reservations.lastStep[r] = step;
        reservations.suspended[r] = true;
        arrivals.forget(r);
        for (int b = blocks(r) - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = reservations.page(r, lc, b);
                if (page != NONE) {
                    pages.soften(page, step);
                }
            }
        }
        return true;
    }

    /** Whether the plan at hand carries a copy into one of its pages, or into a slot that one of them has got since. */
    private boolean isBeingFilled(int r) {
        for (int b = blocks(r) - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = reservations.page(r, lc, b);
                if (page != NONE && (pages.filledBy[page] > pages.submitted || isWrittenNext(page))) {
                    return true;
                }
            }
        }
        return false;
    }

    private boolean isWrittenNext(int page) {
        return pages.tier[page] == Tier.DEVICE
                && pages.slots(Tier.DEVICE, pages.lifeCycle[page]).lastStep(pages.slot[page]) > pages.submitted;
    }

    /** Whether the host has room for one of its pages at least. */
    private boolean canMoveSome(int r) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            for (int b = blocks(r) - 1; b >= 0 && tiers.hasHost(lc); b--) {
                int page = reservations.page(r, lc, b);
                boolean alone = page != NONE && pages.holders[page] == pages.softHolders[page] + 1;
                if (alone && pages.tier[page] == Tier.DEVICE && tiers.hasHostRoom(lc, pages.priority[page])) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Fixes the pages again and brings those of the host back; false if there is no room for them all. */
    boolean resume(int r, PageWork out) {
        // With nobody running there is no next step that could be short of pages.
        if (reservations.isOtherRunning(r) && utilisation() > maxUtilisation) {
            return false;
        }
        if (!fits(r)) {
            letOthersMakeRoom(r, out);
            return false;
        }
        reservations.suspended[r] = false;
        for (int b = blocks(r) - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                if (reservations.page(r, lc, b) != NONE) {
                    pages.harden(reservations.page(r, lc, b));
                }
            }
        }
        for (int b = blocks(r) - 1; b >= 0; b--) {
            arrivals.use(r, b, true, out);
        }
        return true;
    }

    /** Unavailable share of the fullest device pool. */
    private double utilisation() {
        double most = 0;
        for (int lc = 0; lc < lifeCycles; lc++) {
            int available = pages.free(lc) + copies.unheld(Tier.DEVICE, lc);
            most = Math.max(most, 1 - (double) available / pages.total(lc));
        }
        return most;
    }

    private boolean fits(int r) {
        Arrays.fill(slots, 0);
        Arrays.fill(spoken, 0);
        for (int b = blocks(r) - 1; b >= 0; b--) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = reservations.page(r, lc, b);
                if (page == NONE) {
                    continue;
                }
                if (pages.tier[page] == Tier.DEVICE) {
                    spoken[lc] += pages.motion[page] == Motion.LEAVING ? 1 : 0;
                } else if (pages.motion[page] < Motion.CALLED) {
                    slots[lc]++;
                }
            }
        }
        boolean fits = true;
        for (int lc = 0; lc < lifeCycles; lc++) {
            fits &= slots[lc] == 0 || slots[lc] + spoken[lc] <= tiers.room(lc);
        }
        return fits;
    }

    /** Sends pages of other suspended sequences out; those of this one stay where they are. */
    private void letOthersMakeRoom(int r, PageWork out) {
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (slots[lc] > 0) {
                hardenStill(r, lc, true);
                tiers.makeRoomOfResting(lc, slots[lc] + spoken[lc], out);
                hardenStill(r, lc, false);
            }
        }
    }

    private void hardenStill(int r, int lc, boolean harden) {
        for (int b = blocks(r) - 1; b >= 0; b--) {
            int page = reservations.page(r, lc, b);
            if (page == NONE || pages.tier[page] != Tier.DEVICE || pages.motion[page] != Motion.STILL) {
                continue;
            }
            if (harden) {
                pages.harden(page);
            } else {
                pages.soften(page, 0);
            }
        }
    }

    private int blocks(int r) {
        return (reservations.capacity[r] + tokensPerBlock - 1) / tokensPerBlock;
    }
}
