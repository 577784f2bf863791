package rondo.agentx.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.Usage;
import rondo.base.Seeds;

class StreamParsingTest {
    private static final String STREAM = ": comment\r\n\r\ndata: {\"a\":\"é\"}\n\nevent: x\ndata: one\ndata:two\n\n"
            + "data: three\r\n\r\nid: 4\n\ndata:\n\ndata: [DONE]";
    private static final List<String> EVENTS = List.of("{\"a\":\"é\"}", "one\ntwo", "three", "", "[DONE]");

    @Test
    void eventsAreTheSameHoweverTheBytesAreCut() {
        byte[] bytes = STREAM.getBytes(StandardCharsets.UTF_8);
        Seeds.forEach(200, random -> {
            List<String> events = new ArrayList<>();
            SseParser parser =
                    new SseParser((b, from, n) -> events.add(new String(b, from, n, StandardCharsets.UTF_8)));
            int at = 0;
            while (at < bytes.length) {
                int end = Math.min(bytes.length, at + 1 + random.nextInt(12));
                parser.feed(Arrays.copyOfRange(bytes, at, end));
                at = end;
            }
            parser.end();
            assertThat(events).isEqualTo(EVENTS);
        });
    }

    private static ChunkReader read(String... chunks) {
        ChunkReader reader = new ChunkReader();
        for (String chunk : chunks) {
            byte[] bytes = chunk.getBytes(StandardCharsets.UTF_8);
            reader.read(bytes, 0, bytes.length);
        }
        return reader;
    }

    @Test
    void textReasoningAndToolCallsAreContentAndEmptyOnesAreNot() {
        assertThat(read("{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}").hasOutput())
                .isTrue();
        ChunkReader reasoning = read("{\"choices\":[{\"delta\":{\"reasoning\":\"a\",\"content\":null}}]}");
        assertThat(reasoning.hasAnyContent()).isTrue();
        assertThat(reasoning.hasOutput()).isFalse();
        assertThat(read("{\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"i\",\"type\":\"function\","
                                + "\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}}]}")
                        .hasOutput())
                .isTrue();
        assertThat(read("{\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}")
                        .hasAnyContent())
                .isFalse();
        assertThat(read("{\"choices\":[{\"delta\":{}},{\"delta\":{\"content\":\"second choice\"}}]}")
                        .hasAnyContent())
                .isFalse();
        assertThat(read(
                                "{\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}",
                                "{\"choices\":[{\"delta\":{\"content\":\"c\"}}]}")
                        .text())
                .isEqualTo("abc");
    }

    @Test
    void theLastUsageThatIsNotEmptyCounts() {
        Usage usage = read(
                        "{\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":1}}",
                        "{\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3,"
                                + "\"prompt_tokens_details\":{\"audio_tokens\":0,\"cached_tokens\":4}}}",
                        "{\"choices\":[],\"usage\":{}}",
                        "{\"choices\":[],\"usage\":null}")
                .usage();
        assertThat(usage.promptTokens()).hasValue(9);
        assertThat(usage.completionTokens()).hasValue(3);
        assertThat(usage.cachedTokens()).hasValue(4);
        assertThat(read("{\"usage\":{\"prompt_tokens\":5,\"cache_read_input_tokens\":2}}")
                        .usage()
                        .cachedTokens())
                .hasValue(2);
        assertThat(read("{\"usage\":{\"prompt_tokens\":5,\"prompt_tokens_details\":null}}")
                        .usage()
                        .cachedTokens())
                .isEmpty();
    }

    @Test
    void errorBodiesOfAllShapesAreUnderstood() {
        List<String> phrases = TargetOptions.OVERFLOW_PHRASES;
        assertThat(outcome(
                        400, "{\"error\":{\"message\":\"This model's maximum context length is 10\",\"type\":\"t\"}}"))
                .isEqualTo(new Outcome.Overflow(400, "t", "This model's maximum context length is 10"));
        assertThat(outcome(400, "{\"error\":\"Prompt is too long\"}")).isInstanceOf(Outcome.Overflow.class);
        assertThat(outcome(400, "{\"error\":{\"message\":\"no\",\"code\":\"context_length_exceeded\"}}"))
                .isInstanceOf(Outcome.Overflow.class);
        assertThat(outcome(502, "<html>bad</html>"))
                .isEqualTo(new Outcome.Failed(502, "HTTPError", "<html>bad</html>"));
        assertThat(ErrorBody.outcome(400, "context length".getBytes(StandardCharsets.UTF_8), List.of()))
                .isInstanceOf(Outcome.Failed.class);
        assertThat(phrases).hasSize(4);
    }

    private static Outcome outcome(int status, String body) {
        return ErrorBody.outcome(status, body.getBytes(StandardCharsets.UTF_8), TargetOptions.OVERFLOW_PHRASES);
    }
}
