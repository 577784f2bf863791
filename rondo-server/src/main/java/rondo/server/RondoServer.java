package rondo.server;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import java.net.BindException;
import java.net.URLDecoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.engine.EngineStats;
import rondo.engine.GenerationService;
import rondo.engine.grammar.GrammarCompiler;
import rondo.server.kvevents.BufferedKvEvents;
import rondo.server.kvevents.KvEvents;

/**
 * A listening server over a {@link GenerationService}. Event loops carry bytes, a small pool parses and tokenizes,
 * workers turn tokens into text; the engine is only ever signalled.
 */
public final class RondoServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RondoServer.class);
    private static final int MAX_HEADER_BYTES = 64 << 10;
    private static final int MAX_LINE_BYTES = 16 << 10;
    private static final int MAX_CHUNK_BYTES = 64 << 10;
    private static final long SWEEP_MILLIS = 5_000;
    private static final long CLOSE_SECONDS = 5;
    private static final long LEAST_POOL_BYTES = 1L << 30;
    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final Front front;
    private final Transport transport;
    private final HttpServer http;
    private final RequestPool pool;
    private final List<PostprocessWorker> workers;
    private final Completions completions;
    private final ServerInfo info;
    private volatile boolean draining;

    private RondoServer(Front front, Transport transport) {
        this.front = front;
        ServerOptions options = front.options();
        this.transport = transport;
        Vertx vertx = transport.vertx;
        pool = new RequestPool(options.parseThreads(), Math.max(LEAST_POOL_BYTES, 4 * options.maxRequestBytes()));
        workers = new ArrayList<>();
        for (int i = 0; i < Math.max(1, options.numPostprocessWorkers()); i++) {
            workers.add(new PostprocessWorker(i));
        }
        completions = new Completions(front, List.copyOf(workers));
        info = new ServerInfo(front);
        Connections connections = new Connections(front.time(), options.keepAliveMillis());
        HttpFront handler = new HttpFront(vertx, front, routes(), pool, connections);
        http = vertx.createHttpServer(new HttpServerOptions()
                .setTcpNoDelay(true)
                .setMaxHeaderSize(MAX_HEADER_BYTES)
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setMaxChunkSize(MAX_CHUNK_BYTES));
        http.connectionHandler(connections::opened);
        http.requestHandler(handler::handle);
        http.invalidRequestHandler(handler::invalid);
        vertx.setPeriodic(SWEEP_MILLIS, t -> connections.sweep());
    }

    /** The event loops, which take a moment to come up: made ahead, while a model loads, or by {@link #start}. */
    public static final class Transport implements AutoCloseable {
        private final Vertx vertx;

        private Transport(Vertx vertx) {
            this.vertx = vertx;
        }

        public static Transport open() {
            return new Transport(Vertx.vertx(new VertxOptions()
                    .setEventLoopPoolSize(1)
                    .setWorkerPoolSize(1)
                    .setInternalBlockingPoolSize(1)
                    .setFileSystemOptions(
                            new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false))));
        }

        @Override
        public void close() {
            try {
                vertx.close().toCompletionStage().toCompletableFuture().get(CLOSE_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                LOG.warn("the event loops did not end in {} s", CLOSE_SECONDS, e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Starts to listen.
     *
     * @throws UserError if the port is in use or the address is none of this machine's
     */
    public static RondoServer start(
            ServerOptions options, ServedModel model, GenerationService service, TimeSource time) {
        return start(Transport.open(), options, model, service, time);
    }

    /** As above, on event loops that the server owns from now on. */
    public static RondoServer start(
            Transport transport, ServerOptions options, ServedModel model, GenerationService service, TimeSource time) {
        return start(transport, options, model, service, time, KvEvents.off());
    }

    /** As above, with the events of the cache; they stay the caller's, who closes them after the engine. */
    public static RondoServer start(
            Transport transport,
            ServerOptions options,
            ServedModel model,
            GenerationService service,
            TimeSource time,
            KvEvents events) {
        SpecialTokens specials = new SpecialTokens(model.tokenizer());
        GrammarCompiler grammars = new GrammarCompiler(() -> Vocabulary.trie(model, service), time);
        RondoServer server = new RondoServer(
                new Front(options, model, service, new Metrics(), time, specials, grammars, events), transport);
        try {
            server.listen();
            return server;
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
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

    private void listen() {
        ServerOptions options = front.options();
        String where = options.host() + ":" + options.port();
        try {
            http.listen(options.port(), options.host())
                    .toCompletionStage()
                    .toCompletableFuture()
                    .get();
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new UserError(UserError.PORT, "cannot listen on " + where + ": " + why(cause), cause);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UserError(UserError.PORT, "cannot listen on " + where + ": interrupted", e);
        }
        LOG.info(
                "listening url=http://{}:{} model={}",
                options.host(),
                port(),
                front.model().id());
    }

    /** The port on which it listens. */
    public int port() {
        return http.actualPort();
    }

    /** Completion requests that are not answered yet. */
    public int runningRequests() {
        return completions.running();
    }

    private Map<String, HttpFront.Route> routes() {
        TokenEndpoints tokens = new TokenEndpoints(front, completions);
        HealthProbe probe = new HealthProbe(front);
        Map<String, HttpFront.Route> routes = new HashMap<>();
        routes.put("/v1/chat/completions", completion(completions::chat));
        routes.put("/v1/completions", completion(completions::text));
        routes.put("/v1/models", get(false, (x, b) -> x.reply(200, JSON, info.models())));
        routes.put(HttpFront.MODELS, get(false, (x, b) -> x.reply(200, JSON, info.model(modelId(x.path)))));
        for (String path : List.of("/v1/responses", "/v1/messages")) {
            routes.put(path, post((x, b) -> {
                throw ApiError.notBuilt(path);
            }));
        }
        routes.put("/health", get(true, (x, b) -> health(x)));
        routes.put("/health/ready", get(true, (x, b) -> health(x)));
        routes.put("/health/live", get(true, (x, b) -> live(x)));
        routes.put("/health_generate", get(false, (x, b) -> probe.run(x)));
        routes.put("/version", get(true, (x, b) -> x.reply(200, JSON, info.version())));
        routes.put("/metrics", get(true, (x, b) -> metrics(x)));
        routes.put("/prometheus/metrics", get(true, (x, b) -> prometheus(x)));
        routes.put("/iteration_stats", get(true, (x, b) -> x.reply(200, JSON, info.iterations())));
        for (String path : List.of("/tokenize", "/_internal/tokenize")) {
            routes.put(path, post((x, b) -> x.reply(200, JSON, tokens.tokenize(b))));
        }
        routes.put("/detokenize", post((x, b) -> x.reply(200, JSON, tokens.detokenize(b))));
        routes.put(
                "/kv_cache_events",
                new HttpFront.Route(
                        Set.of(HttpMethod.GET, HttpMethod.POST), false, false, false, (x, b) -> kvEvents(x)));
        routes.put("/admin/reset_prefix_cache", post((x, b) -> {
            front.service().clearPrefixCache();
            x.reply(200, "", new byte[0]);
        }));
        return Map.copyOf(routes);
    }

    private HttpFront.Route completion(HttpFront.Action action) {
        HttpFront.Action whileServing = (x, b) -> {
            if (draining) {
                throw ApiError.draining();
            }
            action.run(x, b);
        };
        return new HttpFront.Route(Set.of(HttpMethod.POST), false, false, true, whileServing);
    }

    private static HttpFront.Route post(HttpFront.Action action) {
        return new HttpFront.Route(Set.of(HttpMethod.POST), false, false, false, action);
    }

    // Snapshots of a few kilobytes, made in microseconds: they must answer while the pool is busy with long prompts.
    private static HttpFront.Route get(boolean open, HttpFront.Action action) {
        return new HttpFront.Route(Set.of(HttpMethod.GET, HttpMethod.HEAD), open, true, false, action);
    }

    private static String modelId(String path) {
        String id = path.substring(HttpFront.MODELS.length());
        return id.indexOf('%') < 0 ? id : URLDecoder.decode(id.replace("+", "%2B"), StandardCharsets.UTF_8);
    }

    private void health(Exchange exchange) {
        EngineStats.State state = front.service().stats().state();
        String problem = draining && state == EngineStats.State.READY
                ? "draining"
                : switch (state) {
                    case READY -> "";
                    case STARTING -> "starting";
                    case DRAINING -> "draining";
                    case FAILED, STOPPED -> "failed";
                };
        if (problem.isEmpty()) {
            exchange.reply(200, "", new byte[0]);
        } else {
            exchange.reply(503, JSON, ServerInfo.status(problem), "Retry-After", "5");
        }
    }

    private void live(Exchange exchange) {
        if (front.service().stats().state() == EngineStats.State.FAILED) {
            exchange.reply(503, JSON, ServerInfo.status("failed"));
        } else {
            exchange.reply(200, "", new byte[0]);
        }
    }

    private void metrics(Exchange exchange) {
        String accept = exchange.request.getHeader("Accept");
        boolean json = switch (front.options().metricsFormat()) {
            case AUTO -> accept != null && accept.contains(JSON);
            case JSON -> true;
            case PROMETHEUS -> false;
        };
        if (json) {
            exchange.reply(200, JSON, info.metricsRows());
        } else {
            prometheus(exchange);
        }
    }

    private void kvEvents(Exchange exchange) throws ApiError {
        if (!(front.events() instanceof BufferedKvEvents buffered)) {
            throw ApiError.noKvEvents();
        }
        exchange.reply(200, JSON, buffered.drain());
    }

    private void prometheus(Exchange exchange) {
        exchange.reply(200, PROMETHEUS, info.prometheus().getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Takes no further completion requests (503) and lets the running ones end; what is not done in time is ended with
     * {@code abort}.
     *
     * @return whether all ended by themselves
     */
    public boolean drain(Duration limit) throws InterruptedException {
        draining = true;
        long deadline = System.nanoTime() + limit.toNanos();
        while (completions.running() > 0 && System.nanoTime() < deadline) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        boolean all = completions.running() == 0;
        completions.abortAll();
        long patience = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_SECONDS);
        while (completions.running() > 0 && System.nanoTime() < patience) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return all;
    }

    /** Stops listening, ends what still runs and gives back all threads and sockets. */
    @Override
    public void close() {
        draining = true;
        transport.close();
        pool.close();
        try {
            for (PostprocessWorker worker : workers) {
                worker.close();
                worker.join(1_000);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
