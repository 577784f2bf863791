package rondo.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The pools of {@link PlainCache}: pages in plain lists, slots as mere numbers. A plan's copies to the host land at its end
 * ({@link #endPlan}), and only then are both their slots counted once.
 */
final class PlainPools {
    /** K and V of one block in one life cycle. */
    static final class Page {
        final int lc;
        int priority;
        int coverage;
        int holders = 1;
        /** The prefix to which it belongs; null for a private page. */
        PlainCache.@Nullable Prefix of;

        boolean onHost;
        boolean dead;

        Page(int lc, int priority) {
            this.lc = lc;
            this.priority = priority;
        }
    }

    /** A copy under way: of a page to the host, of a page back to the device, or of a page's bytes into a new one. */
    private record Copy(Page page, boolean out, @Nullable Page source) {}

    /** A page that is to come into a device slot that the copy of another page is yet to leave. */
    private record Waiting(Page page, @Nullable Page source) {}

    final int[] slots;
    final int[] hostSlots;
    final int[] existing;
    final int[] onHost;
    /** Pages that nobody holds, in the order of their release. */
    final List<List<Page>> released = new ArrayList<>();

    final List<List<Page>> hostReleased = new ArrayList<>();
    /** Pages on their way to the host that nobody has hit, in the order in which they left. */
    private final List<List<Page>> leaving = new ArrayList<>();

    private final List<Copy> copies = new ArrayList<>();
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    /** Sources of copies within the device, held until their step is over. */
    private final List<Page> sources = new ArrayList<>();

    final long[] dropped;
    final long[] offloaded;
    final long[] onboarded;
    private boolean dropping;

    private final int threshold;
    private final int[] watermark;
    private final Consumer<Page> drop;

    /** @param drop removes a page and whatever is of no use without it */
    PlainPools(List<Integer> slots, List<Integer> hostSlots, KvOptions options, int b, Consumer<Page> drop) {
        this.slots = slots.stream().mapToInt(i -> i).toArray();
        this.hostSlots = hostSlots.stream().mapToInt(i -> i).toArray();
        this.drop = drop;
        threshold = options.offloadMinPriority();
        int n = slots.size();
        existing = new int[n];
        onHost = new int[n];
        dropped = new long[n];
        offloaded = new long[n];
        onboarded = new long[n];
        watermark = new int[n];
        for (int lc = 0; lc < n; lc++) {
            released.add(new ArrayList<>());
            hostReleased.add(new ArrayList<>());
            leaving.add(new ArrayList<>());
            int ahead = 2 * ((options.maxStepTokens() + b - 1) / b);
            watermark[lc] = this.hostSlots[lc] > 0 ? Math.min(ahead, this.slots[lc] / 4) : 0;
        }
    }

    // ---- holding

    void hold(Page p) {
        p.holders++;
        queueOf(p).remove(p);
    }

    void letGo(Page p) {
        p.holders--;
        settle(p);
    }

    void orphan(Page p) {
        if (dropping && p.holders == 0) {
            dropped[p.lc]++;
        }
        p.of = null;
        settle(p);
    }

    private void settle(Page p) {
        if (p.holders > 0 || copies.stream().anyMatch(c -> c.page == p)) {
            return; // what a copy owns goes when it has landed
        }
        if (p.of == null) {
            queueOf(p).remove(p);
            (p.onHost ? onHost : existing)[p.lc]--;
            p.dead = true;
        } else if (!queueOf(p).contains(p)) {
            queueOf(p).add(p);
        }
    }

    /** Another priority; whoever waits to be evicted waits behind its equals from now on. */
    void lower(Page p, int priority) {
        p.priority = priority;
        if (queueOf(p).remove(p)) {
            queueOf(p).add(p);
        }
    }

    private List<Page> queueOf(Page p) {
        return (p.onHost ? hostReleased : released).get(p.lc);
    }

    // ---- room

    int free(int lc) {
        return slots[lc] - existing[lc];
    }

    /** The pages of a queue, the first victim first. */
    static List<Page> victims(List<Page> queue) {
        return queue.stream().sorted(Comparator.comparingInt(p -> p.priority)).toList();
    }

    /** Whether a victim goes to the host: it is worth it, and there is room, or something of no more worth to drop. */
    private boolean goesToHost(Page p) {
        boolean room = onHost[p.lc] < hostSlots[p.lc]
                || hostReleased.get(p.lc).stream().anyMatch(h -> h.priority <= p.priority);
        return hostSlots[p.lc] > 0 && p.priority >= threshold && room;
    }

    /** Slots that nobody waits for a copy to have. */
    int roomAtOnce(int lc) {
        int sum = free(lc);
        for (Page p : victims(released.get(lc))) {
            if (goesToHost(p)) {
                break;
            }
            sum++;
        }
        return sum;
    }

    int room(int lc) {
        return free(lc) + released.get(lc).size() + leaving.get(lc).size();
    }

    /** A slot; true if it is free now, false if it is that of a page whose copy out has still to land. */
    private boolean takeSlot(int lc) {
        while (free(lc) == 0) {
            List<Page> victims = victims(released.get(lc));
            if (!victims.isEmpty() && !goesToHost(victims.getFirst())) {
                dropForRoom(victims.getFirst());
                continue;
            }
            if (leaving.get(lc).isEmpty() && !sendNext(lc)) {
                throw new AssertionError("no room in life cycle " + lc);
            }
            if (!leaving.get(lc).isEmpty()) {
                Page p = leaving.get(lc).removeFirst();
                p.onHost = true; // its host slot is counted already, its device slot is the new page's
                return false;
            }
        }
        existing[lc]++;
        return true;
    }

    Page create(int lc, int priority) {
        takeSlot(lc);
        return new Page(lc, priority);
    }

    private boolean sendNext(int lc) {
        for (Page victim : victims(released.get(lc))) {
            if (goesToHost(victim)) {
                send(victim);
                return true;
            }
        }
        return false;
    }

    private void send(Page p) {
        while (onHost[p.lc] == hostSlots[p.lc]) {
            dropForRoom(victims(hostReleased.get(p.lc)).getFirst());
        }
        if (p.dead || !released.get(p.lc).remove(p)) {
            return;
        }
        onHost[p.lc]++;
        leaving.get(p.lc).add(p);
        copies.add(new Copy(p, true, null));
        offloaded[p.lc]++;
    }

    private void dropForRoom(Page p) {
        dropping = true;
        drop.accept(p);
        dropping = false;
    }

    /** A prefill that got nothing has room made for the next plan. */
    void makeRoom(int lc, int wanted) {
        while (roomAtOnce(lc) + leaving.get(lc).size() < wanted && sendNext(lc)) {}
    }

    void clear() {
        for (int lc = 0; lc < slots.length; lc++) {
            for (List<Page> queue : List.of(released.get(lc), hostReleased.get(lc))) {
                while (!queue.isEmpty()) {
                    dropForRoom(queue.getFirst());
                }
            }
        }
    }

    // ---- copies into the device

    /** A held page of the host comes back. */
    void call(Page p) {
        bring(new Waiting(p, null));
    }

    /** A new page that becomes a copy of a held one. */
    Page copyOf(Page source, int priority) {
        Page p = new Page(source.lc, priority);
        bring(new Waiting(p, source));
        return p;
    }

    private void bring(Waiting w) {
        if (takeSlot(w.page.lc)) {
            begin(w);
        } else {
            waiting.add(w);
        }
    }

    private void begin(Waiting w) {
        if (w.source != null && !w.source.onHost) {
            sources.add(w.source);
            return;
        }
        copies.add(new Copy(w.page, false, w.source));
        if (w.source == null) {
            onboarded[w.page.lc]++;
        }
    }

    /** Everything that can begin begins, victims are copied ahead of need, and all copies land. */
    void endPlan(boolean copiesWereAwaited) {
        if (copiesWereAwaited) {
            while (!waiting.isEmpty()) {
                begin(waiting.remove());
            }
        }
        for (int lc = 0; lc < slots.length; lc++) {
            makeRoom(lc, watermark[lc]);
        }
        List<Copy> landed = List.copyOf(copies);
        copies.clear();
        for (Copy c : landed) {
            Page p = c.page;
            if (c.out) {
                leaving.get(p.lc).remove(p);
                if (p.onHost) {
                    // its device slot was another page's before it left
                } else if (p.holders == 0) {
                    p.onHost = true;
                    existing[p.lc]--;
                }
                settle(p);
            } else if (c.source == null) {
                p.onHost = false;
                onHost[p.lc]--;
                settle(p);
            } else {
                settle(p);
                letGo(c.source);
            }
        }
    }

    /** The step is over that has carried the copies within the device. */
    void stepRetired() {
        List<Page> done = List.copyOf(sources);
        sources.clear();
        done.forEach(this::letGo);
    }
}
