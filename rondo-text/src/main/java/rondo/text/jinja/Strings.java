package rondo.text.jinja;

import java.util.ArrayList;
import java.util.List;

/** Python's view of strings: indexes are code points, white space is Unicode's, quoting is repr's. */
final class Strings {
    private Strings() {}

    static boolean isSpace(char c) {
        return switch (c) {
            case ' ', '\t', '\n', '\r', '\u000B', '\f', '\u001C', '\u001D', '\u001E', '\u001F', '\u0085', '\u00A0' ->
                true;
            default -> c >= 0x1680 && (Character.isSpaceChar(c));
        };
    }

    static int length(Text text) {
        return text.toString().codePointCount(0, text.length());
    }

    /** UTF-16 index of the code point with this index. */
    static int offset(Text text, int codePoints) {
        return text.toString().offsetByCodePoints(0, codePoints);
    }

    static List<Object> characters(Text text) {
        List<Object> out = new ArrayList<>();
        for (int i = 0; i < text.length(); ) {
            int next = i + Character.charCount(text.toString().codePointAt(i));
            out.add(text.substring(i, next));
            i = next;
        }
        return out;
    }

    static Text strip(Text text, String chars, boolean left, boolean right) {
        String s = text.toString();
        int from = 0;
        int to = s.length();
        while (left && from < to && strips(s.codePointAt(from), chars)) {
            from += Character.charCount(s.codePointAt(from));
        }
        while (right && to > from && strips(s.codePointBefore(to), chars)) {
            to -= Character.charCount(s.codePointBefore(to));
        }
        return text.substring(from, to);
    }

    /** Strips white space where {@code chars} is empty. */
    private static boolean strips(int c, String chars) {
        return chars.isEmpty() ? c < 0x10000 && isSpace((char) c) : chars.indexOf(c) >= 0;
    }

    /** At most {@code limit} splits, all of them if negative. */
    static List<Object> split(Text text, String separator, int limit) {
        List<Object> out = new ArrayList<>();
        String s = text.toString();
        int from = 0;
        for (int at = s.indexOf(separator); at >= 0 && (limit < 0 || out.size() < limit); ) {
            out.add(text.substring(from, at));
            from = at + separator.length();
            at = s.indexOf(separator, from);
        }
        out.add(text.substring(from));
        return out;
    }

    static List<Object> splitRight(Text text, String separator, int limit) {
        List<Object> out = new ArrayList<>();
        String s = text.toString();
        int to = s.length();
        for (int at = s.lastIndexOf(separator); at >= 0 && (limit < 0 || out.size() < limit); ) {
            out.addFirst(text.substring(at + separator.length(), to));
            to = at;
            at = s.lastIndexOf(separator, at - separator.length());
        }
        out.addFirst(text.substring(0, to));
        return out;
    }

    static List<Object> splitWhite(Text text, int limit) {
        List<Object> out = new ArrayList<>();
        String s = text.toString();
        int i = 0;
        while (true) {
            while (i < s.length() && isSpace(s.charAt(i))) {
                i++;
            }
            if (i == s.length()) {
                return out;
            }
            if (limit >= 0 && out.size() >= limit) {
                out.add(text.substring(i));
                return out;
            }
            int from = i;
            while (i < s.length() && !isSpace(s.charAt(i))) {
                i++;
            }
            out.add(text.substring(from, i));
        }
    }

    static List<Object> splitWhiteRight(Text text, int limit) {
        List<Object> out = new ArrayList<>();
        String s = text.toString();
        int i = s.length();
        while (true) {
            while (i > 0 && isSpace(s.charAt(i - 1))) {
                i--;
            }
            if (i == 0) {
                return out;
            }
            if (limit >= 0 && out.size() >= limit) {
                out.addFirst(text.substring(0, i));
                return out;
            }
            int to = i;
            while (i > 0 && !isSpace(s.charAt(i - 1))) {
                i--;
            }
            out.addFirst(text.substring(i, to));
        }
    }

    static List<Object> lines(Text text, boolean keepEnds) {
        List<Object> out = new ArrayList<>();
        String s = text.toString();
        int from = 0;
        for (int i = 0; i < s.length(); ) {
            char c = s.charAt(i++);
            boolean end = c == '\n'
                    || c == '\r'
                    || c == '\u000B'
                    || c == '\f'
                    || c >= '\u001C' && c <= '\u001E'
                    || c == '\u0085'
                    || c == '\u2028'
                    || c == '\u2029';
            if (end) {
                int to = i - 1;
                if (c == '\r' && i < s.length() && s.charAt(i) == '\n') {
                    i++;
                }
                out.add(text.substring(from, keepEnds ? i : to));
                from = i;
            }
        }
        if (from < s.length()) {
            out.add(text.substring(from));
        }
        return out;
    }

    static Text replace(Text text, Text what, Text by, int limit) {
        String s = text.toString();
        String w = what.toString();
        Text.Builder out = new Text.Builder();
        int count = 0;
        int from = 0;
        if (w.isEmpty()) {
            for (int i = 0; i <= s.length() && (limit < 0 || count < limit); count++) {
                out.append(by);
                int next = i == s.length() ? i + 1 : i + Character.charCount(s.codePointAt(i));
                from = Math.min(next, s.length());
                out.append(text, i, from);
                i = next;
            }
            return out.append(text, from, s.length()).build();
        }
        for (int at = s.indexOf(w); at >= 0 && (limit < 0 || count < limit); at = s.indexOf(w, from)) {
            out.append(text, from, at).append(by);
            from = at + w.length();
            count++;
        }
        return count == 0 ? text : out.append(text, from, s.length()).build();
    }

    /** First letter of each word upper case, the rest lower; a word is a run of letters (Python's str.title). */
    static String title(String s) {
        StringBuilder out = new StringBuilder(s.length());
        boolean inside = false;
        for (int i = 0; i < s.length(); ) {
            int c = s.codePointAt(i);
            boolean letter = Character.isLetter(c);
            out.appendCodePoint(letter ? (inside ? Character.toLowerCase(c) : Character.toTitleCase(c)) : c);
            inside = letter;
            i += Character.charCount(c);
        }
        return out.toString();
    }

    static String capitalize(String s) {
        if (s.isEmpty()) {
            return s;
        }
        int first = s.codePointAt(0);
        return Character.toString(Character.toTitleCase(first))
                + s.substring(Character.charCount(first)).toLowerCase(java.util.Locale.ROOT);
    }

    static void repr(String s, StringBuilder out) {
        char quote = s.indexOf('\'') >= 0 && s.indexOf('"') < 0 ? '"' : '\'';
        out.append(quote);
        for (int i = 0; i < s.length(); ) {
            int c = s.codePointAt(i);
            i += Character.charCount(c);
            switch (c) {
                case '\\' -> out.append("\\\\");
                case '\n' -> out.append("\\n");
                case '\r' -> out.append("\\r");
                case '\t' -> out.append("\\t");
                default -> {
                    if (c == quote) {
                        out.append('\\').append(quote);
                    } else if (printable(c)) {
                        out.appendCodePoint(c);
                    } else {
                        out.append(
                                c < 0x100
                                        ? String.format("\\x%02x", c)
                                        : c < 0x10000 ? String.format("\\u%04x", c) : String.format("\\U%08x", c));
                    }
                }
            }
        }
        out.append(quote);
    }

    private static boolean printable(int c) {
        if (c == ' ') {
            return true;
        }
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SPACE_SEPARATOR -> false;
            default -> true;
        };
    }
}
