package rondo.kv;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import rondo.kv.PlainPools.Page;

/**
 * The cache once more, slow and obvious: a list of prefixes, each with a page per life cycle, and no tree, no key, no
 * table. A match tries every length on every prefix. Every step is awaited before the next is planned. It shares no code
 * with the cache that it judges but the records in which options and scopes are given.
 */
final class PlainCache {
    /** A cached text up to the end of one of its blocks; only the last block of a text may be short. */
    final class Prefix {
        final CacheScope scope;
        final int[] text;
        final Page[] pages = new Page[cycles.size()];
        long used;

        Prefix(CacheScope scope, int[] text) {
            this.scope = scope;
            this.text = text;
        }

        int block() {
            return (text.length - 1) / b;
        }

        int length() {
            return text.length - block() * b;
        }

        boolean isWhole() {
            return Arrays.stream(pages).allMatch(p -> p != null && p.coverage >= length());
        }

        int coverage(int lc) {
            return pages[lc] == null ? 0 : pages[lc].coverage;
        }
    }

    /** One sequence's pages. */
    static final class Seq {
        final CacheScope scope;
        final int[] tokens;
        final int promptTokens;
        final String conversation;
        final List<Map<Integer, Page>> table = new ArrayList<>();
        final Set<Page> committedPages = Collections.newSetFromMap(new IdentityHashMap<>());
        int matched;
        int history;
        int capacity;
        int committed;

        @Nullable
        Prefix last;

        boolean closed;
        /** It keeps a page to itself where that of the prefix was on the host. */
        boolean apart;

        Seq(CacheScope scope, int[] tokens, int promptTokens, String conversation) {
            this.scope = scope;
            this.tokens = tokens;
            this.promptTokens = promptTokens;
            this.conversation = conversation;
        }
    }

    /** A match: so many tokens, and the prefix of which the part of the last block is taken. */
    record Found(int tokens, @Nullable Prefix part) {}

    private record Conversation(CacheScope scope, String id) {}

    private static final class Records {
        final ArrayDeque<Set<Page>> turns = new ArrayDeque<>();
        final Set<Page> unfinished = Collections.newSetFromMap(new IdentityHashMap<>());
        int running;
        long restsSince;
    }

    final int b;
    final List<LifeCycle> cycles;
    final KvOptions options;
    final List<Prefix> prefixes = new ArrayList<>();
    final PlainPools pools;
    private final Map<Conversation, Records> conversations = new HashMap<>();
    private final List<Page> doomed = new ArrayList<>();
    /** Which of several equal choices the other side has made; the rules leave it open. */
    private final BiFunction<List<Prefix>, Page, Prefix> choice;

    private long clock;
    private long now;

    PlainCache(
            int b,
            List<LifeCycle> cycles,
            List<Integer> slots,
            List<Integer> hostSlots,
            KvOptions options,
            BiFunction<List<Prefix>, Page, Prefix> choice) {
        this.b = b;
        this.cycles = cycles;
        this.options = options;
        this.choice = choice;
        pools = new PlainPools(slots, hostSlots, options, b, this::drop);
    }

    // ---- the window

    /** Whether the block matters to the token after the first {@code history} ones. */
    private boolean isNeeded(int lc, int block, int history) {
        LifeCycle c = cycles.get(lc);
        return c.window() == 0 || block < c.sinkBlocks() || (block + 1) * b > history + 1 - c.window();
    }

    // ---- match

    /** The longest usable length, and all prefixes that can give the part of its last block. */
    Map.Entry<Integer, List<Prefix>> longest(CacheScope scope, int[] text, int limit) {
        int most = options.reuse() ? limit : 0;
        while (true) {
            int m = most;
            List<Prefix> parts = parts(scope, text, m, limit);
            while (m > 0 && (m % b == 0 ? !isUsable(scope, text, m, null) : parts.isEmpty())) {
                m--;
                parts = parts(scope, text, m, limit);
            }
            boolean taken = m % b == 0 || options.copyOnPartialReuse() || isFreeLeaf(preferred(parts));
            if (taken) {
                return Map.entry(m, m % b == 0 ? List.of() : parts);
            }
            most = m / b * b; // the part cannot be taken: again without it
        }
    }

