package rondo.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import rondo.engine.EngineHarness;
import rondo.engine.EngineOptions;

/**
 * 256 streams at once over loopback, the model stubbed, their clients in the same process: tokens per second in all,
 * from the request's body to the last byte read.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 5, time = 3)
@Measurement(iterations = 5, time = 3)
@Fork(1)
public class StreamsBench {
    private static final int STREAMS = 256;
    private static final int TOKENS = 200;

    /** Tokens of a chunk. */
    @Param({"1", "20"})
    public int streamInterval;

    private EngineServer server;
    private ExecutorService clients;
    private byte[] request;

    @Setup
    public void start() {
        server = new EngineServer(
                new EngineHarness.Setup().pages(40_000).options(EngineOptions.of(STREAMS, 1024, 512)),
                ServerOptions.builder().streamInterval(streamInterval));
        clients = Executors.newVirtualThreadPerTaskExecutor();
        String body = "{\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}],\"stream\":true,\"ignore_eos\":true,"
                + "\"max_tokens\":" + TOKENS + ",\"stream_options\":{\"include_usage\":true}}";
        request = ("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                        + "Connection: close\r\nContent-Length: " + body.length() + "\r\n\r\n" + body)
                .getBytes(StandardCharsets.US_ASCII);
    }

    @Benchmark
    @OperationsPerInvocation(STREAMS * TOKENS)
    public long streamedTokens() throws Exception {
        List<Future<Long>> streams = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            streams.add(clients.submit(this::stream));
        }
        long bytes = 0;
        for (Future<Long> stream : streams) {
            bytes += stream.get();
        }
        return bytes;
    }

    private long stream() throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.port())) {
            socket.getOutputStream().write(request);
            InputStream in = socket.getInputStream();
            byte[] buffer = new byte[16 << 10];
            long bytes = 0;
            String end = "";
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                bytes += n;
                end = (end + new String(buffer, Math.max(0, n - 64), Math.min(n, 64), StandardCharsets.US_ASCII));
                end = end.substring(Math.max(0, end.length() - 64));
            }
            if (!end.contains("data: [DONE]")) {
                throw new IllegalStateException("the stream was cut: ..." + end);
            }
            return bytes;
        }
    }

    @TearDown
    public void stop() {
        clients.close();
        server.close();
    }
}
