package rondo.cli.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Holds what was written, in the file and on the command line, against the key table. */
final class ConfigReader {
    /** Names listed when no known key is near an unknown one. */
    private static final int LISTED = 8;

    private final KeyTable table;
    private final Problems problems;
    private final Map<String, Setting> given = new LinkedHashMap<>();
    private final List<YamlNode.Entry> aliases = new ArrayList<>();

    ConfigReader(KeyTable table, Problems problems) {
        this.table = table;
        this.problems = problems;
    }

    /** Every active setting: the command line's value, else the file's, else the default. */
    Settings read(YamlNode.Mapping root, List<FlagValue> flags) {
        walk(root, "", false);
        aliases.forEach(this::alias);
        for (FlagValue flag : flags) {
            flag(flag);
        }
        List<Setting> all = new ArrayList<>();
        for (Key key : table.all()) {
            boolean active = key.status() == Key.Status.ACTIVE && !key.isGroup() && !key.isFlag();
            if (active) {
                Setting standard = new Setting(key, key.standard(), new Origin.Default());
                all.add(given.getOrDefault(key.path(), standard));
            }
        }
        return new Settings(all);
    }

    /** What was written for a key, be it active or not. */
    Optional<Setting> given(String path) {
        return Optional.ofNullable(given.get(path));
    }

    private void walk(YamlNode.Mapping mapping, String parent, boolean settled) {
        for (YamlNode.Entry entry : mapping.entries()) {
            Optional<Key> row = table.find(parent, entry.key());
            String path = parent.isEmpty() ? entry.key() : parent + "." + entry.key();
            if (row.isEmpty()) {
                unknown(parent, path, entry);
            } else {
                accept(row.get(), path, entry.value(), entry.origin(), settled);
            }
        }
    }

    /** @param settled whether the group around the key has been refused or noted as a whole */
    private void accept(Key key, String path, YamlNode node, Origin origin, boolean settled) {
        switch (key.status()) {
            case RENAMED -> problems.add(origin, path + " was renamed to " + key.to());
            case ALIAS -> aliases.add(new YamlNode.Entry(path, node, origin));
            default -> {
                if (key.isGroup()) {
                    group(key, path, node, origin, settled);
                } else {
                    leaf(key, path, node, origin, settled);
                }
            }
        }
    }

    private void group(Key key, String path, YamlNode node, Origin origin, boolean settled) {
        boolean isNull = node instanceof YamlNode.Scalar s && s.isNull();
        if (isNull && key.nullable()) {
            if (key.status() == Key.Status.GPU) {
                given.put(path, new Setting(key, new Value.NotSet(), origin));
            }
            return;
        }
        if (!(node instanceof YamlNode.Mapping mapping)) {
            problems.mustBe(origin, path, "a mapping", node.show());
            return;
        }
        given.put(path, new Setting(key, new Value.Opaque(node.flow()), origin));
        boolean whole = key.status() == Key.Status.LATER;
        if (whole && !settled) {
            problems.unsupported(origin, path, "", "not built yet");
        }
        if (!table.children(path).isEmpty()) {
            walk(mapping, path, settled || whole);
        }
    }

    private void leaf(Key key, String path, YamlNode node, Origin origin, boolean settled) {
        Value value;
        if (node instanceof YamlNode.Scalar s && s.isNull() && (key.nullable() || key.nullResets())) {
            value = key.nullResets() ? key.standard() : new Value.NotSet();
        } else {
            try {
                value = key.type().check(node);
            } catch (KeyType.Mismatch e) {
                String got = key.secret() ? "***" : e.got().show();
                problems.mustBe(place(e.got(), origin), path + e.suffix(), e.expected(), got);
                return;
            }
        }
        Optional<Key.ValueNote> note = key.noteFor(value);
        String shown = shown(key, node, value);
        if (note.isPresent() && !settled) {
            switch (note.get().fate()) {
                case LATER, REFUSE -> {
                    problems.unsupported(origin, path, shown, note.get().reason());
                    return;
                }
                case NOTE -> problems.noEffect(origin, path, shown, note.get().reason());
            }
        } else if (!settled && !key.isDefault(value)) {
            remark(key, path, shown, origin);
        }
        given.put(path, new Setting(key, value, origin));
    }

