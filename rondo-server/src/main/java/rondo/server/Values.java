package rondo.server;

import tools.jackson.databind.JsonNode;

/** How a client's own values are quoted back: as JSON, and short whatever was sent. */
final class Values {
    private static final int MAX = 60;

    private Values() {}

    static String cut(String text) {
        if (text.length() <= MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(MAX - 1)) ? MAX - 1 : MAX;
        return text.substring(0, end) + "…";
    }

    /** Never renders a big value whole: objects and arrays are named by their kind. */
    static String shown(JsonNode value) {
        if (value.isObject()) {
            return "an object";
        }
        if (value.isArray()) {
            return "an array of " + value.size();
        }
        if (value.isString()) {
            return "\"" + cut(value.stringValue()) + "\"";
        }
        return cut(value.isNumber() ? value.asString() : value.toString());
    }

    static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }
}
