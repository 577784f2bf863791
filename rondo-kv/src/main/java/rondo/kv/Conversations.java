package rondo.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The policy {@code per_conversation} (kv-cache.md, §6): the window pages that a finished turn committed or held at its
 * end are its record; of each conversation the last few records are kept, and what only an older one names is dropped at
 * once instead of waiting for its eviction.
 */
final class Conversations {
    /** A conversation that rests longer forgets its records; their pages live on by eviction order alone. */
    static final long IDLE_NANOS = 3_600_000_000_000L;

    private static final int NONE = -1;
    private static final int SWEEP_AT_LEAST = 1024;

    /** The salt belongs to the name: nobody can drop another tenant's pages by guessing an id. */
    private record Name(CacheScope scope, String id) {}

    private static final class Conversation {
        final Name name;
        /** Oldest first. */
        final ArrayDeque<PageSet> records = new ArrayDeque<>();
        /** What turns committed that were paused or failed; it goes into the next record. */
        final PageSet unfinished = new PageSet();

        int running;
        long idleSince;

        Conversation(Name name) {
            this.name = name;
        }
    }

    private final CachedBlocks cached;
    private final Pages pages;
    private final Reservations reservations;
    private final boolean on;
    private final int maxTurns;
    /** The one that began or ended a turn last is last. */
    private final Map<Name, Conversation> conversations = new LinkedHashMap<>(16, 0.75f, true);
    /** By reservation: its conversation, if it has one, and what it has committed so far. */
    private final @Nullable Conversation[] of;

    private final PageSet[] committed;
    /** Per page: in how many records it is, in the generation beside it. */
    private final int[] records;

    private final int[] recordsOf;
    /** Per page: the last record that was made with it, so that it is in a record but once. */
    private final int[] seen;

    private int seenClock;
    /** Pages in no record any more that could not be dropped because somebody held them. */
    private final PageSet held = new PageSet();

    private int sweepAt = SWEEP_AT_LEAST;
    private long now;

    Conversations(CachedBlocks cached, Reservations reservations, KvOptions options) {
        this.cached = cached;
        this.pages = cached.pages;
        this.reservations = reservations;
        on = options.reuse() && options.policy() == KvOptions.ReusePolicy.PER_CONVERSATION;
        maxTurns = options.maxNumTurns();
        of = new Conversation[reservations.most()];
        committed = new PageSet[on ? reservations.most() : 0];
        for (int r = 0; r < committed.length; r++) {
            committed[r] = new PageSet();
        }
        int limit = on ? pages.limit() : 0;
        records = new int[limit];
        recordsOf = new int[limit];
        seen = new int[limit];
    }

    /** A turn is admitted. */
    void begin(int r, CacheScope scope, Retention retention) {
        of[r] = null;
        if (!on || retention.excluded() || retention.conversation().isEmpty()) {
            return;
        }
        Name name = new Name(scope, retention.conversation());
        Conversation c = conversations.get(name);
        if (c == null) {
            if (conversations.size() >= sweepAt) {
                forgetDead();
            }
            c = new Conversation(name);
            conversations.put(name, c);
        }
        c.running++;
        of[r] = c;
        committed[r].clear();
    }

    /** Block {@code b} of a sequence is in the tree now. */
    void committed(int r, int b) {
        if (of[r] != null) {
            for (int lc = 0; lc < cached.lifeCycles(); lc++) {
                addWindowPage(r, lc, b, committed[r]);
            }
        }
    }

    /** The sequence's pages are about to be let go; {@code over} says whether its turn is finished. */
    void collect(int r, boolean over) {
        if (of[r] == null || !over) {
            return;
        }
        for (int lc = 0; lc < cached.lifeCycles(); lc++) {
            int blocks = (reservations.capacity[r] + cached.tree.tokensPerBlock - 1) / cached.tree.tokensPerBlock;
            int sinks = Math.min(cached.lifeCycle(lc).sinkBlocks(), blocks);
            for (int b = 0; b < sinks; b++) {
                addWindowPage(r, lc, b, committed[r]);
            }
            for (int b = Math.max(sinks, reservations.released(r, lc)); b < blocks; b++) {
                addWindowPage(r, lc, b, committed[r]);
            }
        }
    }

    private void addWindowPage(int r, int lc, int b, PageSet to) {
        int page = reservations.page(r, lc, b);
        if (page != NONE && !cached.lifeCycle(lc).isFull() && pages.node[page] != NONE) {
            to.add(pages, page);
        }
    }

