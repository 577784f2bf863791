package rondo.cli.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes {@code docs/configuration.md} from the key table. */
public final class ConfigDocs {
    private static final String HEAD = """
            # The configuration file

            `rondo serve MODEL --config serve.yaml` reads a YAML file whose keys are those of `trtllm-serve`; what only Rondo
            knows lives under `rondo:`. This page is printed from the key table by `rondo config --markdown`; a test holds the
            two together.

            - A flag given on the command line wins over the file, the file over the checkpoint, the checkpoint over the default.
            - `rondo serve MODEL --config serve.yaml --check` prints what holds and where each value comes from, and ends.
            - All mistakes are printed together, each with file and line; the exit code is 2. An unknown key is always a mistake.
            - Bytes are an integer, or digits with a unit (`64MiB`, `160GB`; all units are binary). Integers may hold underscores.
              Booleans are `true` and `false`. `null` means "not set" where the type says so (`?`).
            - The environment is read too: `RONDO_API_KEY` (keys beside `rondo.api_keys`), `RONDO_LOG_LEVEL` (as `--log_level`),
              `RONDO_PREFIX_TOKEN_CACHE`=`1` (as `enable_tokenization_cache`) and `…_ENTRIES`, `…_MAX_CHARS`, `…_MIN_CHARS`; all but the first
              also by trtllm-serve's names, with `TLLM_` for `RONDO_`, over which Rondo's own win. `env_overrides` wins over both.
            - Anchors and merge keys are allowed, duplicate keys are not. A file has at most 1 MiB.

            """;

    private ConfigDocs() {}

    /** The page. */
    public static String markdown() {
        Map<String, List<Key>> sections = new LinkedHashMap<>();
        for (Key key : KeyTable.load().all()) {
            if (!key.isFlag()) {
                sections.computeIfAbsent(key.section(), s -> new ArrayList<>()).add(key);
            }
        }
        StringBuilder out = new StringBuilder(HEAD);
        sections.forEach((title, keys) -> {
            out.append("## ").append(title).append("\n\n");
            out.append("| key | type | default | | |\n|---|---|---|---|---|\n");
            keys.forEach(key -> row(key, out));
            out.append('\n');
        });
        return out.toString().stripTrailing() + "\n";
    }

    private static void row(Key key, StringBuilder out) {
        String standard = key.type() instanceof KeyType.Group || !key.to().isEmpty()
                ? ""
                : "`" + key.standard().yaml() + "`";
        out.append("| `").append(key.path()).append("` | ");
        out.append(key.type().describe()).append(key.nullable() ? " ?" : "").append(" | ");
        out.append(standard).append(" | ").append(status(key.status())).append(" | ");
        out.append(about(key)).append(" |\n");
    }

    private static String status(Key.Status status) {
        return switch (status) {
            case ACTIVE -> "";
            case LATER -> "not built yet";
            case GPU -> "GPU only";
            case EAGER -> "runs eagerly";
            case ALIAS -> "deprecated";
            case NOTED, REFUSED, RENAMED -> status.name().toLowerCase(Locale.ROOT);
        };
    }

    private static String about(Key key) {
        StringBuilder text = new StringBuilder(key.to().isEmpty() ? key.about() : "now `" + key.to() + "`");
        for (Key.ValueNote note : key.notes()) {
            if (note.fate() != Key.Fate.NOTE) {
                String values =
                        note.values().contains("*") ? "anything else" : "`" + String.join("`, `", note.values()) + "`";
                text.append("; ")
                        .append(values)
                        .append(": ")
                        .append(note.fate() == Key.Fate.LATER ? "not built yet" : "refused, " + note.reason());
            }
        }
        return text.toString();
    }
}
