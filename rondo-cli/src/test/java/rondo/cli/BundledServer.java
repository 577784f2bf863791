package rondo.cli;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import rondo.base.Env;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.TimeSource;
import rondo.cli.config.ConfigLoader;
import rondo.engine.EngineStats;
import rondo.kv.KvStats;
import tools.jackson.databind.JsonNode;

/** The real server on the bundled model, in the test's process, and a plain client for it. */
final class BundledServer implements AutoCloseable {
    private final LocalServer server;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private BundledServer(LocalServer server) {
        this.server = server;
    }

    /** Starts it with a configuration file of this text. */
    static BundledServer start(String yaml) {
        return start(Shared.root().resolve("models/glimmer-mini"), yaml);
    }

    /** The same with another model, or with a part of this one. */
    static BundledServer start(Path model, String yaml) {
        ServeRequest request = new ServeRequest(
                model,
                "glimmer-mini",
                "localhost",
                0,
                Optional.empty(),
                ConfigLoader.parse("test.yaml", "rondo:\n  cpu_kv_base: 1GiB\n" + yaml, List.of()));
        return new BundledServer(LocalServer.start(request, new Env(Map.of()), TimeSource.system()));
    }

    URI url() {
        return server.url();
    }

    LocalServer server() {
        return server;
    }

    HttpResponse<String> post(String path, String body) throws Exception {
        return http.send(request(path, body), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    HttpRequest request(String path, String body) {
        return HttpRequest.newBuilder(url().resolve(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body, StandardCharsets.UTF_8))
                .build();
    }

    HttpResponse<String> get(String path) throws Exception {
        return http.send(
                HttpRequest.newBuilder(url().resolve(path)).build(),
                HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    }

    JsonNode json(String path, String body) throws Exception {
        HttpResponse<String> response = post(path, body);
        if (response.statusCode() != 200) {
            throw new AssertionError(response.statusCode() + ": " + response.body());
        }
        return Json.mapper().readTree(response.body());
    }

    JsonNode json(String path) throws Exception {
        return Json.mapper().readTree(get(path).body());
    }

    HttpClient http() {
        return http;
    }

    EngineStats stats() {
        return server.engine().stats();
    }

    /** Whether nothing runs, nothing waits and no page is held. */
    boolean booksBalance() {
        EngineStats stats = stats();
        return stats.running() == 0
                && stats.waiting() == 0
                && stats.kv().pools().stream().mapToInt(KvStats.Pool::held).sum() == 0;
    }

    /** Waits until the books balance; how often it looked bounds the wait. */
    void awaitIdle() throws InterruptedException {
        for (int i = 0; i < 3000 && !booksBalance(); i++) {
            Thread.sleep(10); // the state is published by another thread, there is no event to wait for
        }
        if (!booksBalance()) {
            throw new AssertionError("pages or sequences are left: " + stats());
        }
    }

    @Override
    public void close() {
        http.close();
        server.close();
    }
}
