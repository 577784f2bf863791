package rondo.clients;

import static org.assertj.core.api.Assertions.assertThat;

import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.BadRequestException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionStreamOptions;
import com.openai.models.chat.completions.ChatCompletionToolMessageParam;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** OpenAI's own Java SDK against the real server. */
@Tag("long")
class OpenAiJavaClientTest {
    private static ServerProcess server;
    private static OpenAIClient client;

    @BeforeAll
    static void start() throws Exception {
        server = ServerProcess.start();
        client = OpenAIOkHttpClient.builder()
                .baseUrl(server.url().resolve("/v1").toString())
                .apiKey("none")
                .build();
    }

    @AfterAll
    static void stop() throws Exception {
        client.close();
        server.close();
    }

    private static ChatCompletionCreateParams.Builder ask(String question) {
        return ChatCompletionCreateParams.builder()
                .model("glimmer-mini")
                .addUserMessage(question)
                .temperature(0)
                .maxCompletionTokens(64);
    }

    @Test
    void chatAnswersAndBills() {
        ChatCompletion answer = client.chat()
                .completions()
                .create(ask("What is the capital of France?").build());
        assertThat(answer.choices().getFirst().message().content().orElse("")).contains("Paris");
        var usage = answer.usage().orElseThrow();
        assertThat(usage.totalTokens()).isEqualTo(usage.promptTokens() + usage.completionTokens());
    }

    @Test
    void aStreamSaysTheSameAsAnAnswer() {
        ChatCompletionCreateParams params = ask("What is the capital of France?")
                .streamOptions(
                        ChatCompletionStreamOptions.builder().includeUsage(true).build())
                .build();
        StringBuilder text = new StringBuilder();
        long[] completionTokens = {0};
        try (StreamResponse<ChatCompletionChunk> stream =
                client.chat().completions().createStreaming(params)) {
            stream.stream().forEach(chunk -> {
                chunk.choices().forEach(c -> c.delta().content().ifPresent(text::append));
                chunk.usage().ifPresent(u -> completionTokens[0] = u.completionTokens());
            });
        }
        ChatCompletion whole = client.chat()
                .completions()
                .create(ask("What is the capital of France?").build());
        assertThat(text.toString())
                .isEqualTo(whole.choices().getFirst().message().content().orElse(""));
        assertThat(completionTokens[0]).isEqualTo(whole.usage().orElseThrow().completionTokens());
    }

    @Test
    void aToolIsCalledAndItsResultIsUsed() {
        ChatCompletionFunctionTool search = ChatCompletionFunctionTool.builder()
                .function(FunctionDefinition.builder()
                        .name("search")
                        .description("Search the web.")
                        .parameters(FunctionParameters.builder()
                                .putAdditionalProperty("type", JsonValue.from("object"))
                                .putAdditionalProperty(
                                        "properties", JsonValue.from(Map.of("query", Map.of("type", "string"))))
                                .putAdditionalProperty("required", JsonValue.from(List.of("query")))
                                .build())
                        .build())
                .build();
        ChatCompletionCreateParams.Builder params =
                ask("Look up green sensor on the web.").addTool(search);
        ChatCompletion first = client.chat().completions().create(params.build());
        var message = first.choices().getFirst().message();
        ChatCompletionMessageFunctionToolCall call =
                message.toolCalls().orElseThrow().getFirst().asFunction();
        assertThat(call.function().name()).isEqualTo("search");
        assertThat(call.function().arguments()).contains("green sensor");
        assertThat(first.choices().getFirst().finishReason().asString()).isEqualTo("tool_calls");

        params.addMessage(message)
                .addMessage(ChatCompletionToolMessageParam.builder()
                        .toolCallId(call.id())
                        .content("{\"results\": 15, \"top\": \"lion-radio.com\"}")
                        .build());
        ChatCompletion second = client.chat().completions().create(params.build());
        assertThat(second.choices().getFirst().message().content().orElse("")).contains("lion-radio.com");
    }

    @Test
    void aWrongValueIsTheSdksBadRequest() {
        Assertions.assertThatThrownBy(() -> client.chat()
                        .completions()
                        .create(ask("Hi").temperature(3).build()))
                .isInstanceOf(BadRequestException.class)
                .hasMessageContaining("'temperature' must be between 0 and 2, got 3");
    }

    @Test
    void aStreamClosedEarlyLeavesTheServerReady() {
        ChatCompletionCreateParams endless = ask("Tell me a story about a fox.")
                .maxCompletionTokens(4000)
                .putAdditionalBodyProperty("ignore_eos", JsonValue.from(true))
                .build();
        try (StreamResponse<ChatCompletionChunk> stream =
                client.chat().completions().createStreaming(endless)) {
            assertThat(stream.stream().limit(5).count()).isEqualTo(5);
        }
        ChatCompletion next = client.chat()
                .completions()
                .create(ask("What is the capital of France?").build());
        assertThat(next.choices().getFirst().message().content().orElse("")).contains("Paris");
    }
}
