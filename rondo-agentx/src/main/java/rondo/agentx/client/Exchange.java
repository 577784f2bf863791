package rondo.agentx.client;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.RequestOptions;
import java.net.ConnectException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import rondo.agentx.client.ChunkReader.StreamError;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;
import rondo.agentx.replay.Usage;
import rondo.base.Json;
import tools.jackson.core.JacksonException;

/** One request and its streamed answer, on the event loop. The time of a chunk is taken before it is looked at. */
final class Exchange {
    private static final byte[] DONE = "[DONE]".getBytes(StandardCharsets.US_ASCII);

    private final HttpTurnSender sender;
    private final URI url;
    private final TurnRequest request;
    private final long due;
    private final Consumer<TurnResult> done;
    private final ChunkReader chunks = new ChunkReader();
    private final SseParser events = new SseParser(this::onData);

    private long start;
    private long headers;
    private long arrival;
    private long[] contentTimes = new long[64];
    private int contentCount;
    private int firstOutput = -1;
    private boolean doneSeen;
    private boolean over;
    private long timeoutTimer = -1;
    private @Nullable HttpClientRequest wire;

    Exchange(HttpTurnSender sender, URI url, TurnRequest request, long due, Consumer<TurnResult> done) {
        this.sender = sender;
        this.url = url;
        this.request = request;
        this.due = due;
        this.done = done;
    }

    void start(CompletableFuture<Buffer> body) {
        if (over) {
            return;
        }
        if (body.isCompletedExceptionally()) {
            finish(new Outcome.Failed(0, "BodyError", String.valueOf(body.exceptionNow())));
            return;
        }
        start = sender.clock().nanoTime();
        long timeout = sender.target().requestTimeout().toMillis();
        timeoutTimer = sender.vertx().setTimer(Math.max(1, timeout), t -> {
            fail(408, "RequestTimeout", "no complete answer within " + timeout + " ms");
        });
        sender.client()
                .request(options())
                .onSuccess(r -> connected(r, body.resultNow()))
                .onFailure(e -> fail(0, "ConnectionError", describe(e)));
    }

    private RequestOptions options() {
        boolean ssl = "https".equals(url.getScheme());
        String path = url.getPath() == null ? "" : url.getPath().replaceAll("/+$", "");
        String base = path.endsWith("/v1") ? path : path + "/v1";
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost(url.getHost())
                .setPort(url.getPort() >= 0 ? url.getPort() : ssl ? 443 : 80)
                .setSsl(ssl)
                .setURI(base + "/chat/completions");
        sender.target().headers().forEach(options::putHeader);
        options.putHeader("User-Agent", "rondo-bench");
        options.putHeader("Content-Type", "application/json");
        options.putHeader("Accept", "text/event-stream");
        options.putHeader("X-Request-ID", request.requestId());
        options.putHeader(sender.target().sessionHeader(), request.correlationId());
        sender.target().apiKey().ifPresent(key -> options.putHeader("Authorization", "Bearer " + key));
        if (sender.target().affinityHeaders()) {
            options.putHeader("X-Session-ID", request.correlationId());
            options.putHeader("X-SMG-Routing-Key", request.correlationId());
            options.putHeader("X-Dynamo-Session-ID", request.correlationId());
            if (!request.stream().isRoot()) {
                options.putHeader("X-Dynamo-Parent-Session-ID", request.play().rootCorrelationId());
            }
        }
        return options;
    }

    private void connected(HttpClientRequest r, Buffer body) {
        if (over) {
            r.reset();
            return;
        }
        wire = r;
        r.exceptionHandler(e -> broken(e));
        r.response().onSuccess(this::answered).onFailure(this::broken);
        r.end(body);
    }

