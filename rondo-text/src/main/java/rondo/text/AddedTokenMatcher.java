package rondo.text;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import rondo.text.Tokenizer.AddedToken;

/**
 * Finds added tokens in a text, leftmost first and longest at each place, before anything else is tokenized: a trie
 * over their spellings.
 */
final class AddedTokenMatcher {
    /** Says whether the special token spelt at [from, to) may be recognised. */
    @FunctionalInterface
    interface Gate {
        boolean open(int from, int to);
    }

    /** The tokens found: parallel arrays of range and id, in text order. */
    static final class Found {
        private int[] data = new int[48];
        private int count;

        int count() {
            return count;
        }

        int from(int i) {
            return data[3 * i];
        }

        int to(int i) {
            return data[3 * i + 1];
        }

        int id(int i) {
            return data[3 * i + 2];
        }

        /** Index of the first match that begins at or after the place. */
        int firstFrom(int place) {
            int low = 0;
            int high = count;
            while (low < high) {
                int mid = (low + high) >>> 1;
                if (from(mid) < place) {
                    low = mid + 1;
                } else {
                    high = mid;
                }
            }
            return low;
        }

        private void add(int from, int to, int id) {
            if (3 * count == data.length) {
                data = Arrays.copyOf(data, data.length * 2);
            }
            data[3 * count] = from;
            data[3 * count + 1] = to;
            data[3 * count++ + 2] = id;
        }
    }

    private static final class Node {
        char[] keys = new char[0];
        Node[] next = new Node[0];

        @Nullable
        AddedToken token;

        @Nullable
        Node child(char c) {
            int at = Arrays.binarySearch(keys, c);
            return at < 0 ? null : next[at];
        }

        Node grow(char c) {
            int at = Arrays.binarySearch(keys, c);
            if (at >= 0) {
                return next[at];
            }
            int to = -at - 1;
            keys = Arrays.copyOf(keys, keys.length + 1);
            next = Arrays.copyOf(next, next.length + 1);
            System.arraycopy(keys, to, keys, to + 1, keys.length - 1 - to);
            System.arraycopy(next, to, next, to + 1, next.length - 1 - to);
            keys[to] = c;
            next[to] = new Node();
            return next[to];
        }
    }

    private final Node root = new Node();
    private final boolean[] first = new boolean[256];
    private final Set<Integer> closed = new HashSet<>();

    AddedTokenMatcher(List<AddedToken> tokens) {
        for (AddedToken token : tokens) {
            Node at = root;
            for (int i = 0; i < token.content().length(); i++) {
                at = at.grow(token.content().charAt(i));
            }
            at.token = token;
            first[token.content().charAt(0) & 255] = true;
            if (!token.rightStrip() && !token.singleWord()) {
                closed.add(token.id());
            }
        }
        // a token inside a longer one may turn out to be that one
        for (AddedToken token : tokens) {
            for (int from = 0; from < token.content().length(); from++) {
                Node at = root;
                for (int i = from; at != null && i < token.content().length(); i++) {
                    at = at.child(token.content().charAt(i));
                    if (at != null && at.token != null && at.token.id() != token.id()) {
                        closed.remove(at.token.id());
                    }
                }
            }
        }
    }

    /** Whether the end of this token, once it has been read, stays its end whatever text follows. */
    boolean endsAnywhere(int id) {
        return closed.contains(id);
    }

    /** All matches in [start, end) of the text; special tokens only where the gate is open. */
    Found find(String text, int start, int end, Gate gate) {
        Found found = new Found();
        int done = start;
        int at = start;
        while (at < end) {
            if (!first[text.charAt(at) & 255]) {
                at++;
                continue;
            }
            AddedToken token = longest(text, at, end, gate);
            if (token == null) {
                at++;
                continue;
            }
            int from = at;
            int to = at + token.content().length();
            while (token.leftStrip() && from > done && Character.isWhitespace(text.charAt(from - 1))) {
                from--;
            }
            while (token.rightStrip() && to < end && Character.isWhitespace(text.charAt(to))) {
                to++;
            }
            found.add(from, to, token.id());
            done = to;
            at = to;
        }
        return found;
    }

    private @Nullable AddedToken longest(String text, int at, int end, Gate gate) {
        AddedToken best = null;
        Node node = root;
        for (int i = at; i < end; i++) {
            node = node.child(text.charAt(i));
            if (node == null) {
                break;
            }
            AddedToken token = node.token;
            if (token != null
                    && (!token.special() || gate.open(at, i + 1))
                    && (!token.singleWord() || aloneAsWord(text, at, i + 1))) {
                best = token;
            }
        }
        return best;
    }

    private static boolean aloneAsWord(String text, int from, int to) {
        return (from == 0 || !wordCharacter(text.codePointBefore(from)))
                && (to == text.length() || !wordCharacter(text.codePointAt(to)));
    }

    private static boolean wordCharacter(int c) {
        return Character.isLetterOrDigit(c) || c == '_';
    }
}
