package rondo.engine.grammar;

import java.util.ArrayList;
import java.util.List;

/** JSON's own lexical parts as expressions, with the white space that guided output may have. */
final class JsonText {
    private static final CharSet CONTROL = CharSet.range(0, 0x1F);
    private static final CharSet MUST_ESCAPE = CONTROL.or(CharSet.of("\"\\"));
    private static final String SHORT_ESCAPED = "\"\\\b\f\n\r\t";
    private static final String SHORT_LETTERS = "\"\\bfnrt";
    private static final Expr HEX =
            new Expr.Chars(CharSet.range('0', '9').or(CharSet.range('a', 'f')).or(CharSet.range('A', 'F')));

    /** One character of a string's inside, in any of JSON's spellings; surrogates in pairs only. */
    static final Expr STRING_CHAR = Expr.alt(
            new Expr.Chars(MUST_ESCAPE.negate()),
            Expr.seq(Expr.text("\\"), Expr.alt(Expr.chars("\"\\/bfnrt"), Expr.seq(Expr.text("u"), unicodeEscape()))));

    static final Expr STRING = Expr.seq(Expr.text("\""), Expr.star(STRING_CHAR), Expr.text("\""));

    private static final Expr DIGIT = Expr.range('0', '9');
    private static final int MAX_INTEGER_DIGITS = 15;
    private static final Expr UNSIGNED_INTEGER =
            Expr.alt(Expr.text("0"), Expr.seq(Expr.range('1', '9'), Expr.repeat(DIGIT, 0, MAX_INTEGER_DIGITS - 1)));

    static final Expr INTEGER = Expr.seq(Expr.optional(Expr.text("-")), UNSIGNED_INTEGER);

    /** At most 32 characters: sign, 15 digits, point and 11 digits, e, sign and 2 digits. */
    static final Expr NUMBER = Expr.seq(
            INTEGER,
            Expr.optional(Expr.seq(Expr.text("."), Expr.repeat(DIGIT, 1, 11))),
            Expr.optional(Expr.seq(Expr.chars("eE"), Expr.optional(Expr.chars("+-")), Expr.repeat(DIGIT, 1, 2))));

    private JsonText() {}

    /** One code point of the set as it is spelled inside a JSON string: the shortest spelling only. */
    static Expr spell(CharSet set) {
        List<Expr> choices = new ArrayList<>();
        CharSet plain = set.minus(MUST_ESCAPE);
        if (!plain.isEmpty()) {
            choices.add(new Expr.Chars(plain));
        }
        CharSet escaped = set.and(MUST_ESCAPE);
        for (int i = 0; i < escaped.size(); i++) {
            for (int c = escaped.low(i); c <= escaped.high(i); c++) {
                choices.add(Expr.text(escape(c)));
            }
        }
        return Expr.alt(choices);
    }

    /** A JSON string literal in its shortest form, non-ASCII kept. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2).append('"');
        for (int c : text.codePoints().toArray()) {
            if (MUST_ESCAPE.contains(c)) {
                out.append(escape(c));
            } else {
                out.appendCodePoint(c);
            }
        }
        return out.append('"').toString();
    }

    private static String escape(int c) {
        int at = SHORT_ESCAPED.indexOf(c);
        return at >= 0 ? "\\" + SHORT_LETTERS.charAt(at) : String.format("\\u%04x", c);
    }

    /** After {@code \}{@code u}: four digits of a scalar value, or a high and a low surrogate. */
    private static Expr unicodeEscape() {
        Expr notD = new Expr.Chars(CharSet.range('0', '9').or(CharSet.of("abcefABCEF")));
        Expr d = Expr.chars("dD");
        Expr scalar = Expr.alt(Expr.seq(notD, HEX, HEX, HEX), Expr.seq(d, Expr.range('0', '7'), HEX, HEX));
        Expr high = Expr.seq(d, Expr.chars("89abAB"), HEX, HEX);
        Expr low = Expr.seq(d, new Expr.Chars(CharSet.of("cdefCDEF")), HEX, HEX);
        return Expr.alt(scalar, Expr.seq(high, Expr.text("\\u"), low));
    }
}
