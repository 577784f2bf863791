package rondo.server;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.engine.EngineStats;

/** The listening socket. It answers from its first moment on: that the server is starting, until a front takes over. */
final class Door {
    private static final Logger LOG = LoggerFactory.getLogger(Door.class);
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final int MAX_LINE_BYTES = 16 << 10;
    private static final int MAX_CHUNK_BYTES = 64 << 10;
    private static final long SWEEP_MILLIS = 5_000;

    private final Vertx vertx;
    private final TimeSource time;
    private final long keepAliveMillis;
    private final HttpServer http;
    final Connections connections;
    private volatile Handler handler = new Starting();

    /** What is done with requests. */
    interface Handler {
        void handle(HttpServerRequest request);

        /** What is no HTTP, or has too long a line or too many headers. */
        void invalid(HttpServerRequest request);
    }

    Door(Vertx vertx, ServerOptions options, TimeSource time) {
        this.vertx = vertx;
        this.time = time;
        this.keepAliveMillis = options.keepAliveMillis();
        connections = new Connections(time, keepAliveMillis);
        http = vertx.createHttpServer(new HttpServerOptions()
                .setTcpNoDelay(true)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setMaxChunkSize(MAX_CHUNK_BYTES));
        http.connectionHandler(connections::opened);
        http.requestHandler(request -> handler.handle(request));
        http.invalidRequestHandler(request -> handler.invalid(request));
        vertx.setPeriodic(SWEEP_MILLIS, t -> connections.sweep());
    }

    /**
     * Begins to listen.
     *
     * @throws UserError if the port is in use or the address is none of this machine's
     */
    void listen(String host, int port) {
        try {
            http.listen(port, host).toCompletionStage().toCompletableFuture().get();
        } catch (ExecutionException e) {
            throw cannot(host, port, e.getCause() == null ? e : e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError(UserError.PORT, "cannot listen on " + host + ":" + port + ": interrupted", e);
        }
        LOG.info("listening host={} port={}", host, http.actualPort());
    }

    int port() {
        return http.actualPort();
    }

    /** From now on this one answers. */
    void hand(Handler to) {
        handler = to;
    }

    /** Fails as {@link #listen} would, and leaves nothing open: a look ahead of long work. */
    static void check(String host, int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            InetSocketAddress address = new InetSocketAddress(host, port);
            if (address.isUnresolved()) {
                throw new UnknownHostException(host);
            }
            probe.bind(address);
        } catch (IOException e) {
            throw cannot(host, port, e);
        }
    }

    private static UserError cannot(String host, int port, Throwable fault) {
        return new UserError(UserError.PORT, "cannot listen on " + host + ":" + port + ": " + why(fault), fault);
    }

    /** A {@link BindException} is a port in use, an address of another machine or a lack of rights. */
    private static String why(Throwable fault) {
        String text = String.valueOf(fault.getMessage());
        if (fault instanceof BindException && text.contains("in use")) {
            return "the port is in use, choose another with --port";
        }
        if (fault instanceof BindException && text.contains("assign")) {
            return "the address is none of this machine's, choose another with --host";
        }
        return fault instanceof UnknownHostException ? "the host is not known, choose another with --host" : text;
    }

    /** Before there is a front: alive, and not ready. */
    private final class Starting implements Handler {
        @Override
        public void handle(HttpServerRequest request) {
            Exchange exchange = new Exchange(vertx, request, time, keepAliveMillis);
            connections.begin(request.connection());
            connections.bodyRead(request.connection());
            exchange.onEnd(() -> connections.end(request.connection()));
            if (request.method() != HttpMethod.GET && !request.isEnded()) {
                // Nobody reads the body, which would be taken for a request.
                request.response().putHeader("Connection", "close");
            }
            request.resume();
            switch (exchange.path) {
                case "/health/live" -> exchange.reply(200, "", new byte[0]);
                case "/health", "/health/ready" ->
                    exchange.reply(503, "application/json", ServerInfo.status("starting"), "Retry-After", "5");
                default -> exchange.fail(ApiError.notServing(EngineStats.State.STARTING));
            }
        }

        @Override
        public void invalid(HttpServerRequest request) {
            HttpFront.refuseInvalid(new Exchange(vertx, request, time, keepAliveMillis), request);
        }
    }
}
