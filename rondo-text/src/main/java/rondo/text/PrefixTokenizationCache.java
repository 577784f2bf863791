package rondo.text;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TokenIds;

/**
 * Remembers the tokens of earlier prompts, so that a prompt which begins like one of them costs only its new part
 * (serve-config.md §3.3). Thread-safe.
 *
 * <p>Exact by construction: texts are cut only where parts encode as in the whole, at added tokens that were recognised
 * and at {@link Tokenizer#lastCut} places; so no seam has to be checked. An entry keeps all its cuts, and a prompt that
 * shares only the beginning of an entry (a preamble, an edited history) profits up to the last cut they share.
 */
public final class PrefixTokenizationCache {
    /** What the cache did so far. */
    public record Stats(long hits, long misses, int entries, long chars) {}

    /** Encodes a part of a text that begins at a cut. */
    interface Part {
        /** Appends the ids of {@code text[from, length)} and notes the cuts on the way. */
        void encode(int from, IdBuffer out, Cuts cuts);
    }

    /**
     * Places where a text may be cut, each with the number of tokens before it and the length of the beginning that
     * makes it one (another text with this beginning may be cut there too); ascending.
     */
    static final class Cuts {
        private int[] data = new int[96];
        private int size;

        void add(int place, int tokens, int needs) {
            if (3 * size == data.length) {
                data = Arrays.copyOf(data, data.length * 2);
            }
            data[3 * size] = place;
            data[3 * size + 1] = tokens;
            data[3 * size++ + 2] = needs;
        }

        /** Index of the last cut that holds in a text with this much of the beginning, -1 if there is none. */
        int last(int common) {
            int low = 0;
            int high = size - 1;
            while (low <= high) {
                int mid = (low + high) >>> 1;
                if (data[3 * mid + 2] <= common) {
                    low = mid + 1;
                } else {
                    high = mid - 1;
                }
            }
            return high;
        }

        int place(int cut) {
            return data[3 * cut];
        }

        int tokens(int cut) {
            return data[3 * cut + 1];
        }

        private void addAll(Cuts from, int count, int tokensBefore) {
            for (int i = 0; i < count; i++) {
                add(from.place(i), from.tokens(i) + tokensBefore, from.data[3 * i + 2]);
            }
        }
    }

    /** @param own places of the special tokens that were recognised: the same text with others is another text */
    private record Entry(String text, int[] own, TokenIds ids, Cuts cuts) {
        /** Characters up to which the other text is the same. */
        int common(String other, int[] otherOwn) {
            int limit = Math.min(text.length(), other.length());
            int same = mismatch(text, other, limit);
            int differs = Arrays.mismatch(own, otherOwn);
            if (differs >= 0) {
                int a = differs < own.length ? own[differs] : Integer.MAX_VALUE;
                int b = differs < otherOwn.length ? otherOwn[differs] : Integer.MAX_VALUE;
                same = Math.min(same, Math.min(a, b));
            }
            return same;
        }

        /** A quick look at the entry's end: whether the other text can begin with all of it. */
        boolean mayBePrefixOf(String other) {
            int n = Math.min(64, text.length());
            return other.length() >= text.length()
                    && other.regionMatches(text.length() - n, text, text.length() - n, n);
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(PrefixTokenizationCache.class);
    private static final int REPORT_EVERY = 1000;
    /** Entries of a bucket that are compared for a shared beginning when none is a whole prefix. */
    private static final int COMPARED = 8;

    private final int maxEntries;
    private final long maxChars;
    private final int minChars;

    private final ReentrantLock lock = new ReentrantLock();
    /** Buckets by the hash of the first {@code minChars} characters, most recent first; and all entries by age. */
    private final Map<Integer, Deque<Entry>> buckets = new HashMap<>();

    private final LinkedHashSet<Identity> byAge = new LinkedHashSet<>();
    private long chars;
    private volatile boolean broken;
    private final AtomicLong hits = new AtomicLong();
    private final AtomicLong misses = new AtomicLong();

    private record Identity(Entry entry) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Identity i && i.entry == entry;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(entry);
        }
    }

    /** The defaults of the configuration: 512 entries, 64 Mi characters, texts from 4,096 characters on. */
    public PrefixTokenizationCache() {
        this(512, 64L << 20, 4096);
    }

    /**
     * @param maxEntries 0 turns the cache off
     * @param maxChars   characters of all entries together
     * @param minChars   shorter texts are not looked up and not kept
     */
    public PrefixTokenizationCache(int maxEntries, long maxChars, int minChars) {
        this.maxEntries = maxEntries;
        this.maxChars = maxChars;
        this.minChars = Math.max(1, minChars);
    }

    /** A cache that keeps nothing. */
    public static PrefixTokenizationCache off() {
        return new PrefixTokenizationCache(0, 0, 1);
    }

