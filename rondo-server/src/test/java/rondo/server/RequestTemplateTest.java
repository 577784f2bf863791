package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Json;

/** {@code rondo.allow_request_chat_template}: off unless the operator says so, and never a way to hang the server. */
class RequestTemplateTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(o -> o.requestTemplates(true));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    private static String body(String template) {
        return TestServer.chatBody("\"chat_template\":" + Json.mapper().writeValueAsString(template));
    }

    private static String prompt() {
        return server.tokenizer.decode(
                server.service.submitted.getLast().request.prompt().ids().toArray(), false);
    }

    @Test
    void theRequestsOwnIsUsedForItAlone() throws Exception {
        String own = "<|bos|>{% for m in messages %}[{{ m.role }}: {{ m.content }}]{% endfor %}";
        assertThat(server.post("/v1/chat/completions", body(own)).statusCode()).isEqualTo(200);
        assertThat(prompt()).isEqualTo("<|bos|>[user: hi]");
        assertThat(server.chat("").statusCode()).isEqualTo(200);
        assertThat(prompt()).startsWith("<|bos|><|start|>user");
        assertThat(TestServer.json(server.post("/tokenize", body(own)))
                        .get("count")
                        .intValue())
                .as("the begin token, and ten bytes")
                .isEqualTo(11);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {% for m in messages %} | 'chat_template':
            {{ raise_exception('no') }} | 'chat_template':
            {{ nothing.at.all }} | 'chat_template':
            {% for i in range(100000) %}{% for j in range(100000) %}x{% endfor %}{% endfor %} | takes too long
            {{ '' }} | empty prompt
            """)
    void oneThatIsWrongIsTheClientsFault(String template, String message) throws Exception {
        HttpResponse<String> response = server.client.send(
                server.request("/v1/chat/completions")
                        .timeout(Duration.ofSeconds(20))
                        .POST(java.net.http.HttpRequest.BodyPublishers.ofString(body(template)))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).at("/error/message").stringValue()).contains(message);
        assertThat(response.body().length()).isLessThan(4096);
    }

    @Test
    void oneThatIsTooLongIsRefusedUnread() throws Exception {
        HttpResponse<String> response = server.post("/v1/chat/completions", body("x".repeat((256 << 10) + 1)));
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).at("/error/message").stringValue())
                .isEqualTo("'chat_template' must have at most 262144 characters, got 262145");
    }

    @Test
    void withoutTheOperatorsWordThereIsNone() throws Exception {
        try (TestServer plain = new TestServer()) {
            HttpResponse<String> response = plain.post("/v1/chat/completions", body("x"));
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(TestServer.json(response).at("/error/message").stringValue())
                    .isEqualTo("'chat_template' is not supported: templates come from the checkpoint only"
                            + " (rondo.allow_request_chat_template is false)");
            assertThat(plain.service.submitted).isEmpty();
        }
    }
}
