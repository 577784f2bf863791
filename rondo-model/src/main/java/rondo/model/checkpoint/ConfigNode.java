package rondo.model.checkpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** An object of a checkpoint's JSON file, read with one clear line for whatever is absent or of the wrong kind. */
public final class ConfigNode {
    private final Path file;
    private final String path;
    private final JsonNode node;

    private ConfigNode(Path file, String path, JsonNode node) {
        this.file = file;
        this.path = path;
        this.node = node;
    }

    /** Reads a file that holds one JSON object. */
    public static ConfigNode read(Path file) {
        JsonNode root;
        try {
            root = Json.mapper().readTree(Files.readAllBytes(file));
        } catch (IOException e) {
            throw Faults.in(file, Files.exists(file) ? "cannot be read: " + e.getMessage() : "not found", e);
        } catch (JacksonException e) {
            throw Faults.in(file, "is not valid JSON: " + Json.fault(e), e);
        }
        if (!root.isObject()) {
            throw Faults.in(file, "must hold a JSON object");
        }
        return new ConfigNode(file, "", root);
    }

    /** Whether the key is there and not null. */
    public boolean has(String key) {
        return !node.path(key).isMissingNode() && !node.path(key).isNull();
    }

    /** Whether the key is there, null or not. */
    public boolean hasKey(String key) {
        return !node.path(key).isMissingNode();
    }

    /** The object under a key; empty if absent or null. */
    public Optional<ConfigNode> child(String key) {
        if (!has(key)) {
            return Optional.empty();
        }
        if (!node.path(key).isObject()) {
            throw wrong(key, "an object");
        }
        return Optional.of(new ConfigNode(file, path + key + ".", node.path(key)));
    }

    /** All keys with their raw values; for maps whose keys are not known beforehand. */
    public Set<Map.Entry<String, JsonNode>> entries() {
        return node.properties();
    }

    public Optional<String> text(String key) {
        if (!has(key)) {
            return Optional.empty();
        }
        if (!node.path(key).isString()) {
            throw wrong(key, "a string");
        }
        return Optional.of(node.path(key).stringValue());
    }

    public List<String> texts(String key) {
        List<String> out = new ArrayList<>();
        for (JsonNode item : array(key)) {
            if (!item.isString()) {
                throw wrong(key, "a list of strings");
            }
            out.add(item.stringValue());
        }
        return out;
    }

    /** A whole number >= 1. */
    public int positive(String key) {
        if (!has(key)) {
            throw fault(key, "is missing");
        }
        JsonNode value = node.path(key);
        if (!value.isIntegralNumber() || !value.canConvertToInt() || value.intValue() < 1) {
            throw wrong(key, "a whole number >= 1");
        }
        return value.intValue();
    }

    public int positive(String key, int otherwise) {
        return has(key) ? positive(key) : otherwise;
    }

    /** A finite number. */
    public double number(String key, double otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        JsonNode value = node.path(key);
        if (!value.isNumber() || !Double.isFinite(value.doubleValue())) {
            throw wrong(key, "a number");
        }
        return value.doubleValue();
    }

    public List<Double> numbers(String key) {
        List<Double> out = new ArrayList<>();
        for (JsonNode item : array(key)) {
            if (!item.isNumber() || !Double.isFinite(item.doubleValue())) {
                throw wrong(key, "a list of numbers");
            }
            out.add(item.doubleValue());
        }
        return out;
    }

    public boolean flag(String key, boolean otherwise) {
        if (!has(key)) {
            return otherwise;
        }
        if (!node.path(key).isBoolean()) {
            throw wrong(key, "true or false");
        }
        return node.path(key).booleanValue();
    }

    /** Token ids written as one number or as a list of them. */
    public List<Integer> tokens(String key) {
        JsonNode value = node.path(key);
        List<Integer> out = new ArrayList<>();
        for (JsonNode item : value.isArray() ? value : List.of(value)) {
            if (!item.isIntegralNumber() || !item.canConvertToInt() || item.intValue() < 0) {
                throw wrong(key, "a token id or a list of them");
            }
            out.add(item.intValue());
        }
        return out;
    }

    /** A fault of one key, to be thrown. */
    public UserError fault(String key, String what) {
        return Faults.in(file, path + key + " " + what);
    }

    /** A fault of one key's value, to be thrown. */
    public UserError wrong(String key, String expected) {
        return fault(key, "must be " + expected + ", got " + node.path(key));
    }

    public Path file() {
        return file;
    }

    private JsonNode array(String key) {
        if (!node.path(key).isArray()) {
            throw wrong(key, "a list");
        }
        return node.path(key);
    }
}
