package rondo.server;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import io.vertx.core.http.HttpMethod;
import java.net.URLDecoder;
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
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
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
    private static final long KEY_FILE_MILLIS = 5_000;
    private static final long CLOSE_SECONDS = 5;
    private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAST_POOL_BYTES = 1L << 30;
    private static final String NO_STEPS_NOTE =
            "enable_iter_perf_stats is false: set it to true, or read GET /iteration_stats, which has the steps always";
    private static final String JSON = "application/json";
    private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

    private final Front front;
    private final Transport transport;
    private final Door door;
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
        // What may fail comes first: nothing has been started that would be left behind.
        ApiKeys keys = keys(options, vertx);
        door = transport.door(options, front.time());
        pool = new RequestPool(options.parseThreads(), Math.max(LEAST_POOL_BYTES, 4 * options.maxRequestBytes()));
        workers = new ArrayList<>();
        for (int i = 0; i < Math.max(1, options.numPostprocessWorkers()); i++) {
            workers.add(new PostprocessWorker(i));
        }
        completions = new Completions(front, List.copyOf(workers));
        info = new ServerInfo(front);
        door.hand(new HttpFront(vertx, front, routes(), pool, door.connections, keys));
    }

    /** The keys; those of a file are looked after while the server runs. */
    private static ApiKeys keys(ServerOptions options, Vertx vertx) {
        if (options.apiKeysFile().isEmpty()) {
            return new ApiKeys(options.apiKeys(), List.of());
        }
        KeyFile file = new KeyFile(options.apiKeysFile().get());
        List<String> first = file.changed();
        if (first.isEmpty()) {
            throw new UserError(
                    UserError.USAGE,
                    "rondo.api_keys_file: no keys could be read from "
                            + options.apiKeysFile().get());
        }
        ApiKeys keys = new ApiKeys(options.apiKeys(), first);
        // A disk may be slow: never on the event loop, and one look at a time.
        AtomicBoolean looking = new AtomicBoolean();
        vertx.setPeriodic(KEY_FILE_MILLIS, t -> {
            if (looking.compareAndSet(false, true)) {
                vertx.executeBlocking(file::changed).onComplete(now -> {
                    looking.set(false);
                    if (now.succeeded() && !now.result().isEmpty()) {
                        keys.replaceFileKeys(now.result());
                        LOG.info(
                                "api_keys_file={} read again keys={}",
                                options.apiKeysFile().get(),
                                now.result().size());
                    }
                });
            }
        });
        return keys;
    }

    /** The event loops, which take a moment to come up: made ahead, while a model loads, or by {@link #start}. */
    public static final class Transport implements AutoCloseable {
        private final Vertx vertx;
        private @Nullable Door door;

        private Transport(Vertx vertx) {
            this.vertx = vertx;
        }

        /** As {@link #open()}, and listens at once: until a server takes over, all are told that it is starting. */
        public static Transport open(ServerOptions options, TimeSource time) {
            Transport transport = open();
            try {
                transport.door(options, time);
                return transport;
            } catch (RuntimeException e) {
                transport.close();
                throw e;
            }
        }

        /** The port on which it listens. */
        int port() {
            if (door == null) {
                throw new IllegalStateException("it does not listen yet");
            }
            return door.port();
        }

        private Door door(ServerOptions options, TimeSource time) {
            if (door == null) {
                Door made = new Door(vertx, options, time);
                made.listen(options.host(), options.port());
                door = made;
            }
            return door;
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
        Front front =
                new Front(options, model, service, new Metrics(options.buckets()), time, specials, grammars, events);
        try {
            return new RondoServer(front, transport);
        } catch (RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    /**
     * Fails as a start on this address would, at once and before anything is loaded.
     *
     * @throws UserError if the port is in use or the address is none of this machine's
     */
    public static void checkAddress(String host, int port) {
        Door.check(host, port);
    }

    /** The port on which it listens. */
    public int port() {
        return door.port();
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
        if (json && !front.options().iterPerfStats()) {
            // An empty list alone leaves people searching for what they did wrong.
            exchange.reply(200, JSON, info.metricsRows(), "X-Rondo-Note", NO_STEPS_NOTE);
        } else if (json) {
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

    /** As below, with no hurry. */
    public boolean drain(Duration limit) throws InterruptedException {
        return drain(limit, () -> false);
    }

    /**
     * Takes no further completion requests (503) and lets the running ones end; what is not done in time is ended with
     * {@code abort}.
     *
     * @param hurry asked again and again: once it says yes, nothing is waited for any more
     * @return whether all ended by themselves
     */
    public boolean drain(Duration limit, BooleanSupplier hurry) throws InterruptedException {
        draining = true;
        long now = System.nanoTime();
        long deadline = now + limit.toNanos();
        long nextLine = now + PROGRESS_NANOS;
        while (completions.running() > 0 && System.nanoTime() < deadline && !hurry.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(5);
            now = System.nanoTime();
            if (now >= nextLine) {
                nextLine = now + PROGRESS_NANOS;
                LOG.info(
                        "draining running={} left_s={}",
                        completions.running(),
                        TimeUnit.NANOSECONDS.toSeconds(deadline - now));
            }
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
