package rondo.engine;

import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Threads;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.engine.spi.Executor;
import rondo.engine.spi.ModelFacts;
import rondo.kv.KvCache;

/**
 * Serves generations by in-flight batching: every step carries prefill chunks and decodes of all that run.
 *
 * <p>{@link #start} gives it its own thread; tests and the simulator call {@link #tick} instead, from one thread. The
 * methods of {@link GenerationService}, {@link #drain} and {@link #close} may be called from any thread. The executor
 * and the cache are used by the engine thread only, from {@link #start} (or the first tick) until {@link #close} has
 * returned; they belong to the caller, who closes the executor afterwards.
 */
public final class Engine implements GenerationService, EngineLoop, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    /** How long an idle engine thread looks for commands before it parks. */
    private static final long SPIN_NANOS = 50_000;

    private static final long JOIN_MILLIS = 30_000;

    private final EngineInfo info;
    private final TimeSource time;
    private final ConcurrentLinkedQueue<Command> commands = new ConcurrentLinkedQueue<>();
    private final QueueLimits queue;
    private final PoolSizes pools;
    private final boolean promised;
    private final StepLoop loop;

    private volatile boolean closing;
    private volatile boolean parked;
    private volatile @Nullable Thread thread;

    private Engine(Executor executor, KvCache kv, EngineOptions options, TimeSource time, StepEvents events) {
        ModelFacts model = executor.model();
        if (model.draftLength() != 0) {
            throw new UserError(UserError.USAGE, "config: speculative_config is not supported by rondo: not built yet");
        }
        this.info = new EngineInfo(
                model.vocabulary(),
                options.maxSeqLen(),
                model.layout().tokensPerBlock(),
                options.maxBatchSize(),
                options.maxNumTokens());
        this.time = time;
        this.queue = new QueueLimits(options.maxQueueSize(), options.maxQueuedTokens());
        this.pools = new PoolSizes(kv, model.layout());
        this.promised = options.capacity() == EngineOptions.Capacity.GUARANTEED_NO_EVICT;
        this.loop = new StepLoop(executor, kv, options, time, commands, queue, events);
    }

    /**
     * Makes an engine on an executor that was opened with {@link EngineOptions#limits} and on the cache of its pools.
     *
     * @param time clock of all timestamps and time limits
     */
    public static Engine open(Executor executor, KvCache kv, EngineOptions options, TimeSource time) {
        return open(executor, kv, options, time, StepEvents.NONE);
    }

    /**
     * The same, with somebody who is told after every step how the cache has changed.
     *
     * @param events must be ready when the engine starts; the cache must have been made with an event buffer
     */
    public static Engine open(
            Executor executor, KvCache kv, EngineOptions options, TimeSource time, StepEvents events) {
        return new Engine(executor, kv, options, time, events);
    }

    /** Starts the engine thread; requests are taken from now on. */
    public void start() {
        if (thread != null) {
            throw new IllegalStateException("the engine has been started");
        }
        loop.state = EngineStats.State.READY;
        thread = Threads.start("rondo-engine", this::run);
    }

    @Override
    public long tick() {
        if (loop.state == EngineStats.State.STARTING) {
            loop.state = EngineStats.State.READY;
        }
        try {
            return loop.turn();
        } catch (Throwable e) { // whatever it is, nobody may be left waiting
            LOG.error("engine failed: reason={}", e.toString(), e);
            loop.fail("the engine failed: " + e);
            loop.publish();
            return EngineLoop.IDLE;
        }
    }

    private void run() {
        while (!closing) {
            long due = tick();
            if (due == EngineLoop.IDLE) {
                idle();
            } else {
                waitUntil(due);
            }
        }
        loop.stop();
    }

    private void idle() {
        TimeSource clock = TimeSource.system();
        long begin = clock.nanoTime();
        while (clock.nanoTime() - begin < SPIN_NANOS) {
            if (!commands.isEmpty() || closing) {
                return;
            }
            Thread.onSpinWait();
        }
        parked = true;
        while (commands.isEmpty() && !closing) {
            LockSupport.park(this);
        }
        parked = false;
    }

    /** Until a timer is due or a command comes; mostly it is due already. */
    private void waitUntil(long due) {
        long left = due - time.nanoTime();
        if (left <= 0) {
            return;
        }
        parked = true;
        if (commands.isEmpty() && !closing) {
            LockSupport.parkNanos(this, left);
        }
        parked = false;
    }

    private void put(Command command) {
        commands.add(command);
        if (parked) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public EngineInfo info() {
        return info;
    }

    @Override
    public EngineStats stats() {
        Counters c = loop.counters;
        return new EngineStats(
                loop.state,
                c.get(Counters.STEPS),
                (int) c.get(Counters.RUNNING),
                queue.requests() + (int) c.get(Counters.WAITING_AGAIN),
                (int) c.get(Counters.PAUSED),
                queue.tokens(),
                c.get(Counters.FINISHED),
                c.get(Counters.CANCELLED),
                c.get(Counters.FAILED),
                c.get(Counters.PROMPT_TOKENS),
                c.get(Counters.CACHED_TOKENS),
                c.get(Counters.GENERATED_TOKENS),
                new EngineStats.Preemption(
                        c.get(Counters.SUSPENSIONS),
                        c.get(Counters.RECOMPUTATIONS),
                        c.get(Counters.RECOMPUTED_TOKENS),
                        c.get(Counters.REUSED_TOKENS),
                        c.get(Counters.DRAINS),
                        c.get(Counters.STALLS),
                        c.get(Counters.COPY_WAIT_NANOS)),
                loop.stats.steps(),
                loop.stats.kvStats());
    }

    @Override
    public List<IterationRow> drainIterations() {
        return loop.stats.drain();
    }

    @Override
    public Generation submit(GenerationRequest request, GenerationListener listener) throws QueueFull, NotServing {
        check(request);
        requireReady();
        queue.enter(request.prompt().tokens());
        Sequence s = new Sequence(request, listener, this::put, time.nanoTime());
        Command command = new Command.Submit(s);
        put(command);
        if (loop.state == EngineStats.State.STOPPED && commands.remove(command)) {
            // It came too late for the engine thread to see it.
            queue.leave(s);
            throw new NotServing(EngineStats.State.STOPPED);
        }
        return s.handle;
    }

    private void requireReady() throws NotServing {
        EngineStats.State state = loop.state;
        if (state != EngineStats.State.READY) {
            throw new NotServing(state);
        }
    }

    private void check(GenerationRequest request) {
        int prompt = request.prompt().tokens();
        if (prompt < 1 || request.maxTokens() < 1) {
            throw new IllegalArgumentException(
                    "a prompt token and an output token are needed, got " + prompt + " and " + request.maxTokens());
        }
        if ((long) prompt + request.maxTokens() > info.maxSeqLen()) {
            throw new IllegalArgumentException("prompt and output must be <= " + info.maxSeqLen() + " tokens, got "
                    + prompt + " + " + request.maxTokens());
        }
        if (request.prompt().tokensPerBlock() != info.tokensPerBlock()) {
            throw new IllegalArgumentException("the prompt is hashed in blocks of "
                    + request.prompt().tokensPerBlock() + ", the engine has " + info.tokensPerBlock());
        }
        // Where pages are promised the whole output counts; elsewhere a request that outgrows the pools ends early.
        int tokens = promised ? prompt + request.maxTokens() : prompt + 1;
        if (!pools.everFits(tokens)) {
            throw new RequestTooLarge("the KV cache is too small for " + tokens + " tokens"
                    + (promised ? " (prompt and max_tokens, with GUARANTEED_NO_EVICT)" : ""));
        }
    }

    @Override
    public void clearPrefixCache() {
        put(new Command.ClearCache());
    }

    /** Takes no more requests; those that were taken go on to their end. */
    public void drain() {
        if (loop.state == EngineStats.State.READY) {
            loop.state = EngineStats.State.DRAINING;
        }
        put(new Command.Wake());
    }

    /** Waits until a draining engine has nothing left (or has failed). */
    public boolean awaitDrained(long timeoutNanos) throws InterruptedException {
        return loop.drained.await(timeoutNanos, TimeUnit.NANOSECONDS);
    }

    /** Takes no more requests, cancels all that are left, and ends the engine thread. */
    @Override
    public void close() {
        Thread running = thread;
        closing = true;
        put(new Command.Wake());
        if (running == null) {
            if (loop.state != EngineStats.State.STOPPED) {
                loop.stop();
            }
            return;
        }
        try {
            running.join(JOIN_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (running.isAlive()) {
            LOG.error("engine thread still runs: waited_ms={}", JOIN_MILLIS);
        }
    }
}