    private void answered(HttpClientResponse response) {
        headers = sender.clock().nanoTime();
        response.exceptionHandler(this::broken);
        int status = response.statusCode();
        String type = Optional.ofNullable(response.getHeader("Content-Type")).orElse("");
        boolean good = status >= 200 && status < 300;
        if (good && type.toLowerCase(Locale.ROOT).contains("text/event-stream")) {
            response.handler(bytes -> {
                arrival = sender.clock().nanoTime();
                events.feed(bytes.getBytes());
            });
            response.endHandler(v -> ended());
            return;
        }
        Buffer whole = Buffer.buffer();
        response.handler(whole::appendBuffer);
        response.endHandler(v -> {
            if (good) {
                fail(status, "NotAStream", "the answer's content type is '" + type + "', not text/event-stream");
            } else {
                finish(ErrorBody.outcome(
                        status, whole.getBytes(), sender.target().overflowPhrases()));
            }
        });
    }

    private void onData(byte[] bytes, int from, int length) {
        if (over || doneSeen) {
            return;
        }
        if (Arrays.equals(bytes, from, from + length, DONE, 0, DONE.length)) {
            doneSeen = true;
            return;
        }
        try {
            chunks.read(bytes, from, length);
        } catch (JacksonException e) {
            fail(200, "InvalidStream", "a chunk is not JSON: " + Json.fault(e));
            return;
        }
        if (chunks.hasAnyContent()) {
            if (contentCount == contentTimes.length) {
                contentTimes = Arrays.copyOf(contentTimes, contentCount * 2);
            }
            if (firstOutput < 0 && chunks.hasOutput()) {
                firstOutput = contentCount;
            }
            contentTimes[contentCount++] = arrival;
        }
        if (chunks.error().isPresent()) {
            StreamError error = chunks.error().get();
            finish(ErrorBody.classify(
                    error, error.type() + " " + error.message(), sender.target().overflowPhrases()));
            abort();
        }
    }

    /** The stream ended in good order (agentx-protocol.md W10). */
    private void ended() {
        if (over) {
            return;
        }
        events.end();
        if (over) {
            return;
        }
        Usage usage = chunks.usage();
        if (contentCount == 0) {
            // Tokens that decode to no text are an answer without latencies, not an empty stream.
            boolean silent = chunks.finished() && usage.completionTokens().orElse(0) > 0;
            finish(silent ? Outcome.SUCCESS : new Outcome.Failed(200, "EmptyStream", "the stream held no content"));
            return;
        }
        if (!doneSeen && !chunks.finished()) {
            int tokens = usage.completionTokens().isPresent()
                    ? usage.completionTokens().getAsInt()
                    : sender.countTokens(chunks.text());
            if (tokens < request.what().maxTokens()) {
                finish(new Outcome.Failed(
                        200,
                        "TruncatedStream",
                        "the stream ended after " + tokens + " of "
                                + request.what().maxTokens() + " tokens without finish_reason and [DONE]"));
                return;
            }
        }
        finish(Outcome.SUCCESS);
    }

    private void broken(Throwable e) {
        if (doneSeen) {
            ended();
        } else {
            fail(0, headers == 0 ? "ConnectionError" : "ConnectionReset", describe(e));
        }
    }

    private static String describe(Throwable e) {
        String message = Optional.ofNullable(e.getMessage()).orElse(e.getClass().getSimpleName());
        return e instanceof ConnectException ? "connection refused: " + message : message;
    }

    void cancel() {
        finish(Outcome.CANCELLED);
        abort();
    }

    private void fail(int code, String type, String message) {
        finish(new Outcome.Failed(code, type, message));
        abort();
    }

    private void abort() {
        if (wire != null) {
            wire.reset();
        }
    }

    private void finish(Outcome outcome) {
        if (over) {
            return;
        }
        over = true;
        if (timeoutTimer >= 0) {
            sender.vertx().cancelTimer(timeoutTimer);
        }
        long end = sender.clock().nanoTime();
        boolean counted = chunks.usage().completionTokens().isPresent();
        done.accept(new TurnResult(
                request,
                outcome,
                due,
                start == 0 ? end : start,
                headers,
                end,
                Arrays.copyOf(contentTimes, contentCount),
                firstOutput,
                chunks.usage(),
                counted ? "" : chunks.text()));
    }
}
