package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

class ChatStreamTest {
    @Test
    void chunksComeInTheSpecifiedOrder() throws Exception {
        try (TestServer server = new TestServer()) {
            server.service.script = r -> TestTokenizer.ids("hello");
            var response = server.chat("\"stream\":true,\"stream_options\":{\"include_usage\":true}");
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
            List<JsonNode> events = TestServer.events(response.body());
            JsonNode first = events.getFirst();
            assertThat(first.at("/choices/0/delta").toString()).isEqualTo("{\"role\":\"assistant\",\"content\":\"\"}");
            StringBuilder text = new StringBuilder();
            for (JsonNode event : events.subList(1, events.size() - 2)) {
                assertThat(event.at("/choices/0/finish_reason").isNull()).isTrue();
                assertThat(event.get("usage").isNull()).isTrue();
                text.append(event.at("/choices/0/delta/content").stringValue());
            }
            assertThat(text.toString()).isEqualTo("hello");
            JsonNode last = events.get(events.size() - 2);
            assertThat(last.at("/choices/0/delta").isEmpty()).isTrue();
            assertThat(last.at("/choices/0/finish_reason").stringValue()).isEqualTo("stop");
            JsonNode usage = events.getLast();
            assertThat(usage.get("choices").isEmpty()).isTrue();
            assertThat(usage.at("/usage/completion_tokens").intValue()).isEqualTo(6);
            assertThat(usage.at("/usage/prompt_tokens_details/cached_tokens").intValue())
                    .isZero();
        }
    }
}
