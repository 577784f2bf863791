package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Text completions, and the limits that both forms share. */
class CompletionsTest {
    private TestServer server;

    @BeforeEach
    void start() {
        server = new TestServer();
        // Says which prompt it was, by its last token.
        server.service.script = r ->
                TestTokenizer.ids("<" + (char) r.prompt().token(r.prompt().tokens() - 1)
                        + r.sampling().choice() + ">");
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private JsonNode complete(String body) throws Exception {
        HttpResponse<String> response = server.post("/v1/completions", body);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return TestServer.json(response);
    }

    private static List<String> texts(JsonNode answer) {
        List<String> texts = new ArrayList<>();
        for (JsonNode choice : answer.get("choices")) {
            assertThat(choice.get("index").intValue()).isEqualTo(texts.size());
            texts.add(choice.get("text").stringValue());
        }
        return texts;
    }

    @Test
    void everyFormOfPromptIsTaken() throws Exception {
        assertThat(texts(complete("{\"prompt\":\"a\"}"))).containsExactly("<a0>");
        assertThat(texts(complete("{\"prompt\":[\"a\",\"b\"]}"))).containsExactly("<a0>", "<b0>");
        assertThat(texts(complete("{\"prompt\":[97,98]}"))).containsExactly("<b0>");
        assertThat(texts(complete("{\"prompt\":[[97],[98,99]]}"))).containsExactly("<a0>", "<c0>");
    }

    @Test
    void choicesAreNumberedPromptByPrompt() throws Exception {
        JsonNode answer = complete("{\"prompt\":[\"a\",\"b\"],\"n\":2}");
        assertThat(texts(answer)).containsExactly("<a0>", "<a1>", "<b0>", "<b1>");
        // Each prompt is counted once: a begin token and a letter, twice.
        assertThat(answer.at("/usage/prompt_tokens").intValue()).isEqualTo(4);
        assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(20);
    }

    @Test
    void theBeginTokenIsAddedUnlessItIsNotWantedAndNeverToTokens() throws Exception {
        complete("{\"prompt\":\"a\"}");
        complete("{\"prompt\":\"a\",\"add_special_tokens\":false}");
        complete("{\"prompt\":[97]}");
        assertThat(server.service.submitted.get(0).request.prompt().ids().toArray())
                .containsExactly(TestTokenizer.BOS, 97);
        assertThat(server.service.submitted.get(1).request.prompt().ids().toArray())
                .containsExactly(97);
        assertThat(server.service.submitted.get(2).request.prompt().ids().toArray())
                .containsExactly(97);
    }

    @Test
    void aStreamHasTheSameTextsAsTheWholeAnswer() throws Exception {
        String body = "{\"prompt\":[\"a\",\"b\"],\"n\":2,\"echo\":true,\"logprobs\":null,\"max_tokens\":3";
        JsonNode whole = complete(body + "}");
        HttpResponse<String> response = server.post("/v1/completions", body + ",\"stream\":true}");
        Map<Integer, String> texts = new TreeMap<>();
        Map<Integer, String> ends = new TreeMap<>();
        for (JsonNode event : TestServer.events(response.body())) {
            assertThat(event.get("object").stringValue()).isEqualTo("text_completion");
            for (JsonNode choice : event.get("choices")) {
                int index = choice.get("index").intValue();
                texts.merge(index, choice.get("text").stringValue(), String::concat);
                if (!choice.get("finish_reason").isNull()) {
                    assertThat(ends.put(index, choice.get("finish_reason").stringValue()))
                            .isNull();
                }
            }
        }
        assertThat(texts.values()).containsExactlyElementsOf(texts(whole));
        assertThat(texts(whole)).containsExactly("a<a0", "a<a1", "b<b0", "b<b1");
        assertThat(ends.values()).containsOnly("length");
    }

    @Test
    void sixteenTokensIsTheDefault() throws Exception {
        complete("{\"prompt\":\"a\"}");
        assertThat(server.service.submitted.getFirst().request.maxTokens()).isEqualTo(16);
    }

    /** R108: no token at all is an answer. */
    @Test
    void echoWithoutTokensGivesThePromptAndAsksNobody() throws Exception {
        for (String prompt : new String[] {"\"abc\"", "[97,98,99]"}) {
            JsonNode answer = complete("{\"prompt\":" + prompt + ",\"echo\":true,\"max_tokens\":0}");
            assertThat(texts(answer)).containsExactly("abc");
            assertThat(answer.at("/choices/0/finish_reason").stringValue()).isEqualTo("length");
            assertThat(answer.at("/usage/completion_tokens").intValue()).isZero();
        }
        assertThat(server.service.submitted).isEmpty();
    }

    @Test
    void logprobsComeAsFourParallelArrays() throws Exception {
        JsonNode logprobs =
                complete("{\"prompt\":\"a\",\"logprobs\":2,\"max_tokens\":3}").at("/choices/0/logprobs");
        assertThat(logprobs.get("tokens").toString()).isEqualTo("[\"<\",\"a\",\"0\"]");
        assertThat(logprobs.get("text_offset").toString()).isEqualTo("[0,1,2]");
        assertThat(logprobs.get("token_logprobs").size()).isEqualTo(3);
        assertThat(logprobs.at("/top_logprobs/0").size()).isEqualTo(2);
        assertThat(complete("{\"prompt\":\"a\"}").at("/choices/0/logprobs").isNull())
                .isTrue();
    }

    @Test
    void aPromptThatIsTooLongGetsTheCustomaryText() throws Exception {
        String prompt = "x".repeat(4096);
        HttpResponse<String> text = server.post(
                "/v1/completions", "{\"prompt\":\"" + prompt + "\",\"max_tokens\":5,\"add_special_tokens\":false}");
        assertThat(text.statusCode()).isEqualTo(400);
        JsonNode error = TestServer.json(text).get("error");
        assertThat(error.get("code").stringValue()).isEqualTo("context_length_exceeded");
        assertThat(error.get("message").stringValue())
                .isEqualTo(
                        "This model's maximum context length is 4096 tokens. However, you requested 4101 tokens (4096"
                                + " in the messages, 5 in the completion). Please reduce the length of the input messages or"
                                + " completion.");
        HttpResponse<String> chat = server.post(
                "/v1/chat/completions", "{\"messages\":[{\"role\":\"user\",\"content\":\"" + prompt + "\"}]}");
        assertThat(TestServer.json(chat).at("/error/message").stringValue()).contains("1 in the completion");
        assertThat(server.service.submitted).isEmpty();
    }

    /** R127: what cannot fit is not tokenized. */
    @Test
    void aTextFarTooLongIsRefusedUnread() throws Exception {
        String prompt = "x".repeat(8 * 4096 + 8);
        HttpResponse<String> text = server.post("/v1/completions", "{\"prompt\":\"" + prompt + "\"}");
        assertThat(text.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(text).at("/error/code").stringValue()).isEqualTo("context_length_exceeded");
        assertThat(TestServer.json(text).at("/error/message").stringValue()).contains("4097 in the messages");
    }

    /** R154: a documented choice; R120: a chat without a limit runs to the end of the context. */
    @Test
    void moreTokensThanTheContextLeavesAreCutOrRefusedAsConfigured() throws Exception {
        String body = "{\"prompt\":\"" + "x".repeat(4000) + "\",\"max_tokens\":1000,\"add_special_tokens\":false}";
        complete(body);
        assertThat(server.service.submitted.getFirst().request.maxTokens()).isEqualTo(96);
        server.chat("");
        var open = server.service.submitted.getLast().request;
        assertThat(open.maxTokens()).isEqualTo(4096 - open.prompt().tokens());
        try (TestServer strict = new TestServer(o -> o.clampMaxTokens(false))) {
            HttpResponse<String> refused = strict.post("/v1/completions", body);
            assertThat(refused.statusCode()).isEqualTo(400);
            assertThat(TestServer.json(refused).at("/error/message").stringValue())
                    .contains("you requested 5000 tokens (4000 in the messages, 1000 in the completion)");
        }
    }
}
