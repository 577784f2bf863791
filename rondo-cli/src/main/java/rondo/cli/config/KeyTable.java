package rondo.cli.config;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** All keys of the configuration, read from {@code keys.table}, which explains its own form. */
final class KeyTable {
    private final Map<String, Key> byPath;
    private final Map<String, List<Key>> children;

    private KeyTable(List<Key> keys) {
        byPath = new LinkedHashMap<>();
        children = new LinkedHashMap<>();
        for (Key key : keys) {
            if (byPath.put(key.path(), key) != null) {
                throw new IllegalStateException("keys.table names " + key.path() + " twice");
            }
            if (!key.isFlag()) {
                children.computeIfAbsent(key.parent(), p -> new ArrayList<>()).add(key);
            }
        }
    }

    static KeyTable load() {
        try (InputStream in = KeyTable.class.getResourceAsStream("keys.table")) {
            if (in == null) {
                throw new IllegalStateException("keys.table is missing from the jar");
            }
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<Key> all() {
        return List.copyOf(byPath.values());
    }

    Optional<Key> exact(String path) {
        return Optional.ofNullable(byPath.get(path));
    }

    Key get(String path) {
        return exact(path).orElseThrow(() -> new IllegalArgumentException("keys.table has no " + path));
    }

    /** The row of a key: its own, or the one whose {@code *} covers it. */
    Optional<Key> find(String parent, String leaf) {
        String path = parent.isEmpty() ? leaf : parent + "." + leaf;
        return exact(path)
                .or(() -> children(parent).stream()
                        .filter(Key::isPattern)
                        .filter(k ->
                                leaf.startsWith(k.leaf().substring(0, k.leaf().length() - 1)))
                        .findFirst());
    }

    /** Rows directly under a path, in the table's order; the root's for the empty path. */
    List<Key> children(String parent) {
        return children.getOrDefault(parent, List.of());
    }

    private static KeyTable parse(String text) {
        List<Key> keys = new ArrayList<>();
        String section = "";
        List<String> row = List.of();
        List<String> notes = new ArrayList<>();
        for (String line : text.lines().toList()) {
            if (line.startsWith("  ")) {
                notes.add(line.strip());
                continue;
            }
            if (!row.isEmpty()) {
                keys.add(key(row, notes, section));
                row = List.of();
                notes = new ArrayList<>();
            }
            if (line.startsWith("## ")) {
                section = line.substring(3).strip();
            } else if (!line.isBlank() && !line.startsWith("#")) {
                row = List.of(line.split(" *\\|(?: +|$)", -1));
            }
        }
        if (!row.isEmpty()) {
            keys.add(key(row, notes, section));
        }
        return new KeyTable(keys);
    }

    private static Key key(List<String> cells, List<String> lines, String section) {
        if (cells.size() < 5) {
            throw new IllegalStateException("keys.table: five cells expected in " + cells);
        }
        String path = cells.get(0).strip();
        String typeText = cells.get(1);
        int space = typeText.indexOf(' ');
        String name = space < 0 ? typeText : typeText.substring(0, space);
        String rest = space < 0 ? "" : typeText.substring(space + 1);
        boolean nullable = name.endsWith("?");
        KeyType type = type(nullable ? name.substring(0, name.length() - 1) : name, rest);
        int or = cells.get(2).indexOf("null=");
        List<Key.ValueNote> notes = new ArrayList<>();
        String to = "";
        boolean secret = false;
        boolean nullResets = false;
        for (String line : lines) {
            if (line.equals("secret")) {
                secret = true;
            } else if (line.equals("null resets")) {
                nullResets = true;
            } else if (line.startsWith("to ")) {
                to = line.substring(3);
            } else {
                notes.add(note(line));
            }
        }
        return new Key(
                path,
                type,
                nullable,
                nullResets,
                standard(type, or == 0 ? "null" : cells.get(2), path),
                or == 0 ? standard(type, cells.get(2).substring(5), path) : new Value.NotSet(),
                Key.Status.valueOf(cells.get(3).toUpperCase(Locale.ROOT)),
                cells.get(4),
                List.copyOf(notes),
                to,
                secret,
                section);
    }

    private static Value standard(KeyType type, String text, String path) {
        if (text.isEmpty() || text.equals("null")) {
            return new Value.NotSet();
        }
        if (text.equals("[]")) {
            return new Value.Items(List.of());
        }
        boolean quoted = text.startsWith("'");
        String inner = quoted ? text.substring(1, text.length() - 1) : text;
        try {
            YamlNode.Style style = quoted ? YamlNode.Style.QUOTED : YamlNode.Style.PLAIN;
            return type.check(new YamlNode.Scalar(inner, style, new Origin.Default()));
        } catch (KeyType.Mismatch e) {
            throw new IllegalStateException("keys.table: the default of " + path + " must be " + e.expected(), e);
        }
    }

    private static Key.ValueNote note(String line) {
        int space = line.indexOf(' ');
        Key.Fate fate = Key.Fate.valueOf(line.substring(0, space).toUpperCase(Locale.ROOT));
        int colon = line.indexOf(" : ");
        String values = colon < 0 ? line.substring(space + 1) : line.substring(space + 1, colon);
        return new Key.ValueNote(
                fate,
                Arrays.stream(values.split(",")).map(String::strip).toList(),
                colon < 0 ? "not built yet" : line.substring(colon + 3));
    }

    private static KeyType type(String name, String rest) {
        if (name.endsWith("[]")) {
            return new KeyType.ListOf(type(name.substring(0, name.length() - 2), rest));
        }
        return switch (name) {
            case "bool" -> new KeyType.Bool();
            case "bool|auto" -> new KeyType.BoolOrAuto();
            case "int" -> new KeyType.Int(Range.parse(rest));
            case "float" -> new KeyType.Real(Range.parse(rest));
            case "bytes" -> new KeyType.Bytes(Range.parse(rest.isEmpty() ? ">= 0" : rest));
            case "pow2" -> {
                Range range = Range.parse(rest);
                yield new KeyType.PowerOfTwo((int) range.low(), (int) range.high());
            }
            case "string", "path" -> new KeyType.Text();
            case "date" -> new KeyType.Day();
            case "enum" -> new KeyType.OneOf(List.of(rest.split(",")));
            case "map" -> new KeyType.Group();
            case "any" -> new KeyType.Anything();
            default -> throw new IllegalStateException("keys.table: unknown type " + name);
        };
    }
}
