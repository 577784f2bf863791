package rondo.agentx.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.UserError;

class TraceReaderTest {
    private static final String REQUEST =
            "{\"t\":0,\"type\":\"s\",\"model\":\"m\",\"in\":130,\"out\":7,\"hash_ids\":[1,2],\"input_types\":[\"text\"],"
                    + "\"output_types\":[\"text\",\"tool_use\"],\"stop\":\"tool_use\",\"api_time\":1.5,\"think_time\":null,\"ttft\":0.5}";
    private static final String SUBAGENT =
            "{\"t\":9.5,\"type\":\"subagent\",\"agent_id\":\"a1\",\"subagent_type\":\"Explore\",\"status\":\"async_launched\","
                    + "\"duration_ms\":null,\"total_tokens\":null,\"tool_use_count\":null,\"models\":[\"h\"],\"tool_tokens\":3,"
                    + "\"system_tokens\":4,\"requests\":[" + REQUEST + "]}";

    @TempDir
    Path dir;

    private static String trace(String id, String requests) {
        return "{\"id\":\"" + id
                + "\",\"models\":[\"m\"],\"block_size\":64,\"hash_id_scope\":\"local\",\"tool_tokens\":10,"
                + "\"system_tokens\":20,\"requests\":[" + requests + "],\"totals\":{\"x\":1}}";
    }