    private List<Prefix> parts(CacheScope scope, int[] text, int m, int limit) {
        if (m % b == 0) {
            return List.of();
        }
        return prefixes.stream()
                .filter(p -> p.scope.equals(scope) && p.block() == m / b && p.text.length >= m)
                .filter(p -> Arrays.equals(p.text, 0, m, text, 0, m))
                .filter(p -> options.partialReuse() || (p.text.length == m && m == limit))
                .filter(p -> isUsable(scope, text, m, p))
                .toList();
    }

    /** A whole one before others, then the one used last. */
    Prefix preferred(List<Prefix> parts) {
        return Collections.max(parts, Comparator.comparing(Prefix::isWhole).thenComparing((Prefix p) -> p.used));
    }

    private boolean isUsable(CacheScope scope, int[] text, int m, @Nullable Prefix part) {
        for (int block = 0; block * b < m; block++) {
            int end = Math.min(m, block * b + b);
            Prefix p = end - block * b < b ? part : find(scope, Arrays.copyOf(text, end));
            if (p == null) {
                return false;
            }
            for (int lc = 0; lc < cycles.size(); lc++) {
                if (isNeeded(lc, block, m) && p.coverage(lc) < end - block * b) {
                    return false;
                }
            }
        }
        return true;
    }

    @Nullable
    Prefix find(CacheScope scope, int[] text) {
        for (Prefix p : prefixes) {
            if (p.scope.equals(scope) && Arrays.equals(p.text, text)) {
                return p;
            }
        }
        return null;
    }

    private boolean isLeaf(Prefix p) {
        return children(p.scope, p.text).isEmpty();
    }

    /** Prefixes that go on from a text by one block. */
    private List<Prefix> children(CacheScope scope, int[] text) {
        if (text.length % b != 0) {
            return List.of();
        }
        return prefixes.stream()
                .filter(p -> p.scope.equals(scope) && p.text.length > text.length && p.block() == text.length / b)
                .filter(p -> Arrays.equals(p.text, 0, text.length, text, 0, text.length))
                .toList();
    }

    private boolean isFreeLeaf(Prefix p) {
        return isLeaf(p) && Arrays.stream(p.pages).allMatch(page -> page != null && page.holders == 0);
    }

    // ---- admission

    /** The sequence on its match, or null if there is no room. */
    @Nullable
    Seq admit(Found found, CacheScope scope, int[] tokens, int promptTokens, String conversation) {
        int m = found.tokens;
        Prefix part = found.part;
        List<Prefix> path = new ArrayList<>();
        for (int block = 0; (block + 1) * b <= m; block++) {
            path.add(find(scope, Arrays.copyOf(tokens, (block + 1) * b)));
        }
        boolean copies = part != null && options.copyOnPartialReuse();
        for (int lc = 0; lc < cycles.size(); lc++) {
            int wanted = copies ? 1 : 0;
            int spoken = 0;
            for (int block = 0; block < path.size(); block++) {
                Page page = path.get(block).pages[lc];
                if (isNeeded(lc, block, m)) {
                    wanted += page.onHost ? 1 : 0;
                    spoken += !page.onHost && page.holders == 0 ? 1 : 0;
                }
            }
            if (part != null) {
                wanted += part.pages[lc].onHost && !copies ? 1 : 0;
                spoken += !part.pages[lc].onHost && part.pages[lc].holders == 0 ? 1 : 0;
            }
            if (wanted > 0 && wanted + spoken > pools.room(lc)) {
                return null;
            }
        }
        Seq s = new Seq(scope, tokens, promptTokens, conversation);
        s.history = m;
        s.matched = m;
        s.capacity = m;
        s.committed = path.size() * b;
        s.closed = !options.reuse();
        cycles.forEach(c -> s.table.add(new HashMap<>()));
        for (int block = path.size() - 1; block >= 0; block--) {
            Prefix p = path.get(block);
            for (int lc = 0; lc < cycles.size(); lc++) {
                if (isNeeded(lc, block, m)) {
                    pools.hold(p.pages[lc]);
                    s.table.get(lc).put(block, p.pages[lc]);
                }
            }
            p.used = ++clock;
            s.last = block == path.size() - 1 ? p : s.last;
        }
        if (copies) {
            part.used = ++clock;
            for (Page page : part.pages) {
                pools.hold(page);
            }
            for (int lc = 0; lc < cycles.size(); lc++) {
                int priority = priority(lc, path.size(), promptTokens);
                s.table.get(lc).put(path.size(), pools.copyOf(part.pages[lc], priority));
            }
        } else if (part != null) {
            for (int lc = 0; lc < cycles.size(); lc++) {
                Page page = part.pages[lc];
                part.pages[lc] = null;
                pools.hold(page);
                page.of = null;
                s.table.get(lc).put(path.size(), page);
            }
            prefixes.remove(part);
            prune(find(scope, Arrays.copyOf(tokens, path.size() * b)));
            comeBack(s, path.size());
        }
        for (int block = path.size() - 1; block >= 0; block--) {
            comeBack(s, block);
        }
        if (follows(s)) {
            Records r = conversations.computeIfAbsent(new Conversation(scope, conversation), k -> new Records());
            r.running++;
        }
        return s;
    }

