package rondo.cli.config;

import java.util.List;
import java.util.stream.Collectors;

/** A value as it was written, with the place where it was written; anchors and merge keys are already resolved. */
sealed interface YamlNode {
    /** Longest text of a value in a message, in characters. */
    int SHOWN = 60;

    Origin origin();

    /** What this is, for messages about the wrong kind of value. */
    String kind();

    /** The value in one line, as YAML would write it. */
    String flow();

    /** {@link #flow()}, cut to what a message can bear. */
    default String show() {
        String text = flow();
        if (text.codePointCount(0, text.length()) <= SHOWN) {
            return text;
        }
        return text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "…";
    }

    /** How a scalar was written: only a plain one can be a number, a boolean or null. */
    enum Style {
        PLAIN,
        QUOTED,
        /** From the command line: whatever the key's type makes of it. */
        FLAG
    }

    record Scalar(String text, Style style, Origin origin) implements YamlNode {
        boolean isNull() {
            return style == Style.PLAIN
                    && (text.isEmpty()
                            || text.equals("~")
                            || text.equals("null")
                            || text.equals("Null")
                            || text.equals("NULL"));
        }

        /** Whether YAML reads it as text, not as a number, a boolean or null. */
        boolean isText() {
            return style != Style.PLAIN || !(isNull() || Scalars.isBool(text) || Scalars.isNumber(text));
        }

        @Override
        public String kind() {
            return flow();
        }

        @Override
        public String flow() {
            boolean bare = style == Style.FLAG && (Scalars.isBool(text) || Scalars.isNumber(text));
            return isText() && !bare ? Scalars.quote(text) : text.isEmpty() ? "null" : text;
        }
    }

    record Sequence(List<YamlNode> items, Origin origin) implements YamlNode {
        @Override
        public String kind() {
            return "a sequence";
        }

        @Override
        public String flow() {
            return items.stream().limit(SHOWN).map(YamlNode::flow).collect(Collectors.joining(", ", "[", "]"));
        }
    }

    record Mapping(List<Entry> entries, Origin origin) implements YamlNode {
        @Override
        public String kind() {
            return "a mapping";
        }

        @Override
        public String flow() {
            return entries.stream()
                    .limit(SHOWN)
                    .map(e -> e.key() + ": " + e.value().flow())
                    .collect(Collectors.joining(", ", "{", "}"));
        }
    }

    /**
     * One key of a mapping.
     *
     * @param origin where the key stands
     */
    record Entry(String key, YamlNode value, Origin origin) {}
}
