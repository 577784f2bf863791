package rondo.text.jinja;

import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import rondo.text.jinja.Token.Kind;

/**
 * Splits a template into tokens, with jinja2's white space rules: {@code -} and {@code +} signs, trim_blocks and
 * lstrip_blocks on, one trailing line feed dropped.
 */
final class Lexer {
    private static final Pattern NUMBER = Pattern.compile("0[bB](?:_?[01])+|0[oO](?:_?[0-7])+|0[xX](?:_?[0-9a-fA-F])+"
            + "|[0-9](?:_?[0-9])*(?:(?:\\.[0-9](?:_?[0-9])*)?[eE][+-]?[0-9](?:_?[0-9])*|\\.[0-9](?:_?[0-9])*)"
            + "|[1-9](?:_?[0-9])*|0(?:_?0)*");
    private static final Pattern END_RAW = Pattern.compile("\\{%([-+]?)\\s*endraw\\s*([-+]?)%\\}");
    private static final Pattern BEGIN_RAW = Pattern.compile("\\{%[-+]?\\s*raw\\s*(-?)%\\}");
    private static final String[] OPERATORS = {
        "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[", "]", "(", ")", "{", "}", ">", "<", "=",
        ".", ":", "|", ",", ";"
    };

    private final String source;
    private final List<Token> out = new ArrayList<>();
    private int at;
    private int line = 1;
    /** Whether the position before {@link #at} ends a line (or starts the template). */
    private boolean lineStarting = true;

    private Lexer(String source) {
        this.source = source;
    }

    static List<Token> tokens(String template) {
        String source = template.replace("\r\n", "\n").replace('\r', '\n');
        if (source.endsWith("\n")) {
            source = source.substring(0, source.length() - 1);
        }
        Lexer lexer = new Lexer(source);
        lexer.run();
        lexer.add(Kind.END, "");
        return lexer.out;
    }

    private void run() {
        while (at < source.length()) {
            int open = nextOpen(at);
            if (open < 0) {
                data(source.substring(at));
                advance(source.length());
                return;
            }
            char kind = source.charAt(open + 1);
            char sign = open + 2 < source.length() ? source.charAt(open + 2) : ' ';
            data(beforeTag(source.substring(at, open), kind, sign));
            advance(open);
            switch (kind) {
                case '#' -> comment();
                case '{' -> tag(Kind.VARIABLE_BEGIN, Kind.VARIABLE_END, "}}", sign);
                default -> {
                    Matcher raw = BEGIN_RAW.matcher(source).region(at, source.length());
                    if (raw.lookingAt()) {
                        raw(raw);
                    } else {
                        tag(Kind.BLOCK_BEGIN, Kind.BLOCK_END, "%}", sign);
                    }
                }
            }
        }
    }

    private int nextOpen(int from) {
        for (int i = source.indexOf('{', from); i >= 0 && i + 1 < source.length(); i = source.indexOf('{', i + 1)) {
            char c = source.charAt(i + 1);
            if (c == '{' || c == '%' || c == '#') {
                return i;
            }
        }
        return -1;
    }

    private String beforeTag(String text, char kind, char sign) {
        if (sign == '-') {
            return stripRight(text);
        }
        if (sign != '+' && kind != '{') {
            int start = text.lastIndexOf('\n') + 1;
            if ((start > 0 || lineStarting) && stripRight(text.substring(start)).isEmpty()) {
                return text.substring(0, start);
            }
        }
        return text;
    }

    private void comment() {
        int end = source.indexOf("#}", at + 2);
        if (end < 0) {
            throw error("missing end of comment '#}'");
        }
        char sign = source.charAt(end - 1);
        afterTag(end + 2, end - 1 >= at + 2 ? sign : ' ', true);
    }

    private void raw(Matcher begin) {
        int content = begin.end();
        int bodyFrom = begin.group(1).isEmpty() ? content : skipSpace(content);
        Matcher end = END_RAW.matcher(source);
        if (!end.find(content)) {
            throw error("missing end of raw block");
        }
        advance(content);
        lineStarting = bodyFrom > content && source.charAt(bodyFrom - 1) == '\n';
        String body = source.substring(Math.min(bodyFrom, end.start()), end.start());
        String sign = end.group(1);
        data(beforeTag(body, '%', sign.isEmpty() ? ' ' : sign.charAt(0)));
        advance(end.start());
        afterTag(end.end(), end.group(2).isEmpty() ? ' ' : end.group(2).charAt(0), true);
    }

    private void tag(Kind begin, Kind end, String close, char sign) {
        add(begin, "");
        advance(at + (sign == '-' || sign == '+' ? 3 : 2));
        Deque<Character> open = new ArrayDeque<>();
        while (true) {
            advance(skipSpace(at));
            if (at >= source.length()) {
                throw error("unexpected end of template, expected '" + close + "'");
            }
            if (open.isEmpty()) {
                char c = source.charAt(at);
                boolean block = end == Kind.BLOCK_END;
                boolean signed = (c == '-' || block && c == '+') && source.startsWith(close, at + 1);
                if (signed || source.startsWith(close, at)) {
                    add(end, "");
                    afterTag(at + (signed ? 3 : 2), signed ? c : ' ', block);
                    return;
                }
            }
            inside(open);
        }
    }

