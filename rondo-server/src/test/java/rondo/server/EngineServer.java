package rondo.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import rondo.base.TimeSource;
import rondo.engine.EngineHarness;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.parse.OutputParsers;
import tools.jackson.databind.JsonNode;

/** A server over the real engine on the stub model, which says "abcabc…" for ever. */
final class EngineServer implements AutoCloseable {
    final EngineHarness harness;
    final RondoServer server;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    EngineServer(EngineHarness.Setup setup, ServerOptions.Builder options) {
        harness = setup.vocabulary(TestTokenizer.VOCABULARY)
                .model((tokens, count, position, vocabulary) -> 'a' + position % 3)
                .start();
        TestTokenizer tokenizer = new TestTokenizer();
        ServedModel model = new ServedModel(
                "stub",
                tokenizer,
                new ChatEncoder(
                        tokenizer, ChatTemplate.of(TestServer.TEMPLATE, Map.of()), true, PrefixTokenizationCache.off()),
                ContentParts.readBy(TestServer.TEMPLATE),
                () -> LocalDateTime.of(2026, 12, 1, 0, 0),
                new OutputParsers("hermes", "none", "test"),
                SamplingDefaults.standard(),
                new int[] {TestTokenizer.EOT},
                true,
                new WeightSummary(0, 0, "", 0, 0),
                "0.1.0",
                "00000000");
        server = RondoServer.start(
                options.host("127.0.0.1").port(0).build(), model, harness.engine, TimeSource.system());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path));
    }

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return client.send(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    /** A completion of a prompt of so many tokens. */
    CompletableFuture<HttpResponse<String>> complete(int prompt, String more) {
        String body = "{\"prompt\":\"" + "x".repeat(prompt) + "\",\"add_special_tokens\":false,\"temperature\":0" + more
                + "}";
        return client.sendAsync(
                request("/v1/completions")
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    JsonNode iterations() throws IOException, InterruptedException {
        return TestServer.json(get("/iteration_stats"));
    }

    @Override
    public void close() {
        server.close();
        harness.close();
        client.close();
    }
}
