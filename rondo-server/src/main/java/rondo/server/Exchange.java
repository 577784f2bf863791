package rondo.server;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import rondo.base.Ids;
import rondo.base.TimeSource;

/**
 * One request and its answer as the rest of the server sees it; made on the event loop, used from any thread. All
 * writing happens on the event loop, in the order of the calls.
 */
final class Exchange {
    /** Bytes on their way to the socket beyond which no more text is made. */
    static final long HIGH_WATER = 128 << 10;

    private static final long LOW_WATER = HIGH_WATER / 2;
    /** A stream of which the client has taken nothing for so long is given up. */
    private static final long STALL_NANOS = 600_000_000_000L;

    private static final int MAX_REQUEST_ID = 128;
    private static final Runnable NOTHING = () -> {};
    private static final Runnable CLOSED = () -> {};
    private static final Buffer PING = Buffer.buffer(": ping\n\n");

    final String id;
    final long startNanos;
    final String path;
    final HttpServerRequest request;
    private final TimeSource time;
    private final Vertx vertx;
    private final Context loop;
    private final HttpServerResponse response;
    private final String keepAlive;
    private final AtomicReference<Runnable> onClose = new AtomicReference<>(NOTHING);
    private final AtomicLong outstanding = new AtomicLong();
    private volatile @Nullable Runnable onWritable;
    private volatile boolean stalled;
    private volatile int status;
    private volatile long lastTakenNanos;

    // On the event loop only.
    private boolean ended;
    private boolean wroteSincePing;
    private long pingTimer = -1;
    private Runnable onEnd = NOTHING;

    Exchange(Vertx vertx, HttpServerRequest request, TimeSource time, long keepAliveMillis) {
        this.time = time;
        this.vertx = vertx;
        this.loop = vertx.getOrCreateContext();
        this.request = request;
        this.response = request.response();
        this.path = request.path() == null ? "" : request.path();
        this.startNanos = time.nanoTime();
        this.keepAlive = "timeout=" + keepAliveMillis / 1000;
        this.id = requestId(request.getHeader("X-Request-ID"));
        response.closeHandler(v -> closed());
        response.exceptionHandler(e -> closed());
        request.exceptionHandler(e -> closed());
    }

    /** The client's own id where it is short and printable: it is echoed and logged, never used as a key. */
    private static String requestId(@Nullable String given) {
        boolean usable = given != null
                && !given.isEmpty()
                && given.length() <= MAX_REQUEST_ID
                && given.chars().allMatch(c -> c > ' ' && c < 0x7F);
        return usable && given != null ? given : Ids.hex(32);
    }

    /** Something to be done when the answer is over, well or not; at once if it is. */
    void onEnd(Runnable action) {
        loop.runOnContext(v -> addOnEnd(action));
    }

    private void addOnEnd(Runnable action) {
        if (ended) {
            action.run();
            return;
        }
        Runnable before = onEnd;
        onEnd = () -> {
            before.run();
            action.run();
        };
    }

    /** Runs once when the client leaves before the answer is complete; at once if it has left. */
    void onClose(Runnable action) {
        if (onClose.getAndUpdate(old -> old == CLOSED ? CLOSED : action) == CLOSED) {
            action.run();
        }
    }

    boolean isClosed() {
        return onClose.get() == CLOSED;
    }

    /** Told when the socket has taken enough, after {@link #writable} has said no. */
    void onWritable(Runnable action) {
        onWritable = action;
    }

    /** Whether more bytes should be made now. */
    boolean writable() {
        if (outstanding.get() < HIGH_WATER) {
            return true;
        }
        stalled = true;
        // The socket may have drained between the two looks; then nobody would call back.
        return outstanding.get() < LOW_WATER;
    }

    /** The status that was answered; 0 while none was. */
    int status() {
        return status;
    }

    /** Sends a whole answer. */
    void reply(int status, String contentType, byte[] body) {
        reply(status, contentType, body, "", "");
    }

    void fail(ApiError error) {
        String header = error.retryAfter > 0 ? "Retry-After" : "";
        reply(error.status, "application/json", error.body(), header, Integer.toString(error.retryAfter));
    }

    void reply(int status, String contentType, byte[] body, String header, String value) {
        loop.runOnContext(v -> {
            if (ended || response.headWritten()) {
                return;
            }
            head(status);
            if (!contentType.isEmpty()) {
                response.putHeader("Content-Type", contentType);
            }
            if (!header.isEmpty()) {
                response.putHeader(header, value);
            }
            end(Buffer.buffer(body));
        });
    }

    /** Sends the head of a stream, and from now on a comment whenever nothing was sent for a while. */
    void startStream(long pingMillis) {
        loop.runOnContext(v -> {
            if (ended || response.headWritten()) {
                return;
            }
            head(200);
            response.putHeader("Content-Type", "text/event-stream; charset=utf-8");
            response.putHeader("Cache-Control", "no-cache");
            response.putHeader("X-Accel-Buffering", "no");
            response.setChunked(true);
            // HTTP/1.0 knows no chunks, and Vert.x sends its head only with the first bytes.
            if (request.version() != HttpVersion.HTTP_1_0) {
                var unused = response.writeHead();
            }
            pingTimer = vertx.setPeriodic(pingMillis, t -> ping());
        });
    }

    private void head(int status) {
        this.status = status;
        response.setStatusCode(status);
        response.putHeader("X-Request-ID", id);
        if (request.version() != HttpVersion.HTTP_2) {
            response.putHeader("Keep-Alive", keepAlive);
        }
    }

    private void ping() {
        if (outstanding.get() > 0) {
            // The socket still has something to take: a comment behind it would help nobody.
            if (time.nanoTime() - lastTakenNanos > STALL_NANOS) {
                var unused = request.connection().close();
            }
        } else if (!wroteSincePing && !ended) {
            var unused = response.write(PING);
        }
        wroteSincePing = false;
    }

    /** Sends a part of a stream. */
    void send(byte[] bytes) {
        if (outstanding.getAndAdd(bytes.length) == 0) {
            lastTakenNanos = time.nanoTime();
        }
        loop.runOnContext(v -> {
            if (ended) {
                sent(bytes.length);
                return;
            }
            wroteSincePing = true;
            var unused = response.write(Buffer.buffer(bytes)).onComplete(done -> sent(bytes.length));
        });
    }

    private void sent(int bytes) {
        lastTakenNanos = time.nanoTime();
        if (outstanding.addAndGet(-bytes) < LOW_WATER && stalled) {
            stalled = false;
            Runnable action = onWritable;
            if (action != null) {
                action.run();
            }
        }
    }

    /** Ends a stream. */
    void endStream() {
        loop.runOnContext(v -> {
            if (!ended) {
                end(Buffer.buffer());
            }
        });
    }

    private void end(Buffer last) {
        ended = true;
        stopPings();
        var unused = last.length() == 0 ? response.end() : response.end(last);
        onEnd.run();
    }

    /** The socket is gone. Event loop only. */
    private void closed() {
        if (ended) {
            return;
        }
        ended = true;
        stopPings();
        onEnd.run();
        onClose.getAndSet(CLOSED).run();
    }

    private void stopPings() {
        if (pingTimer >= 0) {
            vertx.cancelTimer(pingTimer);
            pingTimer = -1;
        }
    }

    /** Runs on the event loop after a while, unless the answer is over by then. */
    void after(long millis, Runnable action) {
        loop.runOnContext(v -> {
            if (!ended) {
                long timer = vertx.setTimer(millis, t -> action.run());
                addOnEnd(() -> vertx.cancelTimer(timer));
            }
        });
    }
}
