package rondo.server.kvevents;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import rondo.base.Threads;
import rondo.base.UserError;
import rondo.engine.StepEvents;
import rondo.kv.KvEvent;

/**
 * Streams events to routers over ZeroMQ: one message per step that changed something, with a number that grows by one.
 * The engine only adds to a queue without locks; a thread of its own packs and sends. Nobody can hold it up: a full
 * queue drops the batch and uses its number, a slow subscriber misses messages, and both see a gap in the numbers.
 */
public final class KvEventStream implements KvEvents, StepEvents {
    private static final Logger LOG = LoggerFactory.getLogger(KvEventStream.class);
    /** More than any step brings about; what is beyond it is a gap too. */
    private static final int STEP_LIMIT = 1 << 20;

    private static final int LINGER_MILLIS = 300;
    private static final long JOIN_MILLIS = 3_000;
    /** What a subscriber sends are its topics. */
    private static final int LARGEST_SUBSCRIPTION_BYTES = 4 << 10;

    private static final String CONFIG = "kv_cache_config.kv_events_config.";

    /** What one step brought about. */
    private record Batch(long number, long epochMicros, List<KvEvent> events) {}

    private final RoutableEvents routable;
    private final EventPacker packer;
    private final String format;
    private final byte[] topic;
    private final int maxQueueSize;
    private final InstantSource clock;
    private final ConcurrentLinkedQueue<Batch> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicLong taken = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final SentBatches sent;
    private final ZContext context = new ZContext();
    private final ZMQ.Socket publisher;
    private final @Nullable ReplaySocket replay;
    private final String endpoint;
    private final String replayEndpoint;
    private final Thread publishing;
    private final @Nullable Thread replaying;
    private volatile boolean closing;

    // Of the engine thread.
    private List<KvEvent> step = new ArrayList<>();
    private long nextNumber;

    // Of the publishing thread.
    private boolean anySent;

    private KvEventStream(StreamOptions options, CacheShape shape, InstantSource clock) {
        routable = new RoutableEvents(shape, options.allGroups());
        packer = new EventPacker(options.format(), shape);
        format = options.format().name().toLowerCase(Locale.ROOT);
        topic = options.topic().getBytes(StandardCharsets.UTF_8);
        maxQueueSize = options.maxQueueSize();
        this.clock = clock;
        sent = new SentBatches(options.replayEndpoint().isPresent() ? options.bufferSteps() : 0);
        context.setLinger(LINGER_MILLIS);
        context.setThreadFactor(
                (body, name) -> Threads.platform("rondo-zmq-" + name).newThread(body));
        try {
            publisher = context.createSocket(SocketType.PUB);
            publisher.setSndHWM(options.hwm());
            publisher.setMaxMsgSize(LARGEST_SUBSCRIPTION_BYTES);
            endpoint = bind(publisher, "endpoint", options.endpoint());
            Optional<String> replays = options.replayEndpoint();
            if (replays.isPresent()) {
                ZMQ.Socket router = context.createSocket(SocketType.ROUTER);
                replay = new ReplaySocket(router, sent, options);
                replayEndpoint = bind(router, "replay_endpoint", replays.get());
            } else {
                replay = null;
                replayEndpoint = "";
            }
        } catch (RuntimeException e) {
            context.setLinger(0);
            context.close();
            throw e;
        }
        publishing = Threads.start("rondo-kv-events", this::publish);
        replaying = replay == null ? null : Threads.start("rondo-kv-replay", replay::run);
    }

    /**
     * Binds the sockets and waits for events.
     *
     * @param clock of the time in each batch
     * @throws UserError if an endpoint is in use or none of this machine's
     */
    public static KvEventStream open(StreamOptions options, CacheShape shape, InstantSource clock) {
        KvEventStream stream = new KvEventStream(options, shape, clock);
        LOG.info(
                "kv events endpoint={} replay_endpoint={} format={} topic=\"{}\" block_size={}",
                stream.endpoint,
                stream.replayEndpoint.isEmpty() ? "none" : stream.replayEndpoint,
                stream.format,
                options.topic(),
                shape.tokensPerBlock());
        return stream;
    }

