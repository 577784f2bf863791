package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.base.UserError;

/** Who may ask: keys, and pages of other origins. */
class AccessTest {
    @TempDir
    Path directory;

    private static int status(HttpResponse<String> response) {
        return response.statusCode();
    }

    /** Every path that costs or tells something is behind the key, not only some. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /v1/models",
                "GET /v1/models/test-model",
                "GET /health_generate",
                "GET /kv_cache_events",
                "POST /v1/chat/completions",
                "POST /v1/completions",
                "POST /v1/responses",
                "POST /v1/messages",
                "POST /tokenize",
                "POST /_internal/tokenize",
                "POST /detokenize",
                "POST /kv_cache_events",
                "POST /admin/reset_prefix_cache",
                "GET /nothing"
            })
    void withoutAKeyNothingIsDone(String request) throws Exception {
        try (TestServer server = new TestServer(o -> o.apiKeys(List.of("secret")))) {
            String[] parts = request.split(" ");
            HttpResponse<String> response = server.client.send(
                    server.request(parts[1])
                            .method(parts[0], HttpRequest.BodyPublishers.ofString(parts[0].equals("POST") ? "{}" : ""))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(status(response)).isEqualTo(401);
            assertThat(response.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            assertThat(TestServer.json(response).at("/error").toString())
                    .isEqualTo(
                            "{'message':'a valid API key is required: Authorization: Bearer <key>, or X-Api-Key: <key>',"
                                    .concat("'type':'authentication_error','param':null,'code':'invalid_api_key'}")
                                    .replace('\'', '"'));
            assertThat(server.service.submitted).isEmpty();
            assertThat(server.service.cleared).isZero();
            assertThat(server.get("/metrics").body())
                    .contains("rondo_unauthorized_total{model_name=\"test-model\"} 1\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/health",
                "/health/ready",
                "/health/live",
                "/version",
                "/metrics",
                "/prometheus/metrics",
                "/iteration_stats"
            })
    void whatWatchersAskNeedsNoKey(String path) throws Exception {
        try (TestServer server = new TestServer(o -> o.apiKeys(List.of("secret")))) {
            assertThat(status(server.get(path))).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Authorization, Bearer one, 200",
        "Authorization, bearer two, 200",
        "Authorization, Bearer  three , 200",
        "X-Api-Key, one, 200",
        "X-Api-Key, three, 200",
        "Authorization, Bearer on, 401",
        "Authorization, Bearer onee, 401",
        "Authorization, Bearer ONE, 401",
        "Authorization, Basic one, 401",
        "Authorization, one, 401",
        "Authorization, Bearer, 401",
        "X-Api-Key, Bearer one, 401",
        "X-Other, one, 401"
    })
    void aKeyIsFoundWhereverItStands(String header, String value, int expected) throws Exception {
        Path file = Files.writeString(directory.resolve("keys"), "# of the team\n\n  three  \n");
        try (TestServer server =
                new TestServer(o -> o.apiKeys(List.of("one", "two")).apiKeysFile(file))) {
            assertThat(status(server.get("/v1/models", header, value))).isEqualTo(expected);
        }
    }

    @Test
    void aChangedFileIsReadAgainAndOneThatIsSpoiltChangesNothing() throws Exception {
        Path path = Files.writeString(directory.resolve("keys"), "first\n");
        KeyFile file = new KeyFile(path);
        ApiKeys keys = new ApiKeys(List.of(), file.changed());
        assertThat(file.changed()).as("unchanged").isEmpty();
        assertThat(keys.accept("Bearer first", null)).isTrue();

        Files.writeString(path, "second\nthird\n");
        keys.replaceFileKeys(file.changed());
        assertThat(keys.accept("Bearer first", null)).isFalse();
        assertThat(keys.accept("Bearer third", null)).isTrue();

        for (String spoilt : List.of("", "# nothing\n", "two words\n")) {
            Files.writeString(path, spoilt);
            assertThat(file.changed()).isEmpty();
        }
        Files.delete(path);
        assertThat(file.changed()).isEmpty();

        Files.writeString(path, "third\nsecnd\n");
        Files.setLastModifiedTime(path, FileTime.fromMillis(12_345));
        assertThat(file.changed()).containsExactly("third", "secnd");
    }

    @Test
    void aFileWithoutKeysOpensNoServer() throws Exception {
        Path empty = Files.writeString(directory.resolve("keys"), "# none yet\n");
        assertThatThrownBy(() -> new TestServer(o -> o.apiKeysFile(empty)))
                .isInstanceOf(UserError.class)
                .hasMessageContaining("no keys could be read from " + empty);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            # only a comment | it holds no key
            a b              | line 1 is no key: printable ASCII without spaces, at most 512 characters
            ok\\nschlüssel    | line 2 is no key: printable ASCII without spaces, at most 512 characters
            """)
    void whatIsWrongWithAFileIsToldWithoutTheKey(String text, String message) throws Exception {
        Path file = Files.writeString(directory.resolve("keys"), text.replace("\\n", "\n"));
        assertThatThrownBy(() -> KeyFile.keys(file)).hasMessage(message);
    }

    @Test
    void tooMuchOfAFileIsRefused() throws Exception {
        Path many = Files.writeString(directory.resolve("many"), "k\n".repeat(1001));
        assertThatThrownBy(() -> KeyFile.keys(many)).hasMessage("it holds 1001 keys, at most 1000 are read");
        Path large = Files.write(directory.resolve("large"), new byte[(1 << 20) + 1]);
        assertThatThrownBy(() -> KeyFile.keys(large)).hasMessage("it is larger than 1 MiB");
        assertThatThrownBy(() -> KeyFile.keys(directory.resolve("gone"))).hasMessage("it does not exist");
        Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xC3, 0x28});
        assertThatThrownBy(() -> KeyFile.keys(binary)).hasMessage("it is not UTF-8");
    }

    @Test
    void aFileThatAllMayReadIsNoticed() throws Exception {
        Path file = Files.writeString(directory.resolve("keys"), "one\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(KeyFile.isOpenToAll(file)).isTrue();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(KeyFile.isOpenToAll(file)).isFalse();
    }

    private static HttpResponse<String> preflight(TestServer server, String path, String origin) throws Exception {
        return server.client.send(
                server.request(
                                path,
                                "Access-Control-Request-Method",
                                "POST",
                                "Access-Control-Request-Headers",
                                "authorization, content-type",
                                "X-Origin",
                                origin)
                        .method("OPTIONS", HttpRequest.BodyPublishers.noBody())
                        .header("Origin", origin)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    private static List<String> corsHeaders(HttpResponse<String> response) {
        return response.headers().map().keySet().stream()
                .filter(name -> name.toLowerCase(java.util.Locale.ROOT).startsWith("access-control"))
                .toList();
    }

    @Test
    void pagesOfOtherOriginsReadNothingUnlessAsked() throws Exception {
        try (TestServer server = new TestServer()) {
            HttpResponse<String> get = server.get("/v1/models", "Origin", "https://evil.example");
            assertThat(status(get)).isEqualTo(200);
            assertThat(corsHeaders(get)).isEmpty();
            HttpResponse<String> asked = preflight(server, "/v1/chat/completions", "https://evil.example");
            assertThat(status(asked)).isEqualTo(405);
            assertThat(corsHeaders(asked)).isEmpty();
            assertThat(asked.headers().firstValue("Allow")).contains("POST");
        }
    }

    @Test
    void aListedOriginMayAskWithItsKeyAndOthersMayNot() throws Exception {
        String page = "https://app.example.com";
        try (TestServer server = new TestServer(
                o -> o.corsOrigins(List.of(page, "http://localhost:3000")).apiKeys(List.of("k")))) {
            HttpResponse<String> asked = preflight(server, "/v1/chat/completions", page);
            assertThat(status(asked)).as("no key is sent with it").isEqualTo(204);
            assertThat(asked.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains(page);
            assertThat(asked.headers().firstValue("Access-Control-Allow-Methods"))
                    .contains("POST");
            assertThat(asked.headers().firstValue("Access-Control-Allow-Headers"))
                    .contains("authorization, content-type");
            assertThat(asked.headers().firstValue("Access-Control-Max-Age")).contains("600");
            assertThat(asked.headers().firstValue("Vary")).contains("Origin");

            HttpResponse<String> answer = server.post(
                    "/v1/chat/completions", TestServer.chatBody(""), "Origin", page, "Authorization", "Bearer k");
            assertThat(status(answer)).isEqualTo(200);
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains(page);
            assertThat(answer.headers().firstValue("Access-Control-Expose-Headers"))
                    .contains("X-Request-ID, Retry-After");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials"))
                    .isEmpty();

            HttpResponse<String> refused = server.post("/v1/chat/completions", "{}", "Origin", page);
            assertThat(status(refused)).isEqualTo(401);
            assertThat(refused.headers().firstValue("Access-Control-Allow-Origin"))
                    .as("the page can read why")
                    .contains(page);

            HttpResponse<String> other = preflight(server, "/v1/chat/completions", "https://evil.example");
            assertThat(status(other)).isEqualTo(401);
            assertThat(corsHeaders(other)).isEmpty();
            HttpResponse<String> prefix = server.get("/version", "Origin", page + ".evil.example");
            assertThat(corsHeaders(prefix)).isEmpty();
        }
    }

    @Test
    void theWildcardNeverComesWithCredentials() throws Exception {
        try (TestServer server = new TestServer(o -> o.corsOrigins(List.of("*")))) {
            HttpResponse<String> answer = server.get("/v1/models", "Origin", "https://any.example");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("*");
            assertThat(answer.headers().firstValue("Access-Control-Allow-Credentials"))
                    .isEmpty();
        }
    }

    /** A page cannot read the answer, but without this its request would be computed all the same. */
    @ParameterizedTest
    @CsvSource({"cross-site, 403", "same-site, 403", "same-origin, 200", "none, 200"})
    void aForeignPageCannotMakeTheServerWork(String site, int expected) throws Exception {
        try (TestServer server = new TestServer()) {
            HttpResponse<String> response =
                    server.post("/v1/chat/completions", TestServer.chatBody(""), "Sec-Fetch-Site", site);
            assertThat(status(response)).isEqualTo(expected);
            assertThat(server.service.submitted).hasSize(expected == 200 ? 1 : 0);
            assertThat(status(server.get("/health", "Sec-Fetch-Site", site))).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "/health, POST, 'GET, HEAD'",
        "/v1/models/x/y, DELETE, 'GET, HEAD'",
        "/v1/chat/completions, GET, POST",
        "/kv_cache_events, PUT, 'GET, POST'"
    })
    void aWrongMethodIsToldTheRightOnes(String path, String method, String allow) throws Exception {
        try (TestServer server = new TestServer()) {
            HttpResponse<String> response = server.client.send(
                    server.request(path)
                            .method(method, HttpRequest.BodyPublishers.noBody())
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(status(response)).isEqualTo(405);
            assertThat(response.headers().firstValue("Allow")).contains(allow);
        }
    }
}