    /** Leaves a tag that ends before {@code end}: the sign, or trim_blocks, takes white space after it. */
    private void afterTag(int end, char sign, boolean trimLine) {
        int next = end;
        if (sign == '-') {
            next = skipSpace(end);
        } else if (sign != '+' && trimLine && end < source.length() && source.charAt(end) == '\n') {
            next = end + 1;
        }
        advance(next);
        lineStarting = source.charAt(next - 1) == '\n';
    }

    private void inside(Deque<Character> open) {
        char c = source.charAt(at);
        Matcher number;
        if (c == '\'' || c == '"') {
            string(c);
        } else if (c >= '0' && c <= '9' && (number = NUMBER.matcher(source).region(at, source.length())).lookingAt()) {
            add(Kind.NUMBER, number(number.group()));
            advance(number.end());
        } else if (Character.isUnicodeIdentifierStart(c) || c == '_') {
            int end = at + 1;
            while (end < source.length() && Character.isUnicodeIdentifierPart(source.charAt(end))) {
                end++;
            }
            add(Kind.NAME, source.substring(at, end));
            advance(end);
        } else {
            operator(open);
        }
    }

    private void operator(Deque<Character> open) {
        for (String operator : OPERATORS) {
            if (source.startsWith(operator, at)) {
                balance(operator, open);
                add(Kind.OPERATOR, operator);
                advance(at + operator.length());
                return;
            }
        }
        throw error("unexpected character '" + Character.toString(source.codePointAt(at)) + "'");
    }

    private void balance(String operator, Deque<Character> open) {
        switch (operator) {
            case "(" -> open.push(')');
            case "[" -> open.push(']');
            case "{" -> open.push('}');
            case ")", "]", "}" -> {
                if (open.isEmpty()) {
                    throw error("unexpected '" + operator + "'");
                }
                char expected = open.pop();
                if (expected != operator.charAt(0)) {
                    throw error("unexpected '" + operator + "', expected '" + expected + "'");
                }
            }
            default -> {}
        }
    }

    private static Object number(String text) {
        String digits = text.replace("_", "");
        String lower = digits.toLowerCase(java.util.Locale.ROOT);
        if (lower.startsWith("0x")) {
            return Numbers.norm(new BigInteger(digits.substring(2), 16));
        }
        if (lower.startsWith("0o")) {
            return Numbers.norm(new BigInteger(digits.substring(2), 8));
        }
        if (lower.startsWith("0b")) {
            return Numbers.norm(new BigInteger(digits.substring(2), 2));
        }
        if (lower.indexOf('.') >= 0 || lower.indexOf('e') >= 0) {
            return Double.valueOf(digits);
        }
        return Numbers.norm(new BigInteger(digits));
    }

    private void string(char quote) {
        StringBuilder value = new StringBuilder();
        int i = at + 1;
        while (i < source.length() && source.charAt(i) != quote) {
            char c = source.charAt(i);
            if (c != '\\' || i + 1 >= source.length()) {
                value.append(c);
                i++;
            } else {
                i = escape(i + 1, value);
            }
        }
        if (i >= source.length()) {
            throw error("a string is not closed");
        }
        add(Kind.STRING, value.toString());
        advance(i + 1);
    }

    /** Python's escapes; {@code i} is after the backslash. An unknown one stays as it is written. */
    private int escape(int i, StringBuilder value) {
        char c = source.charAt(i);
        int simple = "\\'\"abfnrtv\n".indexOf(c);
        if (simple >= 0) {
            if (c != '\n') {
                value.append("\\'\"\u0007\b\f\n\r\t\u000B".charAt(simple));
            }
            return i + 1;
        }
        int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
        if (digits > 0) {
            try {
                if (i + 1 + digits <= source.length()) {
                    value.appendCodePoint(Integer.parseInt(source, i + 1, i + 1 + digits, 16));
                    return i + 1 + digits;
                }
            } catch (IllegalArgumentException e) {
                // falls through to the one message
            }
            throw error("bad escape '\\" + c + "' in a string");
        }
        if (c >= '0' && c <= '7') {
            int end = i + 1;
            while (end < Math.min(i + 3, source.length()) && source.charAt(end) >= '0' && source.charAt(end) <= '7') {
                end++;
            }
            value.append((char) Integer.parseInt(source, i, end, 8));
            return end;
        }
        value.append('\\').append(c);
        return i + 1;
    }

    private void data(String text) {
        if (!text.isEmpty()) {
            add(Kind.DATA, text);
        }
    }

    private void add(Kind kind, Object value) {
        out.add(new Token(kind, value, line));
    }

    private void advance(int to) {
        for (int i = at; i < to; i++) {
            if (source.charAt(i) == '\n') {
                line++;
            }
        }
        at = to;
    }

    private int skipSpace(int from) {
        int i = from;
        while (i < source.length() && Strings.isSpace(source.charAt(i))) {
            i++;
        }
        return i;
    }

    private static String stripRight(String text) {
        int end = text.length();
        while (end > 0 && Strings.isSpace(text.charAt(end - 1))) {
            end--;
        }
        return text.substring(0, end);
    }

    private TemplateException error(String reason) {
        return new TemplateException(reason, line, false);
    }
}