    private Path file(String name, String text) throws Exception {
        Path file = dir.resolve(name);
        if (name.endsWith(".gz")) {
            try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(file))) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        } else {
            Files.writeString(file, text);
        }
        return file;
    }

    @Test
    void everyFieldIsRead() throws Exception {
        Trace t = TraceReader.read(file("a.json", trace("x", REQUEST + "," + SUBAGENT)))
                .traces()
                .getFirst();
        assertThat(t.id()).isEqualTo("x");
        assertThat(t.toolTokens()).isEqualTo(10);
        assertThat(t.systemTokens()).isEqualTo(20);
        assertThat(t.totals().path("x").intValue()).isEqualTo(1);
        assertThat(t.requestCount()).isEqualTo(2);
        TraceRequest r = (TraceRequest) t.entries().get(0);
        assertThat(r.streamed()).isTrue();
        assertThat(r.in()).isEqualTo(130);
        assertThat(r.out()).isEqualTo(7);
        assertThat(r.hashIds()).containsExactly(1, 2);
        assertThat(r.apiTime()).hasValue(1.5);
        assertThat(r.thinkTime()).isEmpty();
        assertThat(r.ttft()).hasValue(0.5);
        assertThat(r.outputTypes()).containsExactly("text", "tool_use");
        SubagentEntry s = (SubagentEntry) t.entries().get(1);
        assertThat(s.durationMs()).isEmpty();
        assertThat(s.requests()).hasSize(1);
        assertThat(s.systemTokens()).isEqualTo(4);
    }

    @Test
    void aDirectoryIsReadInTheOrderOfNamesWithAllFourKinds() throws Exception {
        file("b.jsonl", trace("b1", REQUEST) + "\n\n" + trace("b2", REQUEST) + "\n");
        file("a.json", trace("a", REQUEST));
        file("c.json.gz", trace("c", REQUEST));
        file("d.jsonl.gz", trace("d", REQUEST));
        file("readme.txt", "nothing");
        assertThat(TraceReader.read(dir).traces().stream().map(Trace::id)).containsExactly("a", "b1", "b2", "c", "d");
    }

    @Test
    void unknownKeysAreIgnoredWithAWarning() throws Exception {
        String odd = REQUEST.replace("\"t\":0", "\"t\":0,\"color\":{\"deep\":[1]}");
        TraceReader.Loaded loaded = TraceReader.read(file("a.json", trace("x", odd + "," + odd)));
        assertThat(loaded.traces().getFirst().requestCount()).isEqualTo(2);
        assertThat(loaded.warnings()).containsExactly("traces: unknown key 'requests[].color' ignored, 2 times");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"in\":130 | \"in\":0 | requests[0].in must be from 1 to 2147483647, got 0",
                "\"in\":130, | `` | requests[0].in is missing",
                "\"out\":7 | \"out\":-1 | requests[0].out must be from 0 to 2147483647, got -1",
                "\"in\":130 | \"in\":\"x\" | requests[0].in must be an integer, got x",
                "\"type\":\"s\" | \"type\":\"z\" | requests[0].type must be 'n', 's' or 'subagent', got 'z'",
                "\"hash_ids\":[1,2] | \"hash_ids\":[1,2,3,4] | requests[0].hash_ids has 4 ids, but in=130 has only 3 blocks of 64",
                "\"hash_ids\":[1,2] | \"hash_ids\":[1,true] | requests[0].hash_ids must be an integer, got true",
                "\"local\" | \"global\" | hash_id_scope must be 'local', got 'global'",
                "\"block_size\":64 | \"block_size\":0 | block_size must be from 1 to 2147483647, got 0",
                "\"id\":\"x\", | `` | id is missing",
                "\"model\":\"m\", | `` | requests[0].model is missing",
                "\"api_time\":1.5 | \"api_time\":\"q\" | requests[0].api_time must be a number, got q",
            })
    void badInputIsNamedWithFileAndLine(String good, String bad, String message) throws Exception {
        String row = trace("x", REQUEST);
        assertThat(row).contains(good);
        Path file = file("bad.jsonl", trace("w", REQUEST) + "\n" + row.replace(good, bad) + "\n");
        assertThatThrownBy(() -> TraceReader.read(file))
                .isInstanceOf(UserError.class)
                .hasMessage("trace: " + file + ":2: " + message);
    }

    @Test
    void brokenJsonNamesItsLine() throws Exception {
        Path file = file("a.json", "{\n\"id\": \"x\",\n oops }");
        assertThatThrownBy(() -> TraceReader.read(file))
                .isInstanceOf(UserError.class)
                .hasMessageStartingWith("trace: " + file + ":3: not JSON: ");
    }

    @Test
    void doubledIdsAndAgentsAreRefused() throws Exception {
        Path two = file("two.jsonl", trace("x", REQUEST) + "\n" + trace("x", REQUEST));
        assertThatThrownBy(() -> TraceReader.read(two))
                .hasMessage("traces: id 'x' occurs twice (" + two + ":1 and " + two + ":2)");
        Path agents = file("agents.json", trace("x", REQUEST + "," + SUBAGENT + "," + SUBAGENT));
        assertThatThrownBy(() -> TraceReader.read(agents)).hasMessageContaining("agent_id 'a1' occurs twice");
    }

    @Test
    void missingAndEmptyPlacesAreNamed() throws Exception {
        assertThatThrownBy(() -> TraceReader.read(dir.resolve("none")))
                .hasMessage("traces: " + dir.resolve("none") + " does not exist");
        assertThatThrownBy(() -> TraceReader.read(dir)).hasMessageContaining("holds no *.json");
        Path other = file("x.txt", "");
        assertThatThrownBy(() -> TraceReader.read(other)).hasMessageContaining("must end in .json, .jsonl");
        Path cut = file("cut.json.gz", trace("x", REQUEST));
        Files.write(cut, java.util.Arrays.copyOf(Files.readAllBytes(cut), 20));
        assertThatThrownBy(() -> TraceReader.read(cut))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("cannot be read");
    }

    @Test
    void selectionDropsLongTracesThenKeepsTheFirst() throws Exception {
        String longer = REQUEST.replace("\"in\":130", "\"in\":900");
        Path file = file(
                "a.jsonl", trace("big", longer) + "\n" + trace("s1", REQUEST) + "\n" + trace("s2", REQUEST) + "\n");
        List<Trace> all = TraceReader.read(file).traces();
        OptionalInt none = OptionalInt.empty();
        TraceSelection fits = new TraceSelection(OptionalInt.of(137), OptionalInt.of(1), none, none);
        assertThat(fits.apply(all, ContextScale.NONE)).extracting(Trace::id).containsExactly("s1");
        TraceSelection capped = new TraceSelection(OptionalInt.of(131), none, OptionalInt.of(1), none);
        assertThat(capped.apply(all, ContextScale.NONE)).hasSize(2);
        TraceSelection tight = new TraceSelection(OptionalInt.of(100), none, none, none);
        assertThatThrownBy(() -> tight.apply(all, ContextScale.NONE))
                .hasMessage("traces: none of the 3 traces remains after the selection (--max-context-length 100, the"
                        + " shortest trace needs 137)");
        TraceSelection shortInputs = new TraceSelection(none, none, none, OptionalInt.of(200));
        assertThat(shortInputs.apply(all, ContextScale.NONE))
                .extracting(Trace::id)
                .containsExactly("s1", "s2");
    }
}
