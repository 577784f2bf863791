package rondo.text.jinja;

/** A token of the template language; {@code value} is a String, or a number for NUMBER. */
record Token(Kind kind, Object value, int line) {
    enum Kind {
        DATA,
        VARIABLE_BEGIN,
        VARIABLE_END,
        BLOCK_BEGIN,
        BLOCK_END,
        NAME,
        STRING,
        NUMBER,
        OPERATOR,
        END
    }

    String text() {
        return String.valueOf(value);
    }

    boolean is(Kind wanted, String text) {
        return kind == wanted && text.equals(value);
    }

    String describe() {
        return switch (kind) {
            case DATA -> "template text";
            case VARIABLE_END -> "'}}'";
            case BLOCK_END -> "'%}'";
            case VARIABLE_BEGIN -> "'{{'";
            case BLOCK_BEGIN -> "'{%'";
            case END -> "end of template";
            default -> "'" + text() + "'";
        };
    }
}
