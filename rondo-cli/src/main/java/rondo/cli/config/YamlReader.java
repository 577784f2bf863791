package rondo.cli.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;

/** Reads YAML text into {@link YamlNode}s: lines kept, anchors and merge keys resolved, duplicate keys reported. */
final class YamlReader {
    /** Longest file that is read, in bytes. */
    static final int MAX_BYTES = 1 << 20;

    /** Deepest nesting; no key of the table lies deeper than four. */
    private static final int MAX_DEPTH = 32;

    private final String file;
    private final Problems problems;

    private YamlReader(String file, Problems problems) {
        this.file = file;
        this.problems = problems;
    }

    /** The root mapping; empty, with the reason among the problems, where there is none. */
    static YamlNode.Mapping read(String file, String text, Problems problems) {
        YamlReader reader = new YamlReader(file, problems);
        Origin start = new Origin.Yaml(file, 1);
        YamlNode.Mapping nothing = new YamlNode.Mapping(List.of(), start);
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setLabel(file)
                    .setUseMarks(true)
                    .setAllowNonScalarKeys(true)
                    .build();
            if (reader.tooDeep(new Parse(settings).parseString(text))) {
                return nothing;
            }
            Optional<Node> root = new Compose(settings).composeString(text);
            if (root.isEmpty()) {
                return nothing;
            }
            return switch (reader.convert(root.get(), "", 0)) {
                case YamlNode.Mapping m -> m;
                case YamlNode.Scalar s when s.isNull() -> nothing;
                case YamlNode other -> {
                    problems.add(other.origin(), "the root must be a mapping, got " + other.kind());
                    yield nothing;
                }
            };
        } catch (MarkedYamlEngineException e) {
            int line = e.getProblemMark()
                    .or(e::getContextMark)
                    .map(m -> m.getLine() + 1)
                    .orElse(1);
            problems.add(new Origin.Yaml(file, line), "not valid YAML: " + oneLine(e.getProblem()));
            return nothing;
        } catch (YamlEngineException e) {
            problems.add(start, "not valid YAML: " + oneLine(String.valueOf(e.getMessage())));
            return nothing;
        }
    }

    /** Counted on the events, because composing the document recurses. */
    private boolean tooDeep(Iterable<Event> events) {
        int depth = 0;
        for (Event event : events) {
            switch (event.getEventId()) {
                case MappingStart, SequenceStart -> depth++;
                case MappingEnd, SequenceEnd -> depth--;
                default -> {}
            }
            if (depth > MAX_DEPTH + 1) {
                int line = event.getStartMark().map(m -> m.getLine() + 1).orElse(1);
                problems.add(new Origin.Yaml(file, line), "nested deeper than " + MAX_DEPTH + " levels");
                return true;
            }
        }
        return false;
    }

    private static String oneLine(String text) {
        return text.strip().replaceAll("\\s+", " ");
    }

    private YamlNode convert(Node node, String path, int depth) {
        Origin origin = origin(node);
        if (depth > MAX_DEPTH) {
            problems.add(origin, path + " is nested deeper than " + MAX_DEPTH + " levels");
            return new YamlNode.Scalar("", YamlNode.Style.PLAIN, origin);
        }
        return switch (node) {
            case ScalarNode s ->
                new YamlNode.Scalar(
                        s.getValue(),
                        s.getScalarStyle() == ScalarStyle.PLAIN ? YamlNode.Style.PLAIN : YamlNode.Style.QUOTED,
                        origin);
            case SequenceNode s -> {
                List<YamlNode> items = new ArrayList<>();
                for (Node item : s.getValue()) {
                    items.add(convert(item, path + "[" + items.size() + "]", depth + 1));
                }
                yield new YamlNode.Sequence(List.copyOf(items), origin);
            }
            case MappingNode m -> mapping(m, path, depth);
            default -> throw new IllegalStateException("a composed document has no " + node.getNodeType());
        };
    }

    private YamlNode.Mapping mapping(MappingNode node, String path, int depth) {
        Map<String, YamlNode.Entry> own = new LinkedHashMap<>();
        Map<String, YamlNode.Entry> merged = new LinkedHashMap<>();
        Map<String, Integer> lines = new HashMap<>();
        for (NodeTuple tuple : node.getValue()) {
            Origin origin = origin(tuple.getKeyNode());
            if (!(tuple.getKeyNode() instanceof ScalarNode name)) {
                problems.add(origin, (path.isEmpty() ? "a key" : "a key of " + path) + " must be a word");
                continue;
            }
            String key = name.getValue();
            if (key.equals("<<") && name.getScalarStyle() == ScalarStyle.PLAIN) {
                merge(tuple.getValueNode(), path, depth, merged);
                continue;
            }
            String full = path.isEmpty() ? key : path + "." + key;
            Integer first = lines.putIfAbsent(key, line(tuple.getKeyNode()));
            if (first != null) {
                problems.add(origin, full + " is given twice, first on line " + first);
                continue;
            }
            own.put(key, new YamlNode.Entry(key, convert(tuple.getValueNode(), full, depth + 1), origin));
        }
        Set<String> names = new HashSet<>(own.keySet());
        List<YamlNode.Entry> entries = new ArrayList<>(own.values());
        merged.values().stream().filter(e -> !names.contains(e.key())).forEach(entries::add);
        return new YamlNode.Mapping(List.copyOf(entries), origin(node));
    }

    /** {@code <<: *anchor} or a list of them; the earlier one wins, and the mapping's own keys win over all. */
    private void merge(Node value, String path, int depth, Map<String, YamlNode.Entry> into) {
        switch (convert(value, path.isEmpty() ? "<<" : path + ".<<", depth + 1)) {
            case YamlNode.Mapping m -> m.entries().forEach(e -> into.putIfAbsent(e.key(), e));
            case YamlNode.Sequence s
            when s.items().stream().allMatch(YamlNode.Mapping.class::isInstance) -> {
                for (YamlNode item : s.items()) {
                    ((YamlNode.Mapping) item).entries().forEach(e -> into.putIfAbsent(e.key(), e));
                }
            }
            case YamlNode other ->
                problems.add(
                        other.origin(),
                        (path.isEmpty() ? "<<" : path + ".<<") + " must be a mapping, got " + other.show());
        }
    }

    private Origin origin(Node node) {
        return new Origin.Yaml(file, line(node));
    }

    private static int line(Node node) {
        return node.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }
}
