package rondo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import rondo.base.Shared;

/** The table of users' reports stays true: its tests exist and name their rows, and it has every row of its areas. */
class UserReportsTest {
    private static final Set<String> AREAS = Set.of(
            "KV reuse",
            "SWA",
            "host offload",
            "preemption",
            "chunked prefill",
            "cancellation",
            "overload+limits",
            "routing",
            "streaming",
            "tool calls",
            "JSON schema",
            "tokenizer+template",
            "stop strings",
            "usage accounting",
            "logprobs",
            "sampling",
            "security",
            "startup+config",
            "metrics",
            "HTTP");
    /** Its rows come with the reasoning parsers: whatever else they are about, they may be there and need not. */
    private static final String NOT_YET = "reasoning";

    /** It asks for another policy than least recently used, which no page of the design has. */
    private static final String NOT_ASKED_FOR = "R166";

    private static Map<String, String> table() throws IOException {
        Map<String, String> rows = new TreeMap<>();
        try (InputStream in = UserReportsTest.class.getResourceAsStream("user-reports.table")) {
            String text = new String(in.readAllBytes(), UTF_8);
            for (String line : text.lines().filter(l -> !l.startsWith("#")).toList()) {
                String[] parts = line.split("  ", 2);
                assertThat(rows.put(parts[0], parts[1].strip())).as(parts[0]).isNull();
            }
        }
        return rows;
    }

    private static List<Path> sources(String className) throws IOException {
        List<Path> found = new ArrayList<>();
        try (Stream<Path> rooms = Files.list(Shared.root())) {
            for (Path room : rooms.filter(r -> Files.isDirectory(r.resolve("src/test/java")))
                    .toList()) {
                try (Stream<Path> files = Files.walk(room.resolve("src/test/java"))) {
                    files.filter(f -> f.endsWith(className + ".java")).forEach(found::add);
                }
            }
        }
        return found;
    }

    /**
     * Whether a test of that name stands in the source, below a comment that names the row, or in a class that does.
     */
    private static boolean holds(String source, String method, String row) {
        Matcher test = Pattern.compile("\\bvoid " + method + "\\(").matcher(source);
        if (!test.find()) {
            return false;
        }
        int comment = source.lastIndexOf("/**", test.start());
        String above = source.substring(comment, test.start());
        int classBody = source.indexOf("\nclass ");
        boolean isTest = above.contains("@Test") || above.contains("@ParameterizedTest");
        return isTest
                && (above.contains(row)
                        || source.substring(0, Math.max(0, classBody)).contains(row));
    }

    @Test
    void everyRowHasATestThatNamesItOrAReason() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Map.Entry<String, String> row : table().entrySet()) {
            if (row.getValue().startsWith("- ")) {
                assertThat(row.getValue().length()).as(row.getKey()).isGreaterThan(30);
                continue;
            }
            for (String name : row.getValue().split(",\\s*")) {
                String[] parts = name.split("\\.");
                boolean held = false;
                for (Path file : sources(parts[0])) {
                    held |= holds(Files.readString(file), parts[1], row.getKey());
                }
                if (!held) {
                    wrong.add(row.getKey() + " " + name);
                }
            }
        }
        assertThat(wrong)
                .as("tests that are not there or do not name their row")
                .isEmpty();
    }

    @Test
    void everyReportOfTheseAreasHasItsRow() throws IOException {
        Set<String> asked = new TreeSet<>();
        Set<String> allowed = new TreeSet<>();
        for (String line : Files.readAllLines(Shared.data("facts/user-reports.md"))) {
            Matcher row = Pattern.compile("\\| (R\\d+) \\|").matcher(line);
            if (row.lookingAt()) {
                List<String> areas = Arrays.stream(line.split("(?<!\\\\)\\|")[4].split("/"))
                        .map(String::strip)
                        .toList();
                if (areas.contains(NOT_YET)) {
                    allowed.add(row.group(1));
                } else if (areas.stream().anyMatch(AREAS::contains)
                        && !row.group(1).equals(NOT_ASKED_FOR)) {
                    asked.add(row.group(1));
                }
            }
        }
        Set<String> rows = table().keySet();
        assertThat(rows).containsAll(asked);
        allowed.addAll(asked);
        assertThat(rows).isSubsetOf(allowed);
    }
}
