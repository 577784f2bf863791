package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

/** One row per wrong field: what is sent, the status, and the message to the letter. */
class BadInputTest {
    private static TestServer server;

    @BeforeAll
    static void start() {
        server = new TestServer(o -> o.maxRequestBytes(1 << 20));
    }

    @AfterAll
    static void stop() throws Exception {
        server.close();
    }

    /**
     * R075: an unknown format is a 400; R105: 21 alternatives are too many; R111: ids beyond the vocabulary are
     * refused.
     */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"temperature\":3 | 'temperature' must be between 0 and 2, got 3",
                "\"temperature\":-0.1 | 'temperature' must be between 0 and 2, got -0.1",
                "\"temperature\":1e400 | 'temperature' must be between 0 and 2, got Infinity",
                "\"temperature\":\"hot\" | 'temperature' must be a number, got \"hot\"",
                "\"temperature\":[1] | 'temperature' must be a number, got an array of 1",
                "\"top_p\":0 | 'top_p' must be > 0 and <= 1, got 0",
                "\"top_p\":1.5 | 'top_p' must be > 0 and <= 1, got 1.5",
                "\"top_k\":-2 | 'top_k' must be >= -1, got -2",
                "\"top_k\":1.5 | 'top_k' must be an integer, got 1.5",
                "\"min_p\":2 | 'min_p' must be between 0 and 1, got 2",
                "\"repetition_penalty\":0 | 'repetition_penalty' must be > 0 and <= 2, got 0",
                "\"presence_penalty\":-3 | 'presence_penalty' must be between -2 and 2, got -3",
                "\"frequency_penalty\":2.1 | 'frequency_penalty' must be between -2 and 2, got 2.1",
                "\"n\":0 | 'n' must be between 1 and 16, got 0",
                "\"n\":17 | 'n' must be between 1 and 16, got 17",
                "\"n\":\"2\" | 'n' must be an integer, got \"2\"",
                "\"max_tokens\":0 | 'max_tokens' must be >= 1, got 0",
                "\"max_tokens\":99999999999999999999 | 'max_tokens' must be >= 1, got 99999999999999999999",
                "\"max_completion_tokens\":-1 | 'max_completion_tokens' must be >= 1, got -1",
                "\"min_tokens\":-1 | 'min_tokens' must be between 0 and 4096, got -1",
                "\"min_tokens\":5,\"max_tokens\":4 | 'min_tokens' must be <= max_tokens (4), got 5",
                "\"seed\":\"a\" | 'seed' must be an integer, got \"a\"",
                "\"seed\":99999999999999999999 | 'seed' must be a 64-bit integer, got 99999999999999999999",
                "\"logprobs\":1 | 'logprobs' must be true or false, got 1",
                "\"top_logprobs\":2 | logprobs must be true when using top_logprobs",
                "\"logprobs\":true,\"top_logprobs\":21 | 'top_logprobs' must be between 0 and 20, got 21",
                "\"stop\":7 | 'stop' must be a string or an array of strings, got 7",
                "\"stop\":[\"a\",null] | 'stop' must be a string or an array of strings, got null",
                "\"stop\":[\"\"] | 'stop' must be strings of 1 to 256 characters, got \"\"",
                "\"stop_token_ids\":[260] | 'stop_token_ids[0]' must be a token id from 0 to 259, got 260",
                "\"stop_token_ids\":7 | 'stop_token_ids' must be an array, got 7",
                "\"logit_bias\":{\"260\":1} | 'logit_bias' must have token ids from 0 to 259 as keys, got \"260\"",
                "\"logit_bias\":{\"-1\":1} | 'logit_bias' must have token ids from 0 to 259 as keys, got \"-1\"",
                "\"logit_bias\":{\"abc\":1} | 'logit_bias' must have token ids from 0 to 259 as keys, got \"abc\"",
                "\"logit_bias\":{\"5\":101} | 'logit_bias.5' must be between -100 and 100, got 101",
                "\"logit_bias\":{\"5\":\"x\"} | 'logit_bias.5' must be between -100 and 100, got \"x\"",
                "\"logit_bias\":[] | 'logit_bias' must be an object of token ids and numbers, got an array of 0",
                "\"stream\":\"yes\" | 'stream' must be true or false, got \"yes\"",
                "\"stream_options\":{} | 'stream_options' is only allowed when 'stream' is true",
                "\"stream\":true,\"stream_options\":1 | 'stream_options' must be an object, got 1",
                "\"ignore_eos\":0 | 'ignore_eos' must be true or false, got 0",
                "\"cache_salt\":\" \" | 'cache_salt' must be a string that is not blank, got \" \"",
                "\"cache_salt\":5 | 'cache_salt' must be a string, got 5",
                "\"conversation_params\":{\"conversation_id\":\"\"} | 'conversation_params.conversation_id' must be a string that is not blank, got \"\"",
                "\"priority\":2 | 'priority' must be between 0 and 1, got 2",
                "\"truncate_prompt_tokens\":0 | 'truncate_prompt_tokens' must be >= 1, got 0",
                "\"tools\":{} | 'tools' must be an array, got an object",
                "\"tools\":[1] | 'tools[0]' must be an object, got 1",
                "\"tools\":[{\"type\":\"web\"}] | 'tools[0].type' must be function, got \"web\"",
                "\"tools\":[{\"type\":\"function\"}] | 'tools[0].function' is required",
                "\"tools\":[{\"function\":{}}] | 'tools[0].function.name' is required",
                "\"tools\":[{\"function\":{\"name\":\"a b\"}}] | 'tools[0].function.name' must be 1 to 64 letters, digits, '_', '.' or '-', got \"a b\"",
                "\"tool_choice\":\"any\" | 'tool_choice' must be none, auto, required or a named function, got \"any\"",
                "\"tool_choice\":\"required\" | 'tool_choice' needs 'tools'",
                "\"response_format\":\"json\" | 'response_format' must be an object, got \"json\"",
                "\"response_format\":{\"type\":\"structural_tag\"} | 'response_format.type' must be text, json_object, json_schema, regex or ebnf, got \"structural_tag\"",
                "\"response_format\":{\"type\":\"json_schema\"} | 'response_format.json_schema' is required",
                "\"response_format\":{\"type\":\"regex\"} | 'response_format.regex' is required",
                "\"guided_choice\":[] | 'guided_choice' must have at least one string",
                "\"guided_choice\":[1] | 'guided_choice' must be an array of strings, got 1",
                "\"guided_json\":7 | 'guided_json' must be a JSON schema, got 7",
                "\"guided_json\":{},\"guided_regex\":\"a\" | 'guided_regex' must not come together with 'guided_json'",
                "\"tools\":[{\"function\":{\"name\":\"f\"}}],\"tool_choice\":{\"function\":{\"name\":\"g\"}} | 'tool_choice' names 'g', which is not in 'tools'",
                "\"parallel_tool_calls\":1 | 'parallel_tool_calls' must be true or false, got 1",
                "\"reasoning_effort\":\"huge\" | 'reasoning_effort' must be one of none, low, medium, high, xhigh, max, got \"huge\"",
                "\"chat_template_kwargs\":[] | 'chat_template_kwargs' must be an object, got an array of 0",
                "\"prompt_token_ids\":[-1] | 'prompt_token_ids[0]' must be a token id from 0 to 259, got -1",
            })
    void aWrongFieldIsNamed(String fields, String message) throws Exception {
        HttpResponse<String> response = server.chat(fields);
        assertThat(response.statusCode()).isEqualTo(400);
        JsonNode body = TestServer.json(response);
        assertThat(body.at("/error/message").stringValue()).isEqualTo(message);
        assertThat(body.at("/error/type").stringValue()).isEqualTo("invalid_request_error");
        assertThat(body.at("/error/code").isNull()).isTrue();
        assertThat(body.at("/error/param").stringValue()).isNotEmpty();
        assertThat(body.at("/object").stringValue()).isEqualTo("error");
        assertThat(body.at("/message").stringValue()).isEqualTo(message);
        assertThat(body.at("/code").intValue()).isEqualTo(400);
    }

    /** R074: a wrong grammar never reaches the engine. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"name\":\"x\",\"schema\":{\"not\":{}}}} | response_format.json_schema.schema | 'response_format.json_schema.schema': the keyword 'not' is not supported (at /not)",
                "\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{\"type\":\"strin\"}} | response_format.json_schema | 'response_format.json_schema': unknown type 'strin' (at /type)",
                "\"guided_regex\":\"(?=a)\" | guided_regex | 'guided_regex': regex: look-around and flags are not supported (at character 2)",
                "\"guided_grammar\":\"root ::= x\" | guided_grammar | 'guided_grammar': grammar: rule 'x' is not defined (at line 1, column 10)",
                "\"tools\":[{\"function\":{\"name\":\"f\",\"parameters\":{\"not\":{}}}}],\"tool_choice\":\"required\" | tools | 'tools': the keyword 'not' is not supported (at /0/not)",
            })
    void aGrammarThatCannotBindIsRefusedWithItsPlace(String fields, String param, String message) throws Exception {
        HttpResponse<String> response = server.chat(fields);
        assertThat(response.statusCode()).isEqualTo(400);
        JsonNode error = TestServer.json(response).get("error");
        assertThat(error.get("message").stringValue()).isEqualTo(message);
        assertThat(error.get("param").stringValue()).isEqualTo(param);
        assertThat(error.get("code").stringValue()).isEqualTo("unsupported_schema");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "thinking_token_budget | 5",
                "use_beam_search | true",
                "best_of | 2",
                "length_penalty | 0.5",
                "early_stopping | true",
                "top_p_min | 0.1",
                "lora_request | {}",
                "disaggregated_params | {}",
                "mm_processor_kwargs | {}",
                "media_io_kwargs | {}",
                "chat_template | \"x\"",
                "continue_final_message | true",
                "echo | true",
                "priority | 0.9",
                "functions | []",
            })
    void aFieldWhoseFeatureIsNotThereIsRefusedByName(String field, String value) throws Exception {
        HttpResponse<String> response =
                server.chat("\"tools\":[{\"function\":{\"name\":\"f\"}}],\"" + field + "\":" + value);
        assertThat(response.statusCode()).isEqualTo(400);
        JsonNode error = TestServer.json(response).get("error");
        assertThat(error.get("code").stringValue()).isEqualTo("unsupported_parameter");
        assertThat(error.get("param").stringValue()).isEqualTo(field);
        assertThat(error.get("message").stringValue()).startsWith("'" + field + "' is not supported: ");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | 'messages' is required",
                "{\"messages\":[]} | 'messages' must have at least one message",
                "{\"messages\":\"hi\"} | 'messages' must be an array, got \"hi\"",
                "{\"messages\":[\"hi\"]} | 'messages[0]' must be an object, got \"hi\"",
                "{\"messages\":[{\"content\":\"x\"}]} | 'messages[0].role' is required",
                "{\"messages\":[{\"role\":\"robot\",\"content\":\"x\"}]} | 'messages[0].role' must be one of system, developer, user, assistant, tool, got \"robot\"",
                "{\"messages\":[{\"role\":\"user\"}]} | 'messages[0].content' is required",
                "{\"messages\":[{\"role\":\"user\",\"content\":5}]} | 'messages[0].content' must be a string or an array of parts, got 5",
                "{\"messages\":[{\"role\":\"user\",\"content\":[5]}]} | 'messages[0].content[0]' must be an object, got 5",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"text\"}]}]} | 'messages[0].content[0].text' is required",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\"}]}]} | 'messages[0].content[0]' is a part of type image_url, but this model reads text only",
                "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"dance\"}]}]} | 'messages[0].content[0].type' must be text, got \"dance\"",
                "{\"messages\":[{\"role\":\"tool\",\"content\":\"x\"}]} | 'messages[0].tool_call_id' is required",
                "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{}]}]} | 'messages[0].tool_calls[0].function.name' is required",
                "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":5}}]}]} | 'messages[0].tool_calls[0].function.arguments' must be a string or an object, got 5",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"refuse me\"}]} | the chat template refuses these messages: chat template line 4: no such thing",
                "[] | the request body must be a JSON object, got an array of 0",
            })
    void aWrongMessageIsNamed(String body, String message) throws Exception {
        HttpResponse<String> response = server.post("/v1/chat/completions", body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).at("/error/message").stringValue()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "{} | 'prompt' is required",
                "{\"prompt\":5} | 'prompt' must be a string, an array of strings, token ids or arrays of token ids, got 5",
                "{\"prompt\":[]} | 'prompt' must be a string, an array of strings, token ids or arrays of token ids, got an array of 0",
                "{\"prompt\":[[]]} | 'prompt' must be a string, an array of strings, token ids or arrays of token ids, got an array of 0",
                "{\"prompt\":[1,999]} | 'prompt[1]' must be a token id from 0 to 259, got 999",
                "{\"prompt\":[[1],[2,\"x\"]]} | 'prompt[1][1]' must be a token id from 0 to 259, got \"x\"",
                "{\"prompt\":\"\",\"add_special_tokens\":false} | 'prompt' must not be empty",
                "{\"prompt\":\"a\",\"max_tokens\":0} | 'max_tokens' must be >= 1, got 0",
                "{\"prompt\":\"a\",\"logprobs\":21} | 'logprobs' must be between 0 and 20, got 21",
                "{\"prompt\":\"a\",\"suffix\":\"b\"} | 'suffix' is not supported: there is no fill-in-the-middle",
                "{\"prompt\":\"a\",\"echo\":true,\"logprobs\":1} | 'echo' is not supported: together with 'logprobs' it is not built yet",
            })
    void aWrongTextCompletionIsNamed(String body, String message) throws Exception {
        HttpResponse<String> response = server.post("/v1/completions", body);
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(TestServer.json(response).at("/error/message").stringValue()).isEqualTo(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"{", "{\"a\":", "{\"temperature\":NaN}", "{} x", "`", "{\"a\":\"\u0001\"}", "nul"})
    void malformedJsonIsSaidToBe(String body) throws Exception {
        for (String stream : new String[] {"", " "}) {
            HttpResponse<String> response = server.post("/v1/chat/completions", stream + (body == null ? "" : body));
            assertThat(response.statusCode()).isEqualTo(400);
            JsonNode error = TestServer.json(response).get("error");
            assertThat(error.get("code").stringValue()).isEqualTo("invalid_json");
            assertThat(error.get("message").stringValue()).doesNotContain("\n").doesNotContain("jackson");
        }
    }

    @Test
    void anUnknownModelIsA404() throws Exception {
        HttpResponse<String> response = server.chat("\"model\":\"gpt-9\"");
        assertThat(response.statusCode()).isEqualTo(404);
        JsonNode error = TestServer.json(response).get("error");
        assertThat(error.get("code").stringValue()).isEqualTo("model_not_found");
        assertThat(error.get("type").stringValue()).isEqualTo("not_found_error");
        assertThat(error.get("message").stringValue())
                .isEqualTo("the model 'gpt-9' is not served here; this is 'test-model'");
    }

    @Test
    void nullMeansTheDefaultEverywhere() throws Exception {
        HttpResponse<String> response = server.chat("\"temperature\":null,\"top_p\":null,\"stop\":null,\"tools\":null,"
                + "\"max_tokens\":null,\"stream\":null,\"stream_options\":null,\"logit_bias\":null,\"model\":null,"
                + "\"response_format\":null,\"seed\":null,\"n\":null,\"tool_choice\":null,\"cache_salt\":null");
        assertThat(response.statusCode()).isEqualTo(200);
    }

    @Test
    void unknownFieldsAreIgnoredUnlessTheServerIsStrict() throws Exception {
        assertThat(server.chat("\"frobnicate\":1").statusCode()).isEqualTo(200);
        try (TestServer strict = new TestServer(o -> o.strictBody(true))) {
            HttpResponse<String> response = strict.chat("\"frobnicate\":1");
            assertThat(response.statusCode()).isEqualTo(400);
            assertThat(TestServer.json(response).at("/error/message").stringValue())
                    .isEqualTo("'frobnicate' is not a known field");
            String known = "\"temperature\":0,\"user\":\"u\",\"metadata\":{},\"store\":true,\"service_tier\":\"auto\","
                    + "\"prompt_cache_key\":\"k\",\"safety_identifier\":\"s\",\"tools\":[],\"documents\":[]";
            assertThat(strict.chat(known).statusCode()).isEqualTo(200);
        }
    }

    /** R125: errors are short. */
    @Test
    void aHugeWrongValueGivesAShortError() throws Exception {
        HttpResponse<String> response = server.chat("\"temperature\":\"" + "x".repeat(500_000) + "\"");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body().length()).isLessThan(4096);
    }

    /** R054: what is wrong is told before a stream begins. */
    @Test
    void theStatusIsTheSameForStreamsAndNothingElse() throws Exception {
        HttpResponse<String> response = server.chat("\"stream\":true,\"temperature\":3");
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("content-type").orElse("")).isEqualTo("application/json");
    }

    /**
     * R066: ids that are null and arguments that are objects; R097: histories after a compaction are rendered as they
     * are.
     */
    @Test
    void oddHistoriesAreAcceptedAsTheyAre() throws Exception {
        for (String messages : new String[] {
            "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"tool\",\"tool_call_id\":\"x\",\"content\":\"r\"}",
            "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"},{\"role\":\"assistant\",\"content\":\"c\"}",
            "{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\"}",
            "{\"role\":\"assistant\",\"content\":\"b\"}",
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":null,\"function\":{\"name\":\"f\",\"arguments\":\"\"}}]}",
            "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"function\":{\"name\":\"f\",\"arguments\":{\"a\":1}}}]}",
            "{\"role\":\"assistant\",\"content\":\"x\",\"tool_calls\":[]}",
            "{\"role\":\"user\",\"content\":[]}",
            "{\"role\":\"function\",\"tool_call_id\":\"1\",\"content\":\"r\"}",
            "{\"role\":\"user\",\"content\":\"a\",\"name\":\"bob\"}",
        }) {
            HttpResponse<String> response = server.post("/v1/chat/completions", "{\"messages\":[" + messages + "]}");
            assertThat(response.statusCode())
                    .as(messages + " → " + response.body())
                    .isEqualTo(200);
        }
    }
}
