package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.List;

/**
 * Regular expressions in the common subset of ECMAScript, Java and Python. Look-around, back references, word borders
 * and flags are refused: a token mask cannot follow them, or dialects differ about them.
 */
final class RegexParser {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_COUNT = 100_000;

    /** One alternative at the top, and whether it is bound to the start and the end of the text. */
    record Alternative(Expr body, boolean fromStart, boolean toEnd) {}

    private final int[] text;
    private int at;
    private int depth;

    private RegexParser(String regex) {
        text = regex.codePoints().toArray();
    }

    /** The whole text must match; anchors at the ends change nothing. */
    static Expr full(String regex) {
        return Expr.alt(
                new RegexParser(regex).top().stream().map(Alternative::body).toList());
    }

    /** Some part of the text must match, as JSON Schema's {@code pattern} says. */
    static Expr search(String regex) {
        Expr any = Expr.star(new Expr.Chars(CharSet.ALL));
        List<Expr> choices = new ArrayList<>();
        for (Alternative a : new RegexParser(regex).top()) {
            List<Expr> parts = new ArrayList<>();
            if (!a.fromStart()) {
                parts.add(any);
            }
            parts.add(a.body());
            if (!a.toEnd()) {
                parts.add(any);
            }
            choices.add(Expr.seq(parts));
        }
        return Expr.alt(choices);
    }

    private List<Alternative> top() {
        List<Alternative> found = new ArrayList<>();
        do {
            boolean fromStart = take('^');
            List<Expr> parts = new ArrayList<>();
            boolean toEnd = false;
            while (at < text.length && text[at] != '|') {
                if (text[at] == '$' && (at + 1 == text.length || text[at + 1] == '|')) {
                    at++;
                    toEnd = true;
                } else {
                    parts.add(quantified());
                }
            }
            found.add(new Alternative(Expr.seq(parts), fromStart, toEnd));
        } while (take('|'));
        return found;
    }

    private Expr alternatives() {
        List<Expr> choices = new ArrayList<>();
        do {
            List<Expr> parts = new ArrayList<>();
            while (at < text.length && text[at] != '|' && text[at] != ')') {
                parts.add(quantified());
            }
            choices.add(Expr.seq(parts));
        } while (take('|'));
        return Expr.alt(choices);
    }

    private Expr quantified() {
        Expr e = atom();
        while (at < text.length) {
            switch (text[at]) {
                case '*' -> e = repeated(e, 0, Expr.Repeat.UNBOUNDED, 1);
                case '+' -> e = repeated(e, 1, Expr.Repeat.UNBOUNDED, 1);
                case '?' -> e = repeated(e, 0, 1, 1);
                case '{' -> {
                    Expr counted = counted(e);
                    if (counted == e) {
                        return e;
                    }
                    e = counted;
                }
                default -> {
                    return e;
                }
            }
        }
        return e;
    }

    private Expr repeated(Expr e, int min, int max, int length) {
        at += length;
        if (take('+')) {
            throw fault("possessive quantifiers are not supported");
        }
        // Lazy or greedy: the language is the same.
        take('?');
        return new Expr.Repeat(e, min, max);
    }

    /** {@code {m}}, {@code {m,}} or {@code {m,n}}; another brace is a literal, for which {@code e} itself is returned. */
    private Expr counted(Expr e) {
        int start = at;
        at++;
        int min = number();
        int max = min;
        if (min >= 0 && take(',')) {
            max = at < text.length && text[at] == '}' ? Expr.Repeat.UNBOUNDED : number();
        }
        if (min < 0 || max < 0 || !take('}')) {
            at = start;
            return e;
        }
        if (max < min) {
            throw fault("a quantifier's bounds are in the wrong order");
        }
        return repeated(e, min, max, 0);
    }

