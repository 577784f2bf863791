package rondo.server;

import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;

/** Bytes in, bytes out: routes, keys and body limits, on the event loop; what needs thought goes to the pool. */
final class HttpFront implements Door.Handler {
    private static final Logger LOG = LoggerFactory.getLogger(HttpFront.class);
    /** The one path with something after it. */
    static final String MODELS = "/v1/models/";

    private static final int SMALL_BODY = 8 << 10;
    /** Bodies of the greatest size that may be held at once. */
    private static final int BODIES = 4;

    private static final long LEAST_BODIES = 64L << 20;

    /** What a path does. */
    @FunctionalInterface
    interface Action {
        void run(Exchange exchange, byte[] body) throws ApiError;
    }

    /**
     * @param methods that the path knows
     * @param open    whether it answers without a key
     * @param direct  whether it is so short that the event loop may do it, whatever the pool is busy with
     * @param counted whether its refusals count as rejected requests
     */
    record Route(Set<HttpMethod> methods, boolean open, boolean direct, boolean counted, Action action) {}

    private final Vertx vertx;
    private final ServerOptions options;
    private final Map<String, Route> routes;
    private final RequestPool pool;
    private final Connections connections;
    private final ApiKeys keys;
    private final Cors cors;
    private final Metrics metrics;
    private final TimeSource time;
    private final long mostBodies;
    /** Bytes of bodies that are held now. Event loop only. */
    private long bodies;

    HttpFront(
            Vertx vertx,
            Front front,
            Map<String, Route> routes,
            RequestPool pool,
            Connections connections,
            ApiKeys keys) {
        this.vertx = vertx;
        this.options = front.options();
        this.routes = routes;
        this.pool = pool;
        this.connections = connections;
        this.keys = keys;
        this.cors = new Cors(options.corsOrigins());
        this.metrics = front.metrics();
        this.time = front.time();
        this.mostBodies = Math.max(LEAST_BODIES, BODIES * options.maxRequestBytes());
    }

    @Override
    public void handle(HttpServerRequest request) {
        Exchange exchange = new Exchange(vertx, request, time, options.keepAliveMillis());
        HttpConnection connection = request.connection();
        connections.begin(connection);
        exchange.onEnd(() -> connections.end(connection));
        cors.mark(request, request.response());
        Route route = route(exchange.path);
        if (route != null && cors.isPreflight(request) && cors.allows(request.getHeader("Origin"))) {
            // Asks without a key, and before the real request: it carries no body.
            connections.bodyRead(connection);
            request.resume();
            Cors.permit(request, request.response(), allow(route));
            exchange.reply(204, "", new byte[0]);
            return;
        }
        ApiError refusal = refusal(exchange, route);
        if (refusal != null || route == null) {
            // Where no body follows the connection stays usable; a body that nobody reads would be taken for a request.
            boolean bodyFollows = request.method() != HttpMethod.GET && !request.isEnded();
            if (bodyFollows) {
                request.response().putHeader("Connection", "close");
            }
            connections.bodyRead(connection);
            request.resume();
            exchange.fail(refusal != null ? refusal : ApiError.noSuchPath(exchange.path));
            return;
        }
        if ("100-continue".equalsIgnoreCase(request.getHeader("Expect"))) {
            var unused = request.response().writeContinue();
        }
        read(exchange, connection, route);
    }

    @Override
    public void invalid(HttpServerRequest request) {
        refuseInvalid(new Exchange(vertx, request, time, options.keepAliveMillis()), request);
    }

    static void refuseInvalid(Exchange exchange, HttpServerRequest request) {
        Throwable cause = request.decoderResult().cause();
        request.response().putHeader("Connection", "close");
        exchange.onEnd(() -> {
            var unused = request.connection().close();
        });
        exchange.fail(
                switch (cause) {
                    case TooLongHttpHeaderException e -> ApiError.refused(431, "the request's headers are too large");
                    case TooLongHttpLineException e -> ApiError.refused(414, "the request's first line is too long");
                    default -> ApiError.refused(400, "the request is not valid HTTP");
                });
    }

    /** The methods of a path as the headers list them. */
    private static String allow(Route route) {
        return route.methods().stream().map(HttpMethod::name).sorted().collect(Collectors.joining(", "));
    }

    private @Nullable Route route(String path) {
        // Ids of models may have slashes in them.
        return path.startsWith(MODELS) && path.length() > MODELS.length() ? routes.get(MODELS) : routes.get(path);
    }

