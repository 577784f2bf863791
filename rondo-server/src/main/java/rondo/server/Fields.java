package rondo.server;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;

/**
 * One JSON object of a request, read field by field: absent and null mean the default, anything else must have the
 * right type and range, or a 400 names the field and what was got.
 */
final class Fields {
    private final JsonNode node;
    private final String prefix;
    private final Set<String> known = new HashSet<>();

    Fields(JsonNode node, String prefix) {
        this.node = node;
        this.prefix = prefix;
    }

    /** The body of a request, which must be an object. */
    static Fields body(JsonNode root) throws ApiError {
        if (!root.isObject()) {
            throw ApiError.invalid("body", "the request body must be a JSON object, got " + Values.shown(root));
        }
        return new Fields(root, "");
    }

    /** The full name of a field, as errors print it. */
    String path(String name) {
        return prefix + name;
    }

    /** The value, or null when it is absent or null. */
    @Nullable
    JsonNode raw(String name) {
        known.add(name);
        JsonNode value = node.get(name);
        return value == null || value.isNull() ? null : value;
    }

    boolean has(String name) {
        return raw(name) != null;
    }

    /** Names in the body that nobody asked for. */
    List<String> unknown() {
        List<String> names = new ArrayList<>();
        for (String name : node.propertyNames()) {
            if (!known.contains(name)) {
                names.add(name);
            }
        }
        return names;
    }

    double number(String name, double otherwise, Range range) throws ApiError {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isNumber()) {
            throw wrong(name, "a number", value);
        }
        double number = value.doubleValue();
        if (!range.holds(number)) {
            throw wrong(name, range.text(), value);
        }
        return number;
    }

    long integer(String name, long otherwise, long min, long max) throws ApiError {
        JsonNode value = raw(name);
        return value == null ? otherwise : integer(name, value, min, max);
    }

    private long integer(String name, JsonNode value, long min, long max) throws ApiError {
        if (!isInteger(value)) {
            throw wrong(name, "an integer", value);
        }
        boolean fits = value.isIntegralNumber() ? value.canConvertToLong() : Math.abs(value.doubleValue()) < 1e15;
        long number = fits ? value.longValue() : 0;
        if (!fits || number < min || number > max) {
            throw wrong(name, Range.integers(min, max), value);
        }
        return number;
    }

    private static boolean isInteger(JsonNode value) {
        return value.isIntegralNumber() || value.isNumber() && value.doubleValue() == Math.rint(value.doubleValue());
    }

    boolean flag(String name, boolean otherwise) throws ApiError {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isBoolean()) {
            throw wrong(name, "true or false", value);
        }
        return value.booleanValue();
    }

    String text(String name, String otherwise) throws ApiError {
        JsonNode value = raw(name);
        if (value == null) {
            return otherwise;
        }
        if (!value.isString()) {
            throw wrong(name, "a string", value);
        }
        return value.stringValue();
    }

    /** A string with something in it, or "" when it is absent. */
    String notBlank(String name) throws ApiError {
        JsonNode value = raw(name);
        String text = text(name, "");
        if (value != null && text.isBlank()) {
            throw wrong(name, "a string that is not blank", value);
        }
        return text;
    }

    /** An object's fields; an empty object when it is absent. */
    Fields object(String name) throws ApiError {
        JsonNode value = raw(name);
        if (value != null && !value.isObject()) {
            throw wrong(name, "an object", value);
        }
        return new Fields(value == null ? JsonTree.emptyObject() : value, prefix + name + ".");
    }

    /** An array; an empty one when it is absent. */
    ArrayNode array(String name) throws ApiError {
        JsonNode value = raw(name);
        if (value == null) {
            return JsonTree.emptyArray();
        }
        if (value instanceof ArrayNode array) {
            return array;
        }
        throw wrong(name, "an array", value);
    }

    /** Token ids below the vocabulary's size. */
    int[] tokens(String name, int vocabulary) throws ApiError {
        return tokens(path(name), array(name), vocabulary);
    }

    static int[] tokens(String path, JsonNode array, int vocabulary) throws ApiError {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            JsonNode value = array.get(i);
            boolean ok = value.isIntegralNumber() && value.canConvertToInt();
            if (!ok || value.intValue() < 0 || value.intValue() >= vocabulary) {
                throw ApiError.invalid(
                        path,
                        "'" + path + "[" + i + "]' must be a token id from 0 to " + (vocabulary - 1) + ", got "
                                + Values.shown(value));
            }
            ids[i] = value.intValue();
        }
        return ids;
    }

    ApiError wrong(String name, String expected, JsonNode got) {
        return ApiError.invalid(path(name), "'" + path(name) + "' must be " + expected + ", got " + Values.shown(got));
    }

    ApiError missing(String name) {
        return ApiError.invalid(path(name), "'" + path(name) + "' is required");
    }
}
