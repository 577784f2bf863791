package rondo.cli.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Shared;

class KeyTableTest {
    private final KeyTable table = KeyTable.load();

    @Test
    void everyRowHasAParentAndAReason() {
        assertThat(table.all()).hasSizeGreaterThan(200);
        for (Key key : table.all()) {
            if (!key.parent().isEmpty() && !key.isFlag()) {
                assertThat(table.exact(key.parent())).as(key.path()).isPresent();
                assertThat(table.get(key.parent()).isGroup()).as(key.path()).isTrue();
            }
            assertThat(key.to().isEmpty() ? key.about() : key.to())
                    .as(key.path())
                    .isNotBlank();
            if (!key.to().isEmpty()) {
                assertThat(table.exact(key.to())).as(key.path()).isPresent();
            }
        }
    }

    @Test
    void thePageInDocsIsWhatTheTableSays() throws IOException {
        assertThat(Files.readString(Shared.root().resolve("docs/configuration.md")))
                .as("docs/configuration.md: write it with `./rondo config --markdown > docs/configuration.md`")
                .isEqualTo(ConfigDocs.markdown());
    }

    /** The specification's own words, read from it: none of its keys may be unknown here. */
    @Test
    void everyKeyThatTheSpecificationNamesIsKnown() throws IOException {
        List<String> lines = Files.readAllLines(Shared.data("spec/serve-config.md"));
        int from = lines.indexOf("### 1.7 Noted keys (accepted, one INFO notice, no effect)");
        int to = lines.indexOf("### 1.9 Rules across keys");
        assertThat(from).isPositive();
        assertThat(to).isGreaterThan(from);
        java.util.regex.Pattern code = java.util.regex.Pattern.compile("`([a-z0-9_]+)`(?!:)");
        int seen = 0;
        for (String line : lines.subList(from, to)) {
            java.util.regex.Matcher m = code.matcher(line);
            while (m.find()) {
                String name = m.group(1);
                seen++;
                assertThat(table.find("", name).or(() -> table.find("model_kwargs", name)))
                        .as(name)
                        .isPresent();
            }
        }
        assertThat(seen).isGreaterThan(50);
    }

    @ParameterizedTest
    @CsvSource({
        "kv_cache_confg, kv_cache_config, 1",
        "ab, ba, 1",
        "abc, abc, 0",
        "'', abc, 3",
        "kitten, sitting, 3",
        "enable_blokc, enable_block, 1"
    })
    void distanceCountsATranspositionAsOne(String a, String b, int distance) {
        assertThat(Nearest.distance(a, b)).isEqualTo(distance);
        assertThat(Nearest.distance(b, a)).isEqualTo(distance);
    }

    @Test
    void tiesGoToTheSameMappingThenToTheAlphabet() {
        assertThat(Nearest.of(
                        "abcx",
                        List.of(
                                new Nearest.Candidate("abcy", "far.abcy", false),
                                new Nearest.Candidate("abcz", "abcz", true),
                                new Nearest.Candidate("abcw", "abcw", true))))
                .contains("abcw");
        assertThat(Nearest.of("abcdefghijkl", List.of(new Nearest.Candidate("abcdefghwxyz", "q", true))))
                .contains("q");
        assertThat(Nearest.of("abcdefghijk", List.of(new Nearest.Candidate("abcdefgwxyz", "q", true))))
                .isEmpty();
    }
}
