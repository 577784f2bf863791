package rondo.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** A cache that keeps nothing: every page belongs to one running sequence. The obvious thing that reuse is held against. */
public final class PlainKvCache implements KvCache {
    private static final class Nothing extends Match {
        @Override
        public int tokens() {
            return 0;
        }

        @Override
        public int hostPages() {
            return 0;
        }
    }

    private static final class Held {
        final int slot;
        final List<int[]> blocks = new ArrayList<>();
        int history;
        int submitted;
        int capacity;

        Held(int slot) {
            this.slot = slot;
        }
    }

    private final KvPools pools;
    private final List<ArrayDeque<Integer>> free = new ArrayList<>();
    private final Map<Integer, Held> held = new HashMap<>();
    private int nextReservation;

    public PlainKvCache(KvPools pools) {
        this.pools = pools;
        for (int slots : pools.deviceSlots()) {
            ArrayDeque<Integer> pages = new ArrayDeque<>();
            for (int p = 1; p < slots; p++) {
                pages.add(p);
            }
            free.add(pages);
        }
    }

    @Override
    public Match match(BlockKeys keys, int limit) {
        return new Nothing();
    }

    @Override
    public OptionalInt admit(Match match, Retention retention, int slot, PageWork out) {
        held.put(++nextReservation, new Held(slot));
        return OptionalInt.of(nextReservation);
    }

    @Override
    public int grow(int reservation, int wanted, int least, PageWork out) {
        Held h = held.get(reservation);
        int b = pools.layout().tokensPerBlock();
        int room = Integer.MAX_VALUE;
        for (ArrayDeque<Integer> pages : free) {
            room = Math.min(room, pages.size());
        }
        int most = (h.blocks.size() + room) * b - h.submitted;
        int granted = wanted;
        if (granted > most) {
            granted = most;
        }
        if (granted < least) {
            return 0;
        }
        while (h.blocks.size() * b < h.submitted + granted) {
            int[] pages = new int[free.size()];
            for (int lc = 0; lc < pages.length; lc++) {
                pages[lc] = free.get(lc).poll();
                out.edit(h.slot, lc, h.blocks.size(), pages[lc]);
            }
            h.blocks.add(pages);
        }
        h.capacity = Math.max(h.capacity, h.submitted + granted);
        return granted;
    }

    @Override
    public void submitted(int reservation, int tokens, long step) {
        Held h = held.get(reservation);
        h.submitted += tokens;
        if (h.submitted > h.capacity) {
            throw new IllegalStateException("submitted beyond capacity");
        }
    }

    @Override
    public void completed(int reservation, int keptTokens, BlockKeys keys) {
        Held h = held.get(reservation);
        h.history += keptTokens;
        h.submitted = h.history;
        if (keys.tokens() < h.history) {
            throw new IllegalStateException("the keys do not cover the history");
        }
    }

    @Override
    public void release(int reservation, long lastStep, boolean commit) {
        for (int[] pages : held.remove(reservation).blocks) {
            for (int lc = 0; lc < pages.length; lc++) {
                free.get(lc).addFirst(pages[lc]);
            }
        }
    }

    @Override
    public boolean ready(int reservation) {
        return true;
    }

    @Override
    public boolean suspend(int reservation, long lastStep, PageWork out) {
        return false;
    }

    @Override
    public boolean resume(int reservation, PageWork out) {
        return false;
    }

    @Override
    public void shrink(int reservation, int capacity) {}

    @Override
    public void demoteAhead(PageWork out) {}

    @Override
    public void fences(long submitted, long completed, long retired) {}

    @Override
    public void copied(long copy) {}

    @Override
    public boolean clear() {
        return held.isEmpty();
    }

    @Override
    public KvStats stats() {
        List<KvStats.Pool> rows = new ArrayList<>();
        for (int lc = 0; lc < free.size(); lc++) {
            int total = pools.deviceSlots().get(lc) - 1;
            int unused = free.get(lc).size();
            rows.add(new KvStats.Pool(lc, Tier.DEVICE, total, unused, 0, total - unused));
        }
        return new KvStats(rows, new KvStats.Counters(0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    @Override
    public int drainEvents(KvEventSink to) {
        return 0;
    }
}
