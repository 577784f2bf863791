package rondo.server;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.LocalDateTime;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import rondo.base.TimeSource;
import rondo.engine.Books;
import rondo.engine.EngineHarness;
import rondo.engine.EngineStats;
import rondo.engine.ForcingService;
import rondo.text.ChatEncoder;
import rondo.text.ChatTemplate;
import rondo.text.PrefixTokenizationCache;
import rondo.text.parse.OutputParsers;

/** A listening server over the real engine on the stub model, which says the alphabet unless it is made to say something. */
final class ForcedServer implements AutoCloseable {
    final EngineHarness harness;
    final ForcingService forcing;
    final RondoServer server;
    final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    ForcedServer(String template, Consumer<EngineHarness.Setup> settings) {
        EngineHarness.Setup setup = EngineHarness.setup()
                .vocabulary(TestTokenizer.VOCABULARY)
                .model((tokens, count, position, vocabulary) -> 'a' + position % 26);
        settings.accept(setup);
        harness = setup.start();
        forcing = new ForcingService(harness.engine);
        TestTokenizer tokenizer = new TestTokenizer();
        ServedModel model = new ServedModel(
                "stub",
                tokenizer,
                new ChatEncoder(tokenizer, ChatTemplate.of(template, Map.of()), true, PrefixTokenizationCache.off()),
                ContentParts.readBy(template),
                () -> LocalDateTime.of(2026, 12, 1, 0, 0),
                new OutputParsers("hermes", "none", "test"),
                SamplingDefaults.standard(),
                new int[] {TestTokenizer.EOT},
                true,
                new WeightSummary(0, 0, "", 0, 0),
                "0.1.0",
                "00000000");
        server = RondoServer.start(
                ServerOptions.builder().host("127.0.0.1").port(0).build(), model, forcing, TimeSource.system());
        Wait.until("the engine is ready", () -> get("/health").statusCode() == 200);
    }

    private URI uri(String path) {
        return URI.create("http://127.0.0.1:" + server.port() + path);
    }

    HttpResponse<String> get(String path) {
        try {
            return client.send(HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    CompletableFuture<HttpResponse<String>> post(String path, String body) {
        return client.sendAsync(
                HttpRequest.newBuilder(uri(path))
                        .POST(HttpRequest.BodyPublishers.ofString(body))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    CompletableFuture<HttpResponse<String>> chat(String content, String fields) {
        return post(
                "/v1/chat/completions",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"" + content + "\"}],\"temperature\":0," + fields
                        + "}");
    }

    /** What the stub model says by itself. */
    static String said(int tokens) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < tokens; i++) {
            text.append((char) ('a' + i % 26));
        }
        return text.toString();
    }

    /** Waits until the books balance: nobody is served, nothing runs or waits, no page is held. */
    void awaitBalance() {
        Wait.until(
                "the books balance",
                () -> server.runningRequests() == 0
                        && Books.faults(harness.engine.stats()).isEmpty());
    }

    EngineStats stats() {
        return harness.engine.stats();
    }

    @Override
    public void close() {
        server.close();
        harness.close();
        client.close();
    }
}
