package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** KV events of the real server on the bundled model, both ways. */
@Timeout(180)
class KvEventsServingTest {
    private static final String BODY = "{\"messages\":[{\"role\":\"user\",\"content\":\""
            + "Count the letters of a long word, then say how many there are, and why. ".repeat(6)
            + "\"}],\"max_tokens\":4,\"temperature\":0}";

    private static String streaming(String endpoint, String replay) {
        return "max_seq_len: 1024\nkv_cache_config:\n  kv_events_config:\n    enable_kv_cache_events: true\n"
                + "    endpoint: " + endpoint + "\n    replay_endpoint: " + replay + "\n    topic: kv@pod@m\n";
    }

    private static int freePort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    @Test
    void bufferedEventsTellTheBlocksOfAChat() throws Exception {
        try (BundledServer server = BundledServer.start(
                "max_seq_len: 1024\nkv_cache_config:\n  event_buffer_max_size: 1000\n  tokens_per_block: 16\n")) {
            server.json("/v1/chat/completions", BODY);
            JsonNode rows =
                    Json.mapper().readTree(server.get("/kv_cache_events").body());
            int stored = 0;
            for (JsonNode row : rows) {
                if (row.at("/data/type").asString().equals("stored")) {
                    stored += row.at("/data/blocks").size();
                }
            }
            assertThat(stored).isGreaterThan(4);
            assertThat(rows.get(0).at("/data/type").asString()).isEqualTo("created");
            assertThat(server.get("/kv_cache_events").body()).isEqualTo("[]");
        }
    }

    @Test
    void aStreamAnswersReplaysOverLoopbackAndStopsWithTheServer() throws Exception {
        String endpoint = "tcp://127.0.0.1:" + freePort();
        String replay = "tcp://127.0.0.1:" + freePort();
        for (int start = 0; start < 2; start++) { // and a server that is started again
            try (BundledServer server = BundledServer.start(streaming(endpoint, replay));
                    ZContext context = new ZContext();
                    ZMQ.Socket dealer = context.createSocket(SocketType.DEALER)) {
                dealer.setReceiveTimeOut(10_000);
                // Now and then a handshake between two JeroMQ sockets gets stuck; then it is begun again.
                dealer.setHandshakeIvl(500);
                dealer.setReconnectIVL(10);
                dealer.connect(replay);
                server.json("/v1/chat/completions", BODY);
                byte[] payload = firstBatch(dealer);
                assertThat(new String(payload, StandardCharsets.ISO_8859_1))
                        .contains("AllBlocksCleared", "BlockStored", "medium", "GPU");
                assertThat(server.get("/kv_cache_events").statusCode()).isEqualTo(404);
                UserError taken = catchThrowableOfType(
                        UserError.class,
                        () -> BundledServer.start(streaming(endpoint, "tcp://127.0.0.1:*"))
                                .close());
                assertThat(taken.exitCode()).isEqualTo(UserError.PORT);
                assertThat(taken)
                        .hasMessage("cannot bind kv_cache_config.kv_events_config.endpoint " + endpoint
                                + ": the port is in use, choose another");
            }
        }
    }

    /** Asks until the batch has been sent. */
    private static byte[] firstBatch(ZMQ.Socket dealer) {
        while (true) {
            dealer.sendMore(new byte[0]);
            dealer.send(new byte[Long.BYTES]);
            byte[] first = null;
            while (true) {
                assertThat(dealer.recv()).as("an answer").isEmpty();
                assertThat(dealer.recv()).asString(StandardCharsets.UTF_8).isEqualTo("kv@pod@m");
                long number = ByteBuffer.wrap(dealer.recv()).getLong();
                byte[] payload = dealer.recv();
                if (number == -1) {
                    break;
                }
                if (number == 0) {
                    first = payload;
                }
            }
            if (first != null) {
                return first;
            }
        }
    }
}