    /** The sequence's pages have been let go. A finished turn's record takes its place behind the others. */
    void end(int r, boolean over) {
        Conversation c = of[r];
        of[r] = null;
        if (c == null) {
            return;
        }
        c.running--;
        c.idleSince = now;
        // A look-up moves it behind those that are idle for longer.
        conversations.get(c.name);
        if (!over) {
            addLiving(committed[r], c.unfinished);
            return;
        }
        PageSet record = new PageSet();
        seenClock++;
        addOnce(c.unfinished, record);
        addOnce(committed[r], record);
        c.unfinished.clear();
        if (record.size() == 0) {
            return; // a turn that left nothing must not push out one that did
        }
        c.records.add(record);
        while (c.records.size() > maxTurns) {
            drop(c.records.remove());
        }
    }

    private void addLiving(PageSet from, PageSet to) {
        for (int i = 0; i < from.size(); i++) {
            int page = from.get(pages, i);
            if (page != NONE) {
                to.add(pages, page);
            }
        }
    }

    private void addOnce(PageSet from, PageSet record) {
        for (int i = 0; i < from.size(); i++) {
            int page = from.get(pages, i);
            if (page == NONE || pages.node[page] == NONE) {
                continue;
            }
            if (recordsOf[page] != pages.generation[page]) {
                recordsOf[page] = pages.generation[page];
                records[page] = 0;
                seen[page] = 0;
            }
            if (seen[page] != seenClock) {
                seen[page] = seenClock;
                records[page]++;
                record.add(pages, page);
            }
        }
    }

    private boolean isRecorded(int page) {
        return recordsOf[page] == pages.generation[page] && records[page] > 0;
    }

    private void drop(PageSet record) {
        forget(record);
        for (int i = 0; i < record.size(); i++) {
            int page = record.get(pages, i);
            if (page != NONE && !isRecorded(page) && !tryDrop(page)) {
                held.add(pages, page);
            }
        }
    }

    /** False if somebody holds it. */
    private boolean tryDrop(int page) {
        if (pages.node[page] == NONE) {
            return true; // it goes with its last holder
        }
        if (pages.holders[page] > 0) {
            return false;
        }
        cached.discard(page);
        return true;
    }

    private void forget(PageSet record) {
        for (int i = 0; i < record.size(); i++) {
            int page = record.get(pages, i);
            if (page != NONE) {
                records[page]--;
            }
        }
    }

    /** Drops what was held when its last record went, as soon as nobody holds it and no later record names it. */
    void sweep() {
        int kept = 0;
        for (int i = 0; i < held.size(); i++) {
            int page = held.get(pages, i);
            if (page != NONE && !isRecorded(page) && !tryDrop(page)) {
                held.move(i, kept++);
            }
        }
        held.truncate(kept);
    }

    /** What time it is, in nanoseconds of some clock: conversations that rest too long are forgotten. */
    void now(long nanos) {
        now = nanos;
        Iterator<Conversation> eldest = conversations.values().iterator();
        while (eldest.hasNext()) {
            Conversation c = eldest.next();
            if (c.running > 0) {
                continue;
            }
            if (now - c.idleSince <= IDLE_NANOS) {
                return;
            }
            c.records.forEach(this::forget);
            eldest.remove();
        }
    }

    /** Conversations of which nothing is left have nothing to forget: so there are never many more than pages. */
    private void forgetDead() {
        conversations.values().removeIf(c -> c.running == 0 && isDead(c));
        sweepAt = Math.max(SWEEP_AT_LEAST, 2 * conversations.size());
    }

    private boolean isDead(Conversation c) {
        for (PageSet record : c.records) {
            for (int i = 0; i < record.size(); i++) {
                if (record.get(pages, i) != NONE) {
                    return false;
                }
            }
        }
        for (int i = 0; i < c.unfinished.size(); i++) {
            if (c.unfinished.get(pages, i) != NONE) {
                return false;
            }
        }
        return true;
    }

    /** The records of a conversation, oldest first, each page as "id:generation"; for tests. */
    List<List<String>> recordsOf(CacheScope scope, String conversation) {
        List<List<String>> out = new ArrayList<>();
        for (Conversation c : conversations.values()) {
            if (c.name.equals(new Name(scope, conversation))) {
                c.records.forEach(record -> out.add(record.names()));
            }
        }
        return out;
    }

    /** Conversations that are remembered; for tests. */
    int size() {
        return conversations.size();
    }
}
