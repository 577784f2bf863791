package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** {@code skip_tokenizer_init}: ids in, ids out. */
class IdsOnlyTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = TestServer.withoutTokenizer();
        server.service.script = r -> new int[] {7, 8, 9, TestTokenizer.EOT};
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    @Test
    void aWholeAnswerHasAllItsIds() throws Exception {
        JsonNode answer = TestServer.json(server.post("/v1/completions", "{\"prompt\":[1,2,3],\"max_tokens\":10}"));
        assertThat(answer.at("/choices/0/token_ids").toString()).isEqualTo("[7,8,9," + TestTokenizer.EOT + "]");
        assertThat(answer.at("/choices/0/text").stringValue()).isEmpty();
        assertThat(answer.at("/choices/0/finish_reason").stringValue()).isEqualTo("stop");
        assertThat(answer.at("/usage/completion_tokens").intValue()).isEqualTo(4);
        assertThat(server.service.submitted.getLast().request.prompt().ids().toArray())
                .containsExactly(1, 2, 3);
    }

    @Test
    void theChunksOfAStreamHaveThemInOrderAndOnce() throws Exception {
        HttpResponse<String> stream =
                server.post("/v1/completions", "{\"prompt\":[1,2,3],\"max_tokens\":10,\"n\":2,\"stream\":true}");
        List<List<Integer>> ids = List.of(new ArrayList<>(), new ArrayList<>());
        for (JsonNode event : TestServer.events(stream.body())) {
            for (JsonNode choice : event.path("choices")) {
                choice.get("token_ids")
                        .forEach(id -> ids.get(choice.get("index").intValue()).add(id.intValue()));
            }
        }
        assertThat(ids.get(0)).containsExactly(7, 8, 9, TestTokenizer.EOT);
        assertThat(ids.get(1)).containsExactly(7, 8, 9, TestTokenizer.EOT);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            /v1/chat/completions | {"messages":[{"role":"user","content":"hi"}]}                 | messages
            /v1/completions      | {"prompt":"hi"}                                               | prompt
            /v1/completions      | {"prompt":[[1],"hi"]}                                         | prompt
            /v1/completions      | {"prompt":[1],"stop":["x"]}                                   | stop
            /v1/completions      | {"prompt":[1],"echo":true}                                    | echo
            /v1/completions      | {"prompt":[1],"logprobs":1}                                   | logprobs
            /v1/completions      | {"prompt":[1],"response_format":{"type":"json_object"}}       | response_format
            /tokenize            | {"prompt":"hi"}                                               | prompt
            /detokenize          | {"tokens":[1]}                                                | tokens
            """)
    void whatNeedsTextIsRefused(String path, String body, String param) throws Exception {
        HttpResponse<String> response = server.post(path, body);
        assertThat(response.statusCode()).isEqualTo(400);
        JsonNode error = TestServer.json(response).get("error");
        assertThat(error.get("param").stringValue()).isEqualTo(param);
        assertThat(error.get("message").stringValue())
                .isEqualTo(
                        "'" + param + "' is not supported: this server has no tokenizer (skip_tokenizer_init is true);"
                                + " it takes a 'prompt' of token ids at /v1/completions and answers with 'token_ids'");
    }

    @Test
    void withATokenizerNobodyGetsIds() throws Exception {
        try (TestServer plain = new TestServer()) {
            JsonNode answer = TestServer.json(plain.post("/v1/completions", "{\"prompt\":[1,2,3],\"max_tokens\":2}"));
            assertThat(answer.at("/choices/0").has("token_ids")).isFalse();
        }
    }
}
