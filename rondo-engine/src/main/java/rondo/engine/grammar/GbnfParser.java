package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The GBNF dialect of EBNF: {@code root ::= "literal" [a-z]+ ( rule | rule ){2,3}}, comments from {@code #} to the end of
 * the line. A rule ends where the next {@code name ::=} begins.
 */
final class GbnfParser {
    private static final int MAX_DEPTH = 200;
    private static final int MAX_COUNT = 100_000;

    private final int[] text;
    private final GrammarRules rules = new GrammarRules();
    private final Map<String, Integer> ids = new HashMap<>();
    /** Rules that are used, by the place of their first use. */
    private final Map<String, Integer> used = new HashMap<>();

    private final Map<String, Integer> defined = new HashMap<>();
    private int at;
    private int depth;

    private GbnfParser(String grammar) {
        text = grammar.codePoints().toArray();
        ids.put("root", 0);
    }

    static GrammarRules parse(String grammar) {
        return new GbnfParser(grammar).run();
    }

    private GrammarRules run() {
        space();
        while (at < text.length) {
            int start = at;
            String name = name();
            if (name.isEmpty()) {
                throw fault("a rule's name is expected", at);
            }
            space();
            if (!takeDefinition()) {
                throw fault("'::=' is expected after the rule's name '" + name + "'", at);
            }
            if (defined.putIfAbsent(name, start) != null) {
                throw fault("rule '" + name + "' is defined twice", start);
            }
            space();
            rules.body(rule(name), alternatives());
            space();
        }
        if (!defined.containsKey("root")) {
            throw fault("there is no rule 'root'", 0);
        }
        for (Map.Entry<String, Integer> use : used.entrySet()) {
            if (!defined.containsKey(use.getKey())) {
                throw fault("rule '" + use.getKey() + "' is not defined", use.getValue());
            }
        }
        return rules;
    }

    private int rule(String name) {
        return ids.computeIfAbsent(name, rules::define);
    }

    private Expr alternatives() {
        List<Expr> choices = new ArrayList<>();
        do {
            space();
            List<Expr> parts = new ArrayList<>();
            while (at < text.length && text[at] != '|' && text[at] != ')' && !atDefinition()) {
                parts.add(quantified());
                space();
            }
            choices.add(Expr.seq(parts));
        } while (take('|'));
        return Expr.alt(choices);
    }

    private Expr quantified() {
        Expr e = atom();
        while (at < text.length) {
            if (take('*')) {
                e = Expr.star(e);
            } else if (take('+')) {
                e = new Expr.Repeat(e, 1, Expr.Repeat.UNBOUNDED);
            } else if (take('?')) {
                e = Expr.optional(e);
            } else if (text[at] == '{') {
                e = counted(e);
            } else {
                break;
            }
        }
        return e;
    }

    private Expr counted(Expr e) {
        int start = at++;
        space();
        int min = number();
        space();
        int max = min;
        if (take(',')) {
            space();
            max = at < text.length && text[at] == '}' ? Expr.Repeat.UNBOUNDED : number();
            space();
        }
        if (!take('}') || min < 0 || max < min) {
            throw fault("a repetition is written {m}, {m,} or {m,n}", start);
        }
        return new Expr.Repeat(e, min, max);
    }

    private int number() {
        int value = -1;
        while (at < text.length && text[at] >= '0' && text[at] <= '9') {
            value = Math.max(0, value) * 10 + text[at++] - '0';
            if (value > MAX_COUNT) {
                throw fault("a repetition counts beyond " + MAX_COUNT, at);
            }
        }
        return value;
    }

    private Expr atom() {
        int start = at;
        int c = text[at];
        if (c == '"') {
            at++;
            return literal();
        }
        if (c == '[') {
            at++;
            return new Expr.Chars(charClass());
        }
        if (c == '.') {
            at++;
            return new Expr.Chars(CharSet.ALL);
        }
        if (c == '(') {
            at++;
            if (++depth > MAX_DEPTH) {
                throw fault("parentheses are nested more than " + MAX_DEPTH + " deep", start);
            }
            Expr body = alternatives();
            if (!take(')')) {
                throw fault("a parenthesis is not closed", start);
            }
            depth--;
            return body;
        }
        String name = name();
        if (name.isEmpty()) {
            throw fault("'" + Character.toString(c) + "' is not expected here", start);
        }
        used.putIfAbsent(name, start);
        return new Expr.Call(rule(name));
    }

    private Expr literal() {
        int start = at;
        StringBuilder out = new StringBuilder();
        while (!take('"')) {
            if (at >= text.length) {
                throw fault("a literal is not closed", start);
            }
            out.appendCodePoint(character());
        }
        return Expr.text(out.toString());
    }

    private CharSet charClass() {
        int start = at;
        boolean negated = take('^');
        CharSet set = CharSet.NONE;
        while (!take(']')) {
            if (at >= text.length) {
                throw fault("a character class is not closed", start);
            }
            int low = character();
            int high = low;
            if (at + 1 < text.length && text[at] == '-' && text[at + 1] != ']') {
                at++;
                high = character();
            }
            if (high < low) {
                throw fault("a range in a character class is wrong", start);
            }
            set = set.or(CharSet.range(low, high));
        }
        return negated ? set.negate() : set;
    }

    private int character() {
        int c = text[at++];
        if (c != '\\') {
            return c;
        }
        if (at >= text.length) {
            throw fault("a backslash at the end", at);
        }
        int e = text[at++];
        return switch (e) {
            case 'n' -> '\n';
            case 't' -> '\t';
            case 'r' -> '\r';
            case 'x' -> hex(2);
            case 'u' -> hex(4);
            case 'U' -> hex(8);
            case '"', '\\', '[', ']', '-', '^' -> e;
            default -> throw fault("unknown escape \\" + Character.toString(e), at);
        };
    }

    private int hex(int digits) {
        int value = 0;
        for (int i = 0; i < digits; i++) {
            int digit = at < text.length ? Character.digit(text[at++], 16) : -1;
            if (digit < 0 || value > Character.MAX_CODE_POINT) {
                throw fault("hexadecimal digits are wrong", at);
            }
            value = value * 16 + digit;
        }
        if (value > Character.MAX_CODE_POINT) {
            throw fault("not a code point", at);
        }
        return value;
    }

    private String name() {
        StringBuilder out = new StringBuilder();
        while (at < text.length && (Character.isLetterOrDigit(text[at]) || text[at] == '-' || text[at] == '_')) {
            out.appendCodePoint(text[at++]);
        }
        return out.toString();
    }

    private boolean atDefinition() {
        int start = at;
        boolean found = !name().isEmpty();
        space();
        found = found && takeDefinition();
        at = start;
        return found;
    }

    private boolean takeDefinition() {
        if (at + 2 < text.length && text[at] == ':' && text[at + 1] == ':' && text[at + 2] == '=') {
            at += 3;
            return true;
        }
        return false;
    }

    private void space() {
        while (at < text.length) {
            if (text[at] == '#') {
                while (at < text.length && text[at] != '\n') {
                    at++;
                }
            } else if (Character.isWhitespace(text[at])) {
                at++;
            } else {
                return;
            }
        }
    }

    private boolean take(int c) {
        if (at < text.length && text[at] == c) {
            at++;
            return true;
        }
        return false;
    }

    private UnsupportedGrammar fault(String what, int where) {
        int line = 1;
        int column = 1;
        for (int i = 0; i < Math.min(where, text.length); i++) {
            column = text[i] == '\n' ? 1 : column + 1;
            line += text[i] == '\n' ? 1 : 0;
        }
        return new UnsupportedGrammar(
                line + ":" + column, "grammar: " + what + " (line " + line + ", column " + column + ")");
    }
}