    private void comeBack(Seq s, int block) {
        for (int lc = 0; lc < cycles.size(); lc++) {
            Page page = s.table.get(lc).get(block);
            if (page != null && page.onHost) {
                pools.call(page);
            }
        }
    }

    /** Rule of the end point: the window before the prompt's last token, and as much more as a next turn may cut off. */
    private int priority(int lc, int block, int promptTokens) {
        LifeCycle c = cycles.get(lc);
        int r = options.endpointRewindTokens();
        if (r == 0 || c.window() == 0) {
            return 35;
        }
        int e = promptTokens - 1;
        for (int t = Math.max(0, e - c.window() - r); t < e; t++) {
            if (t / b == block) {
                return 70;
            }
        }
        return block < c.sinkBlocks() ? 70 : 0;
    }

    // ---- dropping

    void drop(Page page) {
        Prefix p = page.of;
        LifeCycle c = cycles.get(page.lc);
        if (c.window() == 0 || p.block() < c.sinkBlocks()) {
            prefixes.stream()
                    .filter(q -> q.scope.equals(p.scope) && q.text.length >= p.text.length)
                    .filter(q -> Arrays.equals(q.text, 0, p.text.length, p.text, 0, p.text.length))
                    .toList()
                    .forEach(this::remove);
        } else {
            p.pages[page.lc] = null;
            pools.orphan(page);
        }
        prune(prefixes.contains(p) ? p : find(p.scope, Arrays.copyOf(p.text, p.block() * b)));
    }

    private void remove(Prefix p) {
        prefixes.remove(p);
        for (Page page : p.pages) {
            if (page != null) {
                pools.orphan(page);
            }
        }
    }

    /** No text can end at a leaf that lacks a page. */
    private void prune(@Nullable Prefix from) {
        Prefix p = from;
        while (p != null && isLeaf(p) && Arrays.asList(p.pages).contains(null)) {
            remove(p);
            p = find(p.scope, Arrays.copyOf(p.text, p.block() * b));
        }
    }

    // ---- growing and writing

    int grow(Seq s, int wanted, int least) {
        int room = Integer.MAX_VALUE;
        for (int lc = 0; lc < cycles.size(); lc++) {
            room = Math.min(room, pools.roomAtOnce(lc));
        }
        int blocks = (s.capacity + b - 1) / b;
        int granted = Math.min(wanted, (blocks + room) * b - s.history);
        if (granted < least) {
            int more = (s.history + least + b - 1) / b - blocks;
            boolean decode = wanted == least && s.history >= s.promptTokens;
            for (int lc = 0; lc < cycles.size(); lc++) {
                if (decode && pools.room(lc) < more) {
                    return 0;
                }
                if (!decode) {
                    pools.makeRoom(lc, more);
                }
            }
            if (!decode) {
                return 0;
            }
            granted = least; // it waits for the copies
        }
        for (int block = blocks; block * b < s.history + granted; block++) {
            for (int lc = 0; lc < cycles.size(); lc++) {
                s.table.get(lc).put(block, pools.create(lc, priority(lc, block, s.promptTokens)));
            }
        }
        s.capacity = Math.max(s.capacity, s.history + granted);
        return granted;
    }

    void completed(Seq s, int tokens) {
        boolean ofPrompt = s.history < s.promptTokens;
        s.history += tokens;
        if (options.policy() == KvOptions.ReusePolicy.ALL_REUSABLE) {
            commit(s, false);
            leaveWindow(s);
        } else {
            leaveWindow(s);
            if (s.history >= s.promptTokens) {
                commit(s, false);
            }
        }
        if (ofPrompt && s.history >= s.promptTokens) {
            supersede(s);
        }
    }

