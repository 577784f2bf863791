package rondo.text.jinja;

import java.util.Arrays;

/**
 * An immutable string that knows which of its characters came from outside the template ("foreign": message contents,
 * tool descriptions, variables). Indexes are UTF-16 units; equality looks at the characters only.
 */
public final class Text implements CharSequence, Comparable<Text> {
    private static final int[] NONE = {};
    static final Text EMPTY = new Text("", NONE);

    private final String value;
    /** Sorted, disjoint, not adjacent ranges: from, to, from, to, … */
    private final int[] foreign;

    private Text(String value, int[] foreign) {
        this.value = value;
        this.foreign = foreign;
    }

    /** A string of the template's own. */
    public static Text own(String value) {
        return value.isEmpty() ? EMPTY : new Text(value, NONE);
    }

    /** A string from outside the template. */
    public static Text foreign(String value) {
        return value.isEmpty() ? EMPTY : new Text(value, new int[] {0, value.length()});
    }

    /** {@code value} with this text's kind: foreign if any character of this one is. */
    Text like(String changed) {
        return foreign.length == 0 ? own(changed) : foreign(changed);
    }

    /** Whether any character of [from, to) came from outside the template. */
    public boolean isForeign(int from, int to) {
        int low = 0;
        int high = foreign.length / 2 - 1;
        while (low <= high) {
            int mid = (low + high) >>> 1;
            if (foreign[2 * mid + 1] <= from) {
                low = mid + 1;
            } else if (foreign[2 * mid] >= to) {
                high = mid - 1;
            } else {
                return from < to;
            }
        }
        return false;
    }

    /** Whether any character came from outside the template. */
    public boolean isForeign() {
        return foreign.length > 0;
    }

    @Override
    public int length() {
        return value.length();
    }

    @Override
    public char charAt(int index) {
        return value.charAt(index);
    }

    @Override
    public CharSequence subSequence(int from, int to) {
        return substring(from, to);
    }

    Text substring(int from, int to) {
        if (from == 0 && to == value.length()) {
            return this;
        }
        if (from >= to) {
            return EMPTY;
        }
        if (foreign.length == 0) {
            return own(value.substring(from, to));
        }
        return new Builder().append(this, from, to).build();
    }

    Text substring(int from) {
        return substring(from, value.length());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Text t && t.value.equals(value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    @Override
    public int compareTo(Text other) {
        int n = Math.min(value.length(), other.value.length());
        int at = 0;
        while (at < n && value.charAt(at) == other.value.charAt(at)) {
            at++;
        }
        if (at < n) {
            char a = value.charAt(at);
            char b = other.value.charAt(at);
            // by code points: a surrogate belongs to a character above all others
            boolean aHigh = Character.isSurrogate(a);
            return aHigh == Character.isSurrogate(b) ? Character.compare(a, b) : aHigh ? 1 : -1;
        }
        return Integer.compare(value.length(), other.value.length());
    }

    @Override
    public String toString() {
        return value;
    }

    /** Collects text, keeping the ranges. */
    static final class Builder {
        private final StringBuilder chars = new StringBuilder();
        private int[] ranges = new int[16];
        private int used;

        int length() {
            return chars.length();
        }

        Builder append(Text text) {
            return append(text, 0, text.length());
        }

        Builder append(Text text, int from, int to) {
            int shift = chars.length() - from;
            chars.append(text.value, from, to);
            for (int i = 0; i < text.foreign.length; i += 2) {
                int a = Math.max(from, text.foreign[i]);
                int b = Math.min(to, text.foreign[i + 1]);
                if (a < b) {
                    mark(a + shift, b + shift);
                }
            }
            return this;
        }

        private void mark(int from, int to) {
            if (used > 0 && ranges[used - 1] == from) {
                ranges[used - 1] = to;
                return;
            }
            if (used == ranges.length) {
                ranges = Arrays.copyOf(ranges, used * 2);
            }
            ranges[used++] = from;
            ranges[used++] = to;
        }

        Text build() {
            return chars.isEmpty() ? EMPTY : new Text(chars.toString(), used == 0 ? NONE : Arrays.copyOf(ranges, used));
        }
    }
}
