package rondo.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import rondo.base.Json;
import rondo.base.TimeSource;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.Tokenizer;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;

/** A listening server over a {@link FakeService}, and a client of the JDK. */
final class TestServer implements AutoCloseable {
    static final String TEMPLATE = """
            {{- "<|bos|>" -}}
            {%- if tools -%}<|start|>tools<|end|>{%- for tool in tools -%}{{- tool | tojson -}}{%- endfor -%}<|eot|>{%- endif -%}
            {%- for m in messages -%}
            {%- if m.role == "refuse_me" or m.content == "refuse me" -%}{{- raise_exception("no such thing") -}}{%- endif -%}
            <|start|>{{- m.role -}}<|end|>{{- m.content -}}
            {%- for call in m.tool_calls -%}<call>{{- call.function.name -}}{{- call.function.arguments -}}</call>{%- endfor -%}
            <|eot|>
            {%- endfor -%}
            {%- if add_generation_prompt -%}<|start|>assistant<|end|>{%- endif -%}
            {#- arguments is string -#}
            """;

    final FakeService service = new FakeService();
    final TestTokenizer tokenizer;
    final ServedModel model;
    final RondoServer server;
    final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    TestServer() {
        this(options -> {});
    }

    TestServer(Consumer<ServerOptions.Builder> settings) {
        this(RondoServer.Transport.open(), options(settings));
    }

    private static ServerOptions options(Consumer<ServerOptions.Builder> settings) {
        ServerOptions.Builder options =
                ServerOptions.builder().host("127.0.0.1").port(0);
        settings.accept(options);
        return options.build();
    }

    /** One that takes and gives token ids only. */
    static TestServer withoutTokenizer() {
        return new TestServer(RondoServer.Transport.open(), options(o -> {}), new IdsOnly());
    }

    TestServer(RondoServer.Transport transport, ServerOptions options) {
        this(transport, options, new TestTokenizer());
    }

    private TestServer(RondoServer.Transport transport, ServerOptions options, Tokenizer given) {
        tokenizer = given instanceof TestTokenizer t ? t : new TestTokenizer();
        model = new ServedModel(
                "test-model",
                given,
                new ChatEncoder(given, ChatTemplate.of(TEMPLATE, Map.of()), true, PrefixTokenizationCache.off()),
                ContentParts.readBy(TEMPLATE),
                () -> LocalDateTime.of(2026, 12, 1, 0, 0),
                new OutputParsers("hermes", "none", "test"),
                SamplingDefaults.standard(),
                new int[] {TestTokenizer.EOT},
                true,
                new WeightSummary(10, 2, "text_only", 0, 0),
                "0.1.0",
                "12345678");
        server = RondoServer.start(transport, options, model, service, TimeSource.system());
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    HttpResponse<String> get(String path, String... headers) throws Exception {
        return client.send(request(path, headers).GET().build(), HttpResponse.BodyHandlers.ofString());
    }

    HttpResponse<String> post(String path, String body, String... headers) throws Exception {
        HttpRequest request = request(path, headers)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder builder = HttpRequest.newBuilder(uri(path)).timeout(Duration.ofSeconds(20));
        return headers.length == 0 ? builder : builder.headers(headers);
    }

    HttpResponse<String> chat(String fields) throws Exception {
        return post("/v1/chat/completions", chatBody(fields));
    }

    /** A chat body with one user message; more fields come as {@code "a":1,"b":2}. */
    static String chatBody(String fields) {
        return "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]" + (fields.isEmpty() ? "" : "," + fields) + "}";
    }

    static JsonNode json(HttpResponse<String> response) {
        return Json.mapper().readTree(response.body());
    }

    /** The JSON of all events of a stream; the last one must have been {@code [DONE]}. */
    static List<JsonNode> events(String body) {
        List<JsonNode> events = new ArrayList<>();
        String[] parts = body.split("\n\n");
        for (int i = 0; i < parts.length; i++) {
            String part = parts[i];
            if (part.startsWith(":")) {
                continue;
            }
            if (!part.startsWith("data: ")) {
                throw new AssertionError("not an event: " + part);
            }
            if (part.equals("data: [DONE]")) {
                if (i != parts.length - 1) {
                    throw new AssertionError("something follows [DONE]");
                }
                return events;
            }
            events.add(Json.mapper().readTree(part.substring(6)));
        }
        throw new AssertionError("no [DONE] at the end of: " + body);
    }

    @Override
    public void close() throws Exception {
        server.close();
        service.close();
        client.close();
    }
}