    private @Nullable ApiError refusal(Exchange exchange, @Nullable Route route) {
        HttpServerRequest request = exchange.request;
        boolean open = route != null && route.open();
        if (!open && !keys.accept(request.getHeader("Authorization"), request.getHeader("X-Api-Key"))) {
            request.response().putHeader("WWW-Authenticate", "Bearer");
            metrics.unauthorized();
            return ApiError.unauthorized();
        }
        if (route == null) {
            return ApiError.noSuchPath(exchange.path);
        }
        if (!route.methods().contains(request.method())) {
            request.response().putHeader("Allow", allow(route));
            return ApiError.refused(
                    405,
                    exchange.path + " does not know the method "
                            + Values.cut(request.method().name()));
        }
        if (request.method() == HttpMethod.POST) {
            if (cors.isForeignPage(request)) {
                return ApiError.refused(
                        403,
                        "a page of another origin may not ask this server; rondo.cors_origins lists those that may");
            }
            String type = request.getHeader("Content-Type");
            if (type != null && !isJson(type)) {
                return ApiError.refused(415, "Content-Type must be application/json, got " + Values.cut(type));
            }
            String encoding = request.getHeader("Content-Encoding");
            if (encoding != null && !encoding.equalsIgnoreCase("identity")) {
                return ApiError.refused(415, "Content-Encoding must be absent, got " + Values.cut(encoding));
            }
        }
        return contentLength(request) > options.maxRequestBytes() ? tooLarge() : null;
    }

    private static boolean isJson(String contentType) {
        int end = contentType.indexOf(';');
        String type =
                (end < 0 ? contentType : contentType.substring(0, end)).strip().toLowerCase(Locale.ROOT);
        return type.isEmpty() || type.equals("application/json") || type.equals("text/json") || type.endsWith("+json");
    }

    private ApiError tooLarge() {
        return ApiError.refused(
                413,
                "the request body must be at most " + options.maxRequestBytes() + " bytes (rondo.max_request_bytes)");
    }

    private static long contentLength(HttpServerRequest request) {
        String text = request.getHeader("Content-Length");
        try {
            return text == null ? -1 : Long.parseLong(text.strip());
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** A body on its way in. Event loop only. */
    private final class Body {
        // What is announced is not believed: memory is taken for what has come.
        private Buffer bytes = Buffer.buffer();
        private boolean refused;

        /** Takes a part, or says why not. */
        @Nullable
        ApiError add(Buffer part) {
            if (bytes.length() + (long) part.length() > options.maxRequestBytes()) {
                return tooLarge();
            }
            if (bodies + part.length() > mostBodies) {
                return ApiError.queueFull("too many bytes of request bodies are held, try again");
            }
            bodies += part.length();
            bytes.appendBuffer(part);
            return null;
        }

        /** Gives all of it away; whoever still holds this holds no bytes. */
        byte[] take() {
            byte[] all = bytes.getBytes();
            bodies -= bytes.length();
            bytes = Buffer.buffer();
            return all;
        }
    }

    private void read(Exchange exchange, HttpConnection connection, Route route) {
        HttpServerRequest request = exchange.request;
        Body body = new Body();
        exchange.onEnd(body::take);
        request.handler(part -> {
            connections.heard(connection);
            ApiError refusal = body.refused ? null : body.add(part);
            if (refusal != null) {
                body.refused = true;
                request.response().putHeader("Connection", "close");
                exchange.fail(refusal);
            }
        });
        request.endHandler(v -> {
            connections.bodyRead(connection);
            if (!body.refused) {
                perform(exchange, route, body.take());
            }
        });
    }

    private void perform(Exchange exchange, Route route, byte[] body) {
        if (route.direct()) {
            attempt(exchange, route, body);
            return;
        }
        try {
            pool.run(Math.max(body.length, SMALL_BODY), () -> attempt(exchange, route, body));
        } catch (ApiError e) {
            refuse(exchange, route, e);
        }
    }

    private void attempt(Exchange exchange, Route route, byte[] body) {
        if (exchange.isClosed()) {
            return;
        }
        try {
            route.action().run(exchange, body);
        } catch (ApiError e) {
            refuse(exchange, route, e);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            LOG.error("request id={} path={} failed", exchange.id, exchange.path, e);
            refuse(exchange, route, ApiError.internal(null, "the server failed on this request", exchange.id));
        }
    }

    private void refuse(Exchange exchange, Route route, ApiError error) {
        if (route.counted()) {
            metrics.rejected();
        }
        LOG.debug(
                "request id={} path={} status={} error={}",
                exchange.id,
                exchange.path,
                error.status,
                error.getMessage());
        exchange.fail(error);
    }
}
