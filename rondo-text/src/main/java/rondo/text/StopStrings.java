package rondo.text;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;

/**
 * Searches a stream of text for stop strings and holds back what may still become one: never more than the longest
 * suffix that is the beginning of a stop string. Not thread-safe; one per stream.
 *
 * <p>The stop string that is complete first counts (of several that end together the longest), however the text is cut
 * into pieces. An Aho-Corasick automaton: its depth is the hold-back.
 */
public final class StopStrings {
    /** No stop string was completed. */
    public static final int NONE = -1;

    private final List<String> stops;
    private final boolean include;

    private char[][] keys = {{}};
    private int[][] next = {{}};
    /** Per state: where to go on after a mismatch, which stop string ends here, how many characters to hold back. */
    private int[] fail = {0};

    private int[] match = {NONE};
    private int[] hold = {0};
    private int states = 1;

    private final StringBuilder held = new StringBuilder();
    private int state;

    /**
     * @param stops   non-empty strings; an empty list makes everything pass
     * @param include whether a stop string that is found stays in the output
     */
    public StopStrings(List<String> stops, boolean include) {
        this.stops = List.copyOf(stops);
        this.include = include;
        for (int i = 0; i < stops.size(); i++) {
            if (stops.get(i).isEmpty()) {
                throw new IllegalArgumentException("an empty stop string");
            }
            insert(stops.get(i), i);
        }
        link();
    }

    /**
     * Takes the text of one token and appends what can be shown.
     *
     * @param count false before {@code min_tokens}: a stop string completed in this text is ignored, also later
     * @return the index of the stop string that this text completes (everything from it on is dropped; push nothing
     *     more), or {@link #NONE}
     */
    public int push(CharSequence text, boolean count, StringBuilder out) {
        if (states == 1) {
            out.append(text);
            return NONE;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            held.append(c);
            state = step(state, c);
            int found = match[state];
            if (found != NONE && count) {
                int end = held.length() - (include ? 0 : stops.get(found).length());
                out.append(held, 0, Math.max(0, end));
                held.setLength(0);
                return found;
            }
        }
        int ready = held.length() - hold[state];
        if (ready > 0) {
            out.append(held, 0, ready);
            held.delete(0, ready);
        }
        return NONE;
    }

    /** The end of the stream: what was held back can be shown after all. */
    public void flush(StringBuilder out) {
        out.append(held);
        held.setLength(0);
        state = 0;
    }

    /** The stop string with an index that {@link #push} returned. */
    public String get(int index) {
        return stops.get(index);
    }

    private int step(int from, char c) {
        int at = from;
        while (true) {
            int key = Arrays.binarySearch(keys[at], c);
            if (key >= 0) {
                return next[at][key];
            }
            if (at == 0) {
                return 0;
            }
            at = fail[at];
        }
    }

    private void insert(String stop, int index) {
        int at = 0;
        for (int i = 0; i < stop.length(); i++) {
            int key = Arrays.binarySearch(keys[at], stop.charAt(i));
            if (key >= 0) {
                at = next[at][key];
                continue;
            }
            int to = -key - 1;
            int added = newState();
            keys[at] = Arrays.copyOf(keys[at], keys[at].length + 1);
            next[at] = Arrays.copyOf(next[at], next[at].length + 1);
            System.arraycopy(keys[at], to, keys[at], to + 1, keys[at].length - 1 - to);
            System.arraycopy(next[at], to, next[at], to + 1, next[at].length - 1 - to);
            keys[at][to] = stop.charAt(i);
            next[at][to] = added;
            at = added;
        }
        if (match[at] == NONE) {
            match[at] = index;
        }
    }

    private int newState() {
        if (states == fail.length) {
            keys = Arrays.copyOf(keys, states * 2);
            next = Arrays.copyOf(next, states * 2);
            fail = Arrays.copyOf(fail, states * 2);
            match = Arrays.copyOf(match, states * 2);
            hold = Arrays.copyOf(hold, states * 2);
        }
        keys[states] = new char[0];
        next[states] = new int[0];
        match[states] = NONE;
        return states++;
    }

    private void link() {
        int[] depth = new int[states];
        Deque<Integer> queue = new ArrayDeque<>();
        queue.add(0);
        while (!queue.isEmpty()) {
            int at = queue.remove();
            for (int k = 0; k < keys[at].length; k++) {
                int child = next[at][k];
                depth[child] = depth[at] + 1;
                fail[child] = at == 0 ? 0 : step(fail[at], keys[at][k]);
                queue.add(child);
                if (match[child] == NONE) {
                    match[child] = match[fail[child]];
                }
                hold[child] = keys[child].length > 0 ? depth[child] : hold[fail[child]];
            }
        }
    }
}