    /** The end points that a whole prompt has gone on from are ordinary from now on; its own is not. */
    private void supersede(Seq s) {
        int r = options.endpointRewindTokens();
        int widest = cycles.stream().mapToInt(LifeCycle::window).max().orElse(0);
        if (!options.supersede() || r == 0 || widest == 0 || s.last == null || !prefixes.contains(s.last)) {
            return;
        }
        int oldest = (s.matched - widest - r) / b - 1;
        for (int block = s.last.block(); block >= Math.max(0, oldest); block--) {
            Prefix p = find(s.scope, Arrays.copyOf(s.tokens, (block + 1) * b));
            for (Page page : p.pages) {
                if (page != null && page.priority == 70 && priority(page.lc, block, s.promptTokens) != 70) {
                    pools.lower(page, 35);
                }
            }
        }
    }

    /** What a step's end brings besides the results. */
    void stepRetired() {
        pools.stepRetired();
        for (Page p : List.copyOf(doomed)) {
            if (!p.dead && p.of != null && p.holders == 0 && !isRecorded(p)) {
                drop(p);
            }
            if (p.dead || p.of == null || isRecorded(p)) {
                doomed.remove(p);
            }
        }
    }

    private void leaveWindow(Seq s) {
        for (int lc = 0; lc < cycles.size(); lc++) {
            for (int block = 0; block * b < s.history; block++) {
                if (!isNeeded(lc, block, s.history) && s.table.get(lc).containsKey(block)) {
                    pools.letGo(s.table.get(lc).remove(block));
                }
            }
        }
    }

    void release(Seq s, boolean commit, boolean over) {
        if (commit) {
            commit(s, true);
        }
        if (over && options.trackDecode() && options.endpointRewindTokens() > 0) {
            for (int lc = 0; lc < cycles.size(); lc++) {
                for (Page p : s.table.get(lc).values()) {
                    if (cycles.get(lc).window() > 0 && p.of != null && isNeededBlockOf(p, s.history)) {
                        p.priority = Math.max(p.priority, 70);
                    }
                }
            }
        }
        Set<Page> record = Collections.newSetFromMap(new IdentityHashMap<>());
        record.addAll(s.committedPages);
        for (int lc = 0; lc < cycles.size() && over; lc++) {
            if (cycles.get(lc).window() > 0) {
                record.addAll(s.table.get(lc).values());
            }
        }
        for (int block = (s.capacity + b - 1) / b - 1; block >= 0; block--) {
            for (int lc = 0; lc < cycles.size(); lc++) {
                Page p = s.table.get(lc).remove(block);
                if (p != null) {
                    pools.letGo(p);
                }
            }
        }
        if (follows(s)) {
            endOfTurn(s, record, over);
        }
    }

    /** Whether it is in the window proper, sinks aside. */
    private boolean isNeededBlockOf(Page p, int history) {
        int block = p.of.block();
        return block * b < history
                && (block + 1) * b > history + 1 - cycles.get(p.lc).window();
    }

    // ---- conversations

    private boolean follows(Seq s) {
        return options.reuse()
                && options.policy() == KvOptions.ReusePolicy.PER_CONVERSATION
                && !s.conversation.isEmpty();
    }

    private void endOfTurn(Seq s, Set<Page> pages, boolean over) {
        Records r = conversations.get(new Conversation(s.scope, s.conversation));
        r.running--;
        r.restsSince = now;
        if (!over) {
            r.unfinished.addAll(pages);
            return;
        }
        pages.addAll(r.unfinished);
        r.unfinished.clear();
        pages.removeIf(p -> p.dead || p.of == null);
        if (pages.isEmpty()) {
            return;
        }
        r.turns.add(pages);
        while (r.turns.size() > options.maxNumTurns()) {
            for (Page p : r.turns.remove()) {
                if (!p.dead && !isRecorded(p)) {
                    if (p.holders > 0) {
                        doomed.add(p);
                    } else {
                        drop(p);
                    }
                }
            }
        }
    }

    private boolean isRecorded(Page p) {
        return conversations.values().stream().anyMatch(r -> r.turns.stream().anyMatch(t -> t.contains(p)));
    }

