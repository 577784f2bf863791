package rondo.cli.config;

import java.util.ArrayList;
import java.util.List;

/** The values that hold, each with where it comes from; printed by {@code rondo serve --check}. */
public final class Effective {
    /** Column of the comments, unless a value is longer. */
    private static final int COMMENT = 56;

    private final Settings settings;

    Effective(Settings settings) {
        this.settings = settings;
    }

    Settings settings() {
        return settings;
    }

    /** Where a value comes from. */
    public Origin origin(String path) {
        return settings.get(path).origin();
    }

    /** The same with a number that was settled when the checkpoint was read, such as {@code max_seq_len}. */
    public Effective settled(String path, long number, String checkpointFile) {
        return new Effective(settings.with(path, new Value.Int(number), new Origin.Checkpoint(checkpointFile)));
    }

    /** The file that would say all this: YAML, the origin of each value as a comment. */
    public String yaml() {
        StringBuilder out = new StringBuilder();
        List<String> open = new ArrayList<>();
        for (Setting setting : grouped()) {
            String[] parts = setting.path().split("\\.");
            int common = 0;
            while (common < open.size()
                    && common < parts.length - 1
                    && open.get(common).equals(parts[common])) {
                common++;
            }
            open = new ArrayList<>(open.subList(0, common));
            for (int i = common; i < parts.length - 1; i++) {
                out.repeat("  ", i).append(parts[i]).append(":\n");
                open.add(parts[i]);
            }
            StringBuilder line = new StringBuilder();
            line.repeat("  ", parts.length - 1).append(parts[parts.length - 1]).append(": ");
            line.append(value(setting));
            line.repeat(" ", Math.max(1, COMMENT - line.length()))
                    .append("# ")
                    .append(setting.origin().cite());
            out.append(line).append('\n');
        }
        return out.toString();
    }

    private static String value(Setting setting) {
        String shown = setting.value().yaml();
        return setting.key().secret() && !shown.equals("[]") ? "['***']" : shown;
    }

    /** A mapping's own values first, then its groups, so that each group is written once. */
    private List<Setting> grouped() {
        List<Setting> out = new ArrayList<>();
        collect("", settings.all(), out);
        return out;
    }

    private static void collect(String prefix, List<Setting> within, List<Setting> out) {
        List<String> groups = new ArrayList<>();
        for (Setting s : within) {
            String rest = s.path().substring(prefix.length());
            int dot = rest.indexOf('.');
            if (dot < 0) {
                out.add(s);
            } else if (!groups.contains(rest.substring(0, dot + 1))) {
                groups.add(rest.substring(0, dot + 1));
            }
        }
        for (String group : groups) {
            String path = prefix + group;
            collect(path, within.stream().filter(s -> s.path().startsWith(path)).toList(), out);
        }
    }
}
