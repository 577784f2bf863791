package rondo.server;

import io.vertx.core.http.HttpConnection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.TimeSource;

/**
 * The open connections, of which those are closed that have been idle for long or whose request does not arrive. A
 * time limit of the socket's own would also end a request that is merely computed for long. Event loop only.
 */
final class Connections {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);

    /** A body that has begun must bring something within this time. */
    private static final long BODY_SILENCE_NANOS = 60_000_000_000L;

    /** A connection that is new must bring its first request within this time. */
    private static final long FIRST_SILENCE_NANOS = 60_000_000_000L;

    private static final class State {
        boolean asked;
        int active;
        int reading;
        long lastNanos;
    }

    private final Map<HttpConnection, State> open = new HashMap<>();
    private final TimeSource time;
    private final long idleNanos;

    Connections(TimeSource time, long idleMillis) {
        this.time = time;
        this.idleNanos = idleMillis * 1_000_000;
    }

    void opened(HttpConnection connection) {
        State state = new State();
        state.lastNanos = time.nanoTime();
        open.put(connection, state);
        connection.closeHandler(v -> open.remove(connection));
        // Clients that reset their connections are ordinary; without a handler each is an error in the log.
        connection.exceptionHandler(e -> LOG.debug("connection failed: {}", e.toString()));
    }

    void begin(HttpConnection connection) {
        State state = touch(connection);
        state.asked = true;
        state.active++;
        state.reading++;
    }

    /** Bytes of a body have come. */
    void heard(HttpConnection connection) {
        touch(connection);
    }

    void bodyRead(HttpConnection connection) {
        touch(connection).reading--;
    }

    void end(HttpConnection connection) {
        touch(connection).active--;
    }

    private State touch(HttpConnection connection) {
        State state = open.get(connection);
        if (state == null) {
            // Closed already: the state is nobody's.
            return new State();
        }
        state.lastNanos = time.nanoTime();
        return state;
    }

    void sweep() {
        long now = time.nanoTime();
        for (Iterator<Map.Entry<HttpConnection, State>> i = open.entrySet().iterator(); i.hasNext(); ) {
            Map.Entry<HttpConnection, State> one = i.next();
            State state = one.getValue();
            long silence = now - state.lastNanos;
            long patience = state.asked ? idleNanos : Math.min(idleNanos, FIRST_SILENCE_NANOS);
            boolean idle = state.active == 0 && silence > patience;
            boolean stuck = state.reading > 0 && silence > BODY_SILENCE_NANOS;
            if (idle || stuck) {
                i.remove();
                var unused = one.getKey().close();
            }
        }
    }

    int count() {
        return open.size();
    }
}
