package rondo.kv;

/** Gives a sequence the pages that its next tokens need, as many as there is room for. */
final class Growth {
    private static final int NONE = -1;

    private final KvLayout layout;
    private final int tokensPerBlock;
    private final int lifeCycles;
    private final Pages pages;
    private final TierMoves tiers;
    private final Reservations reservations;
    private final Admission admission;

    Growth(KvLayout layout, Pages pages, TierMoves tiers, Reservations reservations, Admission admission) {
        this.layout = layout;
        this.tokensPerBlock = layout.tokensPerBlock();
        this.lifeCycles = layout.lifeCycles().size();
        this.pages = pages;
        this.tiers = tiers;
        this.reservations = reservations;
        this.admission = admission;
    }

    /** As {@link KvCache#grow}; all pages of the reservation are on the device. */
    int grow(int reservation, int wanted, int least, PageWork out) {
        int from = reservations.submitted[reservation];
        int blocks = layout.blocks(reservations.capacity[reservation]);
        int granted = (int) Math.min(wanted, (long) blocks * tokensPerBlock - from);
        if (granted < wanted) { // most decodes have room in the block that they are in
            int room = Integer.MAX_VALUE;
            for (int lc = 0; lc < lifeCycles; lc++) {
                room = Math.min(room, tiers.roomAtOnce(lc));
            }
            granted = (int) Math.min(wanted, ((long) blocks + room) * tokensPerBlock - from);
        }
        if (granted < least) {
            boolean decode = least == wanted && from >= reservations.promptTokens[reservation];
            if (!makeRoom(layout.blocks(from + least) - blocks, decode, out)) {
                return 0;
            }
            granted = least;
        }
        flushEdits(reservation, blocks, out);
        int end = layout.blocks(from + granted);
        for (int b = blocks; b < end; b++) {
            addBlock(reservation, b, out);
        }
        reservations.capacity[reservation] = Math.max(reservations.capacity[reservation], from + granted);
        return granted;
    }

    /** Copies to the host begin to make room for so many blocks; whether somebody who waits for them has it now. */
    private boolean makeRoom(int blocks, boolean waits, PageWork out) {
        boolean has = waits;
        for (int lc = 0; lc < lifeCycles; lc++) {
            if (waits && tiers.room(lc) < blocks) {
                tiers.makeRoomOfResting(lc, blocks, out);
            } else if (!waits) {
                tiers.makeRoom(lc, blocks, out);
            }
            has &= tiers.room(lc) >= blocks;
        }
        return has;
    }

    /** Tells the executor of blocks that commits have moved to other pages since the last run was planned. */
    private void flushEdits(int r, int blocks, PageWork out) {
        for (int b = reservations.editFrom[r]; b < blocks; b++) {
            for (int lc = 0; lc < lifeCycles; lc++) {
                int page = reservations.page(r, lc, b);
                if (page != NONE) {
                    out.edit(reservations.slot[r], lc, b, pages.slot[page]);
                }
            }
        }
        reservations.editFrom[r] = Integer.MAX_VALUE;
    }

    private void addBlock(int r, int b, PageWork out) {
        boolean ofPrompt = b * tokensPerBlock < reservations.promptTokens[r];
        for (int lc = 0; lc < lifeCycles; lc++) {
            admission.newPage(r, lc, b, out);
            if (ofPrompt) {
                admission.missed[lc]++;
            }
        }
    }
}