    public Stats stats() {
        lock.lock();
        try {
            return new Stats(hits.get(), misses.get(), byAge.size(), chars);
        } finally {
            lock.unlock();
        }
    }

    /** The ids of a text whose recognised special tokens stand at {@code own} (ascending). */
    TokenIds encode(String text, int[] own, Part part) {
        if (maxEntries > 0 && !broken && text.length() >= minChars) {
            try {
                return cached(text, own, part);
            } catch (RuntimeException e) {
                // a fault of the cache never fails a request; a fault of the tokenizer comes again below
                broken = true;
                LOG.warn("tokenization_cache state=off reason=\"{}\"", e.toString(), e);
            }
        }
        IdBuffer out = new IdBuffer(text.length() / 3);
        part.encode(0, out, new Cuts());
        return out.after(TokenIds.empty());
    }

    private TokenIds cached(String text, int[] own, Part part) {
        int bucket = text.substring(0, minChars).hashCode();
        Entry best = null;
        int cut = -1;
        for (Entry entry : candidates(bucket, text)) {
            int at = entry.cuts().last(entry.common(text, own));
            if (at >= 0 && (best == null || entry.cuts().place(at) > best.cuts().place(cut))) {
                best = entry;
                cut = at;
            }
        }
        Cuts cuts = new Cuts();
        TokenIds before = TokenIds.empty();
        int from = 0;
        if (best != null) {
            before = best.ids().prefix(best.cuts().tokens(cut));
            from = best.cuts().place(cut);
            cuts.addAll(best.cuts(), cut + 1, 0);
        }
        (from > 0 ? hits : misses).incrementAndGet();
        Cuts tail = new Cuts();
        IdBuffer out = new IdBuffer((text.length() - from) / 3);
        part.encode(from, out, tail);
        cuts.addAll(tail, tail.size, before.length());
        Entry entry = new Entry(text, own, out.after(before), cuts);
        keep(bucket, entry, best);
        report();
        return entry.ids();
    }

    /** Entries that may share a beginning with the text: one that may be a whole prefix comes alone. */
    private List<Entry> candidates(int bucket, String text) {
        List<Entry> out = new ArrayList<>();
        lock.lock();
        try {
            Deque<Entry> entries = buckets.get(bucket);
            if (entries == null) {
                return out;
            }
            for (Entry entry : entries) {
                if (entry.mayBePrefixOf(text)) {
                    out.add(entry);
                }
            }
            for (Iterator<Entry> all = entries.iterator(); all.hasNext() && out.size() < COMPARED; ) {
                Entry entry = all.next();
                if (!out.contains(entry)) {
                    out.add(entry);
                }
            }
        } finally {
            lock.unlock();
        }
        return out;
    }

    private void keep(int bucket, Entry entry, @Nullable Entry extended) {
        lock.lock();
        try {
            if (extended != null
                    && extended.text().length() <= entry.text().length()
                    && extended.common(entry.text(), entry.own())
                            == extended.text().length()) {
                remove(bucket, extended);
            } else if (extended != null && byAge.remove(new Identity(extended))) {
                byAge.add(new Identity(extended));
            }
            if (entry.text().length() > maxChars) {
                return;
            }
            buckets.computeIfAbsent(bucket, b -> new ArrayDeque<>()).addFirst(entry);
            byAge.add(new Identity(entry));
            chars += entry.text().length();
            while (byAge.size() > maxEntries || chars > maxChars) {
                Entry oldest = byAge.getFirst().entry();
                remove(oldest.text().substring(0, minChars).hashCode(), oldest);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Removing what is gone already does nothing. */
    private void remove(int bucket, Entry entry) {
        if (!byAge.remove(new Identity(entry))) {
            return;
        }
        chars -= entry.text().length();
        Deque<Entry> entries = buckets.get(bucket);
        if (entries != null) {
            entries.removeIf(e -> e == entry);
            if (entries.isEmpty()) {
                buckets.remove(bucket);
            }
        }
    }

    private void report() {
        long total = hits.get() + misses.get();
        if (total % REPORT_EVERY == 0) {
            Stats stats = stats();
            LOG.info(
                    "tokenization_cache requests={} hit_rate={} entries={} chars={}",
                    total,
                    String.format(java.util.Locale.ROOT, "%.3f", (double) stats.hits() / total),
                    stats.entries(),
                    stats.chars());
        }
    }

    /** First index below {@code limit} at which the strings differ, else {@code limit}. */
    private static int mismatch(String a, String b, int limit) {
        // regionMatches compares vectors; halving finds the place without a loop over characters
        int same = 0;
        int step = limit;
        while (step > 0) {
            int n = Math.min(step, limit - same);
            if (n > 0 && a.regionMatches(same, b, same, n)) {
                same += n;
                if (same == limit) {
                    return limit;
                }
            } else {
                step /= 2;
            }
        }
        return same;
    }
}
