package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import rondo.base.TimeSource;
import rondo.base.UserError;

/** Between the first moment of the port and the model's being there. */
class StartingTest {
    private static HttpResponse<String> ask(HttpClient client, int port, String method, String path) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                        .method(method, HttpRequest.BodyPublishers.ofString(method.equals("POST") ? "{}" : ""))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    /** F011: readiness that can be asked while the model loads. */
    @Test
    void theServerAnswersWhileItStartsAndTheSamePortServesLater() throws Exception {
        ServerOptions options =
                ServerOptions.builder().host("127.0.0.1").port(0).build();
        try (HttpClient client = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .build();
                RondoServer.Transport transport = RondoServer.Transport.open(options, TimeSource.system())) {
            int port = transport.port();
            HttpResponse<String> health = ask(client, port, "GET", "/health");
            assertThat(health.statusCode()).isEqualTo(503);
            assertThat(health.body()).isEqualTo("{\"status\":\"starting\"}");
            assertThat(health.headers().firstValue("Retry-After")).contains("5");
            assertThat(ask(client, port, "GET", "/health/ready").statusCode()).isEqualTo(503);
            assertThat(ask(client, port, "GET", "/health/live").statusCode()).isEqualTo(200);
            HttpResponse<String> chat = ask(client, port, "POST", "/v1/chat/completions");
            assertThat(chat.statusCode()).isEqualTo(503);
            assertThat(chat.headers().firstValue("Retry-After")).contains("5");
            assertThat(TestServer.json(chat).at("/error/code").stringValue()).isEqualTo("starting");

            try (TestServer server = new TestServer(transport, options)) {
                assertThat(server.server.port()).isEqualTo(port);
                assertThat(ask(client, port, "GET", "/health").statusCode()).isEqualTo(200);
                assertThat(server.chat("").statusCode()).isEqualTo(200);
            }
        }
    }

    @Test
    void aPortThatIsTakenIsKnownAtOnce() throws IOException {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            int port = taken.getLocalPort();
            ServerOptions options =
                    ServerOptions.builder().host("127.0.0.1").port(port).build();
            String message = "cannot listen on 127.0.0.1:" + port + ": the port is in use, choose another with --port";
            assertThatThrownBy(() -> RondoServer.checkAddress("127.0.0.1", port))
                    .isInstanceOf(UserError.class)
                    .hasMessage(message);
            assertThatThrownBy(() -> RondoServer.Transport.open(options, TimeSource.system()))
                    .isInstanceOf(UserError.class)
                    .hasMessage(message);
        }
    }

    @Test
    void theLookAheadLeavesThePortFree() {
        ServerOptions options =
                ServerOptions.builder().host("127.0.0.1").port(0).build();
        int port;
        try (RondoServer.Transport first = RondoServer.Transport.open(options, TimeSource.system())) {
            port = first.port();
        }
        RondoServer.checkAddress("127.0.0.1", port);
        ServerOptions again =
                ServerOptions.builder().host("127.0.0.1").port(port).build();
        try (RondoServer.Transport second = RondoServer.Transport.open(again, TimeSource.system())) {
            assertThat(second.port()).isEqualTo(port);
        }
    }

    @Test
    void anAddressThatIsNobodysIsKnownAtOnce() {
        assertThatThrownBy(() -> RondoServer.checkAddress("192.0.2.1", 0))
                .hasMessage(
                        "cannot listen on 192.0.2.1:0: the address is none of this machine's, choose another with --host");
        assertThatThrownBy(() -> RondoServer.checkAddress("no-such-host.invalid", 0))
                .hasMessage(
                        "cannot listen on no-such-host.invalid:0: the host is not known, choose another with --host");
    }
}