    /** A decimal number, or -1. */
    private int number() {
        int value = -1;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            value = Math.max(0, value) * 10 + text[at++] - '0';
            if (value > MAX_COUNT) {
                throw fault("a quantifier counts beyond " + MAX_COUNT);
            }
        }
        return value;
    }

    private Expr atom() {
        int c = text[at++];
        return switch (c) {
            case '(' -> group();
            case '[' -> new Expr.Chars(charClass());
            case '.' -> new Expr.Chars(RegexClasses.DOT);
            case '\\' -> escape();
            case '^', '$' -> throw fault("anchors are supported at the ends of the expression only");
            case '*', '+', '?' -> throw fault("nothing to repeat");
            case ')' -> throw fault("unbalanced parenthesis");
            default -> new Expr.Chars(CharSet.of(c));
        };
    }

    private Expr group() {
        if (++depth > MAX_DEPTH) {
            throw fault("groups are nested more than " + MAX_DEPTH + " deep");
        }
        if (take('?')) {
            if (!take(':')) {
                groupName();
            }
        }
        Expr body = alternatives();
        if (!take(')')) {
            throw fault("a group is not closed");
        }
        depth--;
        return body;
    }

    private void groupName() {
        take('P');
        boolean named = take('<') && at < text.length && text[at] != '=' && text[at] != '!';
        if (!named) {
            throw fault("look-around and flags are not supported");
        }
        while (!take('>')) {
            if (at >= text.length) {
                throw fault("a group's name is not closed");
            }
            at++;
        }
    }

    private Expr escape() {
        if (at >= text.length) {
            throw fault("a backslash at the end");
        }
        int c = text[at];
        if (c == 'b' || c == 'B' || c == 'A' || c == 'Z' || c == 'z' || c == 'G') {
            throw fault("\\" + Character.toString(c) + " is not supported");
        }
        if (c >= '1' && c <= '9' || c == 'k') {
            throw fault("back references are not supported");
        }
        return new Expr.Chars(escapedSet());
    }

    /** After a backslash, inside or outside a class. */
    private CharSet escapedSet() {
        int c = text[at++];
        return switch (c) {
            case 'd' -> RegexClasses.DIGIT;
            case 'D' -> RegexClasses.DIGIT.negate();
            case 'w' -> RegexClasses.WORD;
            case 'W' -> RegexClasses.WORD.negate();
            case 's' -> RegexClasses.SPACE;
            case 'S' -> RegexClasses.SPACE.negate();
            case 'p' -> property();
            case 'P' -> property().negate();
            case 'n' -> CharSet.of('\n');
            case 't' -> CharSet.of('\t');
            case 'r' -> CharSet.of('\r');
            case 'f' -> CharSet.of('\f');
            case 'v' -> CharSet.of(0x0B);
            case '0' -> CharSet.of(0);
            case 'c' -> control();
            case 'x' -> CharSet.of(hex(2));
            case 'u' -> CharSet.of(unicode());
            default -> {
                if (Character.isLetterOrDigit(c)) {
                    throw fault("\\" + Character.toString(c) + " is not supported");
                }
                yield CharSet.of(c);
            }
        };
    }

    private CharSet property() {
        if (!take('{')) {
            throw fault("a property needs braces");
        }
        StringBuilder name = new StringBuilder();
        while (!take('}')) {
            if (at >= text.length) {
                throw fault("a property's name is not closed");
            }
            name.appendCodePoint(text[at++]);
        }
        CharSet set = RegexClasses.property(name.toString());
        if (set.isEmpty()) {
            throw fault("the Unicode property '" + name + "' is not supported");
        }
        return set;
    }

    private CharSet control() {
        if (at >= text.length || !Character.isLetter(text[at]) || text[at] > 'z') {
            throw fault("\\c needs a letter");
        }
        return CharSet.of(text[at++] % 32);
    }

    private int unicode() {
        if (take('{')) {
            int value = 0;
            while (!take('}')) {
                value = value * 16 + hex(1);
                if (value > Character.MAX_CODE_POINT) {
                    throw fault("not a code point");
                }
            }
            return value;
        }
        int first = hex(4);
        boolean pair = Character.isHighSurrogate((char) first)
                && at + 1 < text.length
                && text[at] == '\\'
                && text[at + 1] == 'u';
        if (!pair) {
            return first;
        }
        at += 2;
        return Character.toCodePoint((char) first, (char) hex(4));
    }

    private int hex(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = at < text.length ? Character.digit(text[at++], 16) : -1;
            if (digit < 0) {
                throw fault("hexadecimal digits are missing");
            }
            value = value * 16 + digit;
        }
        return value;
    }

    private CharSet charClass() {
        boolean negated = take('^');
        CharSet set = CharSet.NONE;
        boolean first = true;
        while (first || at >= text.length || text[at] != ']') {
            if (at >= text.length) {
                throw fault("a character class is not closed");
            }
            if (text[at] == ']') {
                break;
            }
            first = false;
            CharSet low = classItem();
            boolean range = at + 1 < text.length && text[at] == '-' && text[at + 1] != ']';
            if (!range) {
                set = set.or(low);
                continue;
            }
            at++;
            CharSet high = classItem();
            boolean single =
                    low.size() == 1 && low.low(0) == low.high(0) && high.size() == 1 && high.low(0) == high.high(0);
            if (!single || low.low(0) > high.low(0)) {
                throw fault("a range in a character class is wrong");
            }
            set = set.or(CharSet.range(low.low(0), high.low(0)));
        }
        at++;
        return negated ? set.negate() : set;
    }

    private CharSet classItem() {
        int c = text[at++];
        if (c == '[' && at < text.length && text[at] == ':' || c == '&' && at < text.length && text[at] == '&') {
            throw fault("named classes and set operations in a character class are not supported");
        }
        if (c != '\\') {
            return CharSet.of(c);
        }
        if (at >= text.length) {
            throw fault("a backslash at the end");
        }
        if (text[at] == 'b') {
            at++;
            return CharSet.of('\b');
        }
        return escapedSet();
    }

    private boolean take(int c) {
        if (at < text.length && text[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    private UnsupportedGrammar fault(String what) {
        return new UnsupportedGrammar("character " + at, "regex: " + what);
    }
}