    private static String bind(ZMQ.Socket socket, String key, String text) {
        Endpoint endpoint = new Endpoint(text);
        socket.setIPv6(endpoint.isIpv6());
        try {
            socket.bind(text);
        } catch (RuntimeException e) {
            throw new UserError(
                    UserError.PORT, "cannot bind " + CONFIG + key + " " + text + ": " + endpoint.problem(e), e);
        }
        if (!endpoint.isLoopback()) {
            LOG.warn(
                    "kv events are open to other machines, who read the token ids of cached prompts: {}={}", key, text);
        }
        return socket.getLastEndpoint();
    }

    /** Where subscribers connect, with the real port. */
    public String endpoint() {
        return endpoint;
    }

    /** Where replays are asked for, with the real port; empty if nowhere. */
    public String replayEndpoint() {
        return replayEndpoint;
    }

    @Override
    public StepEvents feed() {
        return this;
    }

    @Override
    public int stepLimit() {
        return STEP_LIMIT;
    }

    @Override
    public Counts counts() {
        return new Counts(taken.get(), dropped.get());
    }

    @Override
    public Map<String, String> about() {
        Map<String, String> out = new LinkedHashMap<>();
        out.put("hash_algo", HashAlgorithm.V2_SHA256_64.key());
        out.put("format", format);
        out.put("topic", new String(topic, StandardCharsets.UTF_8));
        out.put("endpoint", endpoint);
        if (!replayEndpoint.isEmpty()) {
            out.put("replay_endpoint", replayEndpoint);
        }
        return out;
    }

    @Override
    public void accept(long id, KvEvent event) {
        KvEvent wanted = routable.of(event);
        if (wanted != null) {
            step.add(wanted);
        }
    }

    @Override
    public void stepEnded(int lost) {
        if (lost > 0) {
            nextNumber++;
            taken.addAndGet(lost);
            dropped.addAndGet(lost);
        }
        if (step.isEmpty()) {
            return;
        }
        List<KvEvent> events = step;
        step = new ArrayList<>();
        long number = nextNumber++;
        taken.addAndGet(events.size());
        if (queued.get() >= maxQueueSize) {
            dropped.addAndGet(events.size());
            return;
        }
        queued.incrementAndGet();
        queue.add(new Batch(number, micros(), events));
        LockSupport.unpark(publishing);
    }

    private long micros() {
        Instant now = clock.instant();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1_000;
    }

    private void publish() {
        while (true) {
            Batch batch = queue.poll();
            if (batch != null) {
                queued.decrementAndGet();
                send(batch);
            } else if (closing) {
                return;
            } else {
                LockSupport.park(this);
            }
        }
    }

    private void send(Batch batch) {
        try {
            List<WireEvent> events = WireEvent.of(batch.events());
            if (!anySent) {
                // A router may still believe in what an earlier process had in its cache.
                events.addFirst(new WireEvent.Cleared());
                anySent = true;
            }
            byte[] payload = packer.pack(batch.epochMicros() / 1e6, events);
            SentBatches.Sent message = new SentBatches.Sent(batch.number(), payload);
            sent.add(message);
            publisher.sendMore(topic);
            publisher.sendMore(message.numberBytes());
            publisher.send(payload);
        } catch (RuntimeException e) {
            dropped.addAndGet(batch.events().size());
            LOG.error("kv events could not be sent: batch={}", batch.number(), e);
        }
    }

    /** Sends what is queued and closes the sockets; a subscriber that does not take its messages waits in vain. */
    @Override
    public void close() {
        closing = true;
        LockSupport.unpark(publishing);
        if (replay != null) {
            replay.stop();
        }
        try {
            publishing.join(JOIN_MILLIS);
            if (replaying != null) {
                replaying.join(JOIN_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        context.close();
    }
}