    void now(long nanos) {
        now = nanos;
        conversations.values().removeIf(r -> r.running == 0 && now - r.restsSince > Conversations.IDLE_NANOS);
    }

    // ---- commit

    private void commit(Seq s, boolean withTail) {
        if (s.closed) {
            return;
        }
        int full = s.history / b;
        int tail = withTail && hasAllPages(s, full) ? s.history % b : 0;
        while (tail == 0 && full > 0 && !hasAllPages(s, full - 1)) {
            full--; // it could not be the end of a text
        }
        boolean again = withTail && s.apart;
        if (s.committed / b >= full && tail == 0 && !again) {
            return;
        }
        if (again || s.last == null || !prefixes.contains(s.last)) {
            s.committed = 0;
        }
        for (int block = s.committed / b; block < full; block++) {
            Prefix p = commitBlock(s, block, b);
            if (p == null) {
                s.closed = true;
                return;
            }
            s.committed = (block + 1) * b;
            s.last = p;
            for (int lc = 0; lc < cycles.size(); lc++) {
                Page page = s.table.get(lc).get(block);
                if (page != null && page.of != null && cycles.get(lc).window() > 0) {
                    s.committedPages.add(page);
                }
            }
        }
        if (tail > 0) {
            commitBlock(s, full, tail);
        }
    }

    private boolean hasAllPages(Seq s, int block) {
        return s.table.stream().allMatch(t -> t.containsKey(block));
    }

    private @Nullable Prefix commitBlock(Seq s, int block, int count) {
        int[] text = Arrays.copyOf(s.tokens, block * b + count);
        Prefix same = find(s.scope, text);
        if (same != null) {
            join(s, same, block, count);
            same.used = ++clock;
            return same;
        }
        List<Prefix> siblings = children(s.scope, Arrays.copyOf(text, block * b));
        List<Prefix> longer = siblings.stream()
                .filter(p -> p.text.length > text.length && Arrays.equals(p.text, 0, text.length, text, 0, text.length))
                .toList();
        if (!longer.isEmpty()) {
            lend(s, longer, block, count);
            return null;
        }
        Prefix p = new Prefix(s.scope, text);
        p.used = ++clock;
        for (int lc = 0; lc < cycles.size(); lc++) {
            attach(p, s.table.get(lc).get(block), count);
        }
        for (Prefix tail : siblings) {
            if (tail.text.length < text.length
                    && Arrays.equals(tail.text, 0, tail.text.length, text, 0, tail.text.length)) {
                for (int lc = 0; lc < cycles.size(); lc++) {
                    if (p.pages[lc] == null && tail.pages[lc] != null) {
                        Page adopted = tail.pages[lc];
                        tail.pages[lc] = null;
                        attach(p, adopted, adopted.coverage);
                    }
                }
                remove(tail);
            }
        }
        prefixes.add(p);
        return p;
    }

    private static void attach(Prefix p, @Nullable Page page, int coverage) {
        if (page != null) {
            p.pages[page.lc] = page;
            page.of = p;
            page.coverage = coverage;
        }
    }

    /** A tail that is the start of longer blocks is of use only where none of these has all its pages. */
    private void lend(Seq s, List<Prefix> longer, int block, int count) {
        if (longer.stream().anyMatch(Prefix::isWhole)) {
            return;
        }
        Page first = s.table.getFirst().get(block);
        Prefix to = longer.size() == 1 ? longer.getFirst() : choice.apply(longer, first);
        for (int lc = 0; lc < cycles.size(); lc++) {
            if (to.pages[lc] == null) {
                attach(to, s.table.get(lc).get(block), count);
            }
        }
    }

    private void join(Seq s, Prefix p, int block, int count) {
        for (int lc = 0; lc < cycles.size(); lc++) {
            Page own = s.table.get(lc).get(block);
            Page theirs = p.pages[lc];
            if (own == null || own == theirs) {
                continue;
            }
            if (theirs != null && theirs.coverage >= count && theirs.onHost) {
                s.apart = true; // ours stays private
            } else if (theirs != null && theirs.coverage >= count) {
                pools.hold(theirs);
                s.table.get(lc).put(block, theirs);
                pools.letGo(own);
            } else {
                if (theirs != null) {
                    p.pages[lc] = null;
                    pools.orphan(theirs);
                }
                attach(p, own, count);
            }
        }
    }
}
