package rondo.agentx.client;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.PoolOptions;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import rondo.agentx.plan.FillerPool;
import rondo.agentx.plan.PromptText;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;
import rondo.agentx.replay.TurnSender;
import rondo.base.Threads;
import rondo.base.TimeSource;

/**
 * Sends turns as streaming chat requests from one event loop; bodies are made beforehand by a thread of their own, so
 * that neither the clock of a request nor other streams wait for them.
 */
public final class HttpTurnSender implements TurnSender, AutoCloseable {
    private static final int MOST_CONNECTIONS = 2500;

    private final TargetOptions target;
    private final TimeSource clock;
    private final ToIntFunction<String> countTokens;
    private final BodyWriter bodies;
    private final ExecutorService builder;
    private final Vertx vertx;
    private final Context loop;
    private final HttpClient client;

    /** Bodies being made or ready; the dispatcher's thread only. */
    private final Map<TurnRequest, CompletableFuture<Buffer>> prepared = new HashMap<>();

    /** Requests on the wire or waiting for their body; the event loop only. */
    private final Map<TurnRequest, Exchange> exchanges = new HashMap<>();

    /**
     * @param countTokens counts the tokens of a text, for servers that report no usage
     */
    public HttpTurnSender(
            TargetOptions target, FillerPool pool, long seed, TimeSource clock, ToIntFunction<String> countTokens) {
        this.target = target;
        this.clock = clock;
        this.countTokens = countTokens;
        this.bodies = new BodyWriter(target, new PromptText(pool, seed));
        this.builder = Executors.newSingleThreadExecutor(Threads.platform("agentx-bodies"));
        VertxOptions options =
                new VertxOptions().setEventLoopPoolSize(1).setWorkerPoolSize(1).setInternalBlockingPoolSize(2);
        this.vertx = Vertx.vertx(options);
        this.loop = vertx.getOrCreateContext();
        HttpClientOptions http = new HttpClientOptions()
                .setKeepAliveTimeout((int) Math.max(1, target.keepAlive().toSeconds()))
                .setConnectTimeout(30_000)
                .setTcpNoDelay(true);
        PoolOptions pools = new PoolOptions().setHttp1MaxSize(MOST_CONNECTIONS).setEventLoopSize(1);
        this.client = vertx.createHttpClient(http, pools);
    }

    @Override
    public void prepare(TurnRequest request) {
        prepared.put(request, build(request));
    }

    @Override
    public void forget(TurnRequest request) {
        CompletableFuture<Buffer> body = prepared.remove(request);
        if (body != null) {
            body.cancel(false);
        }
    }

    @Override
    public void send(TurnRequest request, long due, Consumer<TurnResult> done) {
        CompletableFuture<Buffer> ready = prepared.remove(request);
        CompletableFuture<Buffer> body = ready == null ? build(request) : ready;
        loop.runOnContext(v -> {
            Exchange exchange = new Exchange(this, url(request), request, due, result -> {
                exchanges.remove(request);
                done.accept(result);
            });
            exchanges.put(request, exchange);
            if (body.isDone()) {
                exchange.start(body);
            } else {
                body.whenComplete((bytes, failure) -> loop.runOnContext(w -> exchange.start(body)));
            }
        });
    }

    @Override
    public void cancel(TurnRequest request) {
        loop.runOnContext(v -> {
            Exchange exchange = exchanges.get(request);
            if (exchange != null) {
                exchange.cancel();
            }
        });
    }

    /** Gets the client's code warm, so that the first requests are measured as well as the last. Blocks a moment. */
    public void warmUp() {
        Warmup.run(this, vertx);
    }

    private URI url(TurnRequest request) {
        return target.urls().get(request.play().number() % target.urls().size());
    }

    private CompletableFuture<Buffer> build(TurnRequest request) {
        return CompletableFuture.supplyAsync(() -> Buffer.buffer(bodies.write(request)), builder);
    }

    TargetOptions target() {
        return target;
    }

    TimeSource clock() {
        return clock;
    }

    Vertx vertx() {
        return vertx;
    }

    HttpClient client() {
        return client;
    }

    int countTokens(String text) {
        return countTokens.applyAsInt(text);
    }

    @Override
    public void close() {
        builder.shutdownNow();
        client.close();
        try {
            vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
            throw new IllegalStateException("the event loop did not end", e);
        }
    }
}