    private void remark(Key key, String path, String shown, Origin origin) {
        switch (key.status()) {
            case LATER -> problems.unsupported(origin, path, shown, "not built yet");
            case REFUSED -> problems.unsupported(origin, path, shown, key.about());
            case NOTED -> problems.noEffect(origin, path, shown, key.about());
            case GPU -> problems.noEffect(origin, path, shown, "no GPU is used");
            case EAGER -> problems.warn(origin, path + "=" + shown + " is not recorded yet, runs eagerly");
            case ACTIVE, RENAMED, ALIAS -> {}
        }
    }

    /** A value within {@code path=value}: as it was written, words bare; nothing for a mapping. */
    private static String shown(Key key, YamlNode node, Value value) {
        if (key.secret()) {
            return "***";
        }
        return switch (node) {
            case YamlNode.Mapping m -> "";
            case YamlNode.Scalar s
            when s.isText() -> {
                boolean bare = value instanceof Value.Bytes || Scalars.isBool(s.text()) || Scalars.isNumber(s.text());
                yield cut(bare ? s.text() : Scalars.plain(s.text()));
            }
            default -> node.show();
        };
    }

    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= YamlNode.SHOWN
                ? text
                : text.substring(0, text.offsetByCodePoints(0, YamlNode.SHOWN)) + "…";
    }

    /** A list's item is cited on its own line, everything else on the line of its key. */
    private static Origin place(YamlNode got, Origin key) {
        return got.origin() instanceof Origin.Yaml && key instanceof Origin.Yaml ? got.origin() : key;
    }

    private void alias(YamlNode.Entry entry) {
        Key target = table.get(table.get(entry.key()).to());
        Optional<Setting> other = given(target.path());
        leaf(target, target.path(), entry.value(), entry.origin(), false);
        Optional<Setting> now = given(target.path());
        if (other.isPresent()
                && now.isPresent()
                && !other.get().value().equals(now.get().value())) {
            given.put(target.path(), other.get());
            problems.conflict(
                    entry.origin(), entry.key(), target.path(), "the two are one key, and their values differ");
            return;
        }
        String value = entry.value() instanceof YamlNode.Scalar s
                ? Scalars.plain(s.text())
                : entry.value().show();
        problems.warn(entry.origin(), entry.key() + " is deprecated, using " + target.path() + "=" + value);
    }

    private void flag(FlagValue flag) {
        Key key = table.get(flag.path());
        Optional<Setting> file = given(flag.path());
        YamlNode node = new YamlNode.Scalar(flag.text(), YamlNode.Style.FLAG, new Origin.Flag(flag.name()));
        given.remove(flag.path());
        String path = key.isFlag() ? flag.name() : flag.path();
        leaf(key, path, node, node.origin(), false);
        if (file.isPresent() && key.status() == Key.Status.ACTIVE) {
            problems.log(
                    Notice.Level.INFO,
                    "config: " + flag.name() + " " + (key.secret() ? "***" : flag.text()) + " overrides "
                            + flag.path() + " " + file.get().show() + " ("
                            + file.get().origin().cite() + ")");
        }
    }

    private void unknown(String parent, String path, YamlNode.Entry entry) {
        List<Key> here = table.children(parent);
        List<Nearest.Candidate> candidates = new ArrayList<>();
        for (Key key : table.all()) {
            boolean suggested = !key.isFlag()
                    && !key.isPattern()
                    && key.status() != Key.Status.RENAMED
                    && key.status() != Key.Status.ALIAS;
            if (suggested) {
                boolean sibling = key.parent().equals(parent);
                candidates.add(new Nearest.Candidate(key.leaf(), sibling ? key.leaf() : key.path(), sibling));
                if (!sibling && key.parent().endsWith("_config")) {
                    // Other servers spell the section into the name: kv_cache_dtype is kv_cache_config.dtype.
                    String section = key.parent().substring(0, key.parent().length() - "config".length());
                    candidates.add(new Nearest.Candidate(section + key.leaf(), key.path(), false));
                }
            }
        }
        Optional<String> nearest = Nearest.of(entry.key(), candidates);
        String hint = nearest.map(n -> "did you mean '" + n + "'?")
                .orElseGet(() -> here.stream()
                        .filter(k -> !k.isPattern() && k.status() != Key.Status.RENAMED)
                        .map(Key::leaf)
                        .limit(LISTED)
                        .collect(Collectors.joining(", ", "keys here: ", "")));
        problems.unknown(entry.origin(), path, hint);
    }
}
