package rondo.text.parse;

/**
 * Follows one JSON value character by character and says where it ends; strict (RFC 8259), allocates only for depth.
 */
final class JsonScanner {
    /** What a character did. */
    enum Step {
        /** It belongs to the value, which goes on. */
        MORE,
        /** It is the value's last character. */
        LAST,
        /** The value ended before it (a number, whose end only the next character shows). */
        BEFORE,
        /** It cannot stand here. */
        ERROR
    }

    private enum At {
        VALUE,
        FIRST_ITEM,
        AFTER_ITEM,
        FIRST_KEY,
        KEY,
        COLON,
        AFTER_VALUE,
        STRING,
        ESCAPE,
        HEX,
        NUMBER,
        LITERAL
    }

    private static final int MAX_DEPTH = 500;
    private static final java.util.regex.Pattern NUMBER =
            java.util.regex.Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][-+]?[0-9]+)?");

    private final boolean[] objects = new boolean[MAX_DEPTH];
    private int depth;
    private At at = At.VALUE;
    private boolean key;
    private int hexDigits;
    private String literal = "";
    private int literalAt;
    private final StringBuilder number = new StringBuilder();

    /** Whether nothing of the value has come yet but white space. */
    boolean fresh() {
        return depth == 0 && at == At.VALUE;
    }

    Step accept(char c) {
        switch (at) {
            case STRING -> {
                return inString(c);
            }
            case ESCAPE -> {
                if (c == 'u') {
                    hexDigits = 4;
                    at = At.HEX;
                } else if ("\"\\/bfnrt".indexOf(c) >= 0) {
                    at = At.STRING;
                } else {
                    return Step.ERROR;
                }
                return Step.MORE;
            }
            case HEX -> {
                if (Character.digit(c, 16) < 0 || c > 'f') {
                    return Step.ERROR;
                }
                at = --hexDigits == 0 ? At.STRING : At.HEX;
                return Step.MORE;
            }
            case LITERAL -> {
                if (c != literal.charAt(literalAt)) {
                    return Step.ERROR;
                }
                return ++literalAt == literal.length() ? ended() : Step.MORE;
            }
            case NUMBER -> {
                if (c >= '0' && c <= '9' || "+-.eE".indexOf(c) >= 0) {
                    number.append(c);
                    return number.length() > 400 ? Step.ERROR : Step.MORE;
                }
                if (!NUMBER.matcher(number).matches()) {
                    return Step.ERROR;
                }
                return ended() == Step.LAST ? Step.BEFORE : accept(c);
            }
            default -> {
                return c == ' ' || c == '\n' || c == '\t' || c == '\r' ? Step.MORE : structure(c);
            }
        }
    }

    private Step inString(char c) {
        if (c == '\\') {
            at = At.ESCAPE;
        } else if (c == '"') {
            if (key) {
                key = false;
                at = At.COLON;
                return Step.MORE;
            }
            return ended();
        } else if (c < 0x20) {
            return Step.ERROR;
        }
        return Step.MORE;
    }

    private Step structure(char c) {
        switch (at) {
            case COLON -> {
                at = At.VALUE;
                return c == ':' ? Step.MORE : Step.ERROR;
            }
            case AFTER_ITEM -> {
                at = At.VALUE;
                return c == ',' ? Step.MORE : c == ']' ? close() : Step.ERROR;
            }
            case AFTER_VALUE -> {
                at = At.KEY;
                return c == ',' ? Step.MORE : c == '}' ? close() : Step.ERROR;
            }
            case FIRST_KEY, KEY -> {
                if (c == '}' && at == At.FIRST_KEY) {
                    return close();
                }
                key = true;
                at = At.STRING;
                return c == '"' ? Step.MORE : Step.ERROR;
            }
            default -> {
                return c == ']' && at == At.FIRST_ITEM ? close() : begin(c);
            }
        }
    }

    private Step begin(char c) {
        switch (c) {
            case '{', '[' -> {
                if (depth == MAX_DEPTH) {
                    return Step.ERROR;
                }
                objects[depth++] = c == '{';
                at = c == '{' ? At.FIRST_KEY : At.FIRST_ITEM;
            }
            case '"' -> at = At.STRING;
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> {
                if (c != '-' && (c < '0' || c > '9')) {
                    return Step.ERROR;
                }
                number.setLength(0);
                number.append(c);
                at = At.NUMBER;
            }
        }
        return Step.MORE;
    }

    private void word(String text) {
        literal = text;
        literalAt = 1;
        at = At.LITERAL;
    }

    private Step close() {
        depth--;
        return ended();
    }

    /** A value is complete: the whole one, or one inside the current container. */
    private Step ended() {
        if (depth == 0) {
            return Step.LAST;
        }
        at = objects[depth - 1] ? At.AFTER_VALUE : At.AFTER_ITEM;
        return Step.MORE;
    }
}
