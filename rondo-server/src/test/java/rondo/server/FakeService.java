package rondo.server;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import rondo.base.Threads;
import rondo.engine.Distribution;
import rondo.engine.EngineInfo;
import rondo.engine.EngineStats;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.GenerationListener;
import rondo.engine.GenerationRequest;
import rondo.engine.GenerationService;
import rondo.engine.IterationRow;
import rondo.engine.NotServing;
import rondo.engine.QueueFull;
import rondo.engine.TokenBatch;
import rondo.engine.spi.StepResult;
import rondo.kv.KvStats;
import rondo.kv.Tier;

/**
 * An engine without a model. By itself it answers with what {@link #script} says, token by token, from a thread of its
 * own; with {@link #manual} the test plays the engine.
 */
final class FakeService implements GenerationService, AutoCloseable {
    static final int MAX_SEQ_LEN = 4096;

    volatile Function<GenerationRequest, int[]> script = r -> TestTokenizer.ids("ok");
    volatile boolean manual;
    volatile int queueLimit = Integer.MAX_VALUE;
    volatile EngineStats.State state = EngineStats.State.READY;
    volatile int cachedTokens;
    final List<FakeGeneration> submitted = new CopyOnWriteArrayList<>();
    volatile int cleared;
    final List<IterationRow> iterations = new CopyOnWriteArrayList<>();
    private final ExecutorService engine = Executors.newSingleThreadExecutor(Threads.platform("fake-engine"));

    @Override
    public EngineInfo info() {
        return new EngineInfo(TestTokenizer.VOCABULARY, MAX_SEQ_LEN, 16, 64, 512);
    }

    @Override
    public EngineStats stats() {
        KvStats kv = new KvStats(
                List.of(new KvStats.Pool(0, Tier.DEVICE, 100, 60, 30, 10)),
                List.of(new KvStats.Counters(64, 1, 2, 3, 4, 5, 0, 2, 4, 0, 7, 8, 0)),
                9,
                10,
                0);
        return new EngineStats(
                state,
                submitted.size(),
                1,
                2,
                1,
                3,
                4,
                5,
                6,
                70,
                20,
                30,
                new EngineStats.Preemption(11, 12, 13, 14, 15, 16, 1_700_000_000),
                new EngineStats.Steps(
                        new Distribution(new double[] {0.001, 1}, new long[] {3, 2, 1}, 9.5),
                        Distribution.empty(1),
                        Distribution.empty(1),
                        Distribution.empty(1),
                        Distribution.empty(1)),
                kv);
    }

    @Override
    public List<IterationRow> drainIterations() {
        List<IterationRow> all = List.copyOf(iterations);
        iterations.clear();
        return all;
    }

    @Override
    public Generation submit(GenerationRequest request, GenerationListener listener) throws QueueFull, NotServing {
        if (state != EngineStats.State.READY) {
            throw new NotServing(state);
        }
        if (submitted.size() >= queueLimit) {
            throw new QueueFull("the queue holds " + queueLimit + " requests");
        }
        FakeGeneration generation = new FakeGeneration(request, listener);
        submitted.add(generation);
        if (!manual) {
            engine.execute(() -> play(generation));
        }
        return generation;
    }

    private void play(FakeGeneration generation) {
        int[] ids = script.apply(generation.request);
        GenerationRequest request = generation.request;
        for (int i = 0; i < ids.length; i++) {
            generation.emit(ids[i]);
            if (request.stop().ends(ids[i])) {
                generation.finish(FinishReason.STOP);
                return;
            }
            if (i + 1 == request.maxTokens()) {
                generation.finish(FinishReason.LENGTH);
                return;
            }
        }
        if (ids.length < request.maxTokens()) {
            generation.emit(TestTokenizer.EOT);
        }
        generation.finish(FinishReason.STOP);
    }

    /** The n-th generation submitted, waiting for it. */
    FakeGeneration awaitSubmitted(int index) {
        Wait.until("generation " + index + " is submitted", () -> submitted.size() > index);
        return submitted.get(index);
    }

    @Override
    public void clearPrefixCache() {
        cleared++;
    }

    @Override
    public void close() throws InterruptedException {
        engine.shutdownNow();
        engine.awaitTermination(5, TimeUnit.SECONDS);
    }

    /** One generation, played from outside. */
    final class FakeGeneration implements Generation {
        final GenerationRequest request;
        private final GenerationListener listener;
        private final ArrayDeque<Integer> waiting = new ArrayDeque<>();
        private FinishReason end;
        private String error = "";
        private boolean endTaken;
        private long first;
        private int stopToken = -1;
        volatile boolean cancelled;
        volatile int stoppedAt = -1;
        volatile int taken;

        FakeGeneration(GenerationRequest request, GenerationListener listener) {
            this.request = request;
            this.listener = listener;
        }

        void emit(int... ids) {
            synchronized (this) {
                if (end != null) {
                    return;
                }
                if (first == 0) {
                    first = System.nanoTime();
                }
                for (int id : ids) {
                    waiting.add(id);
                    stopToken = Arrays.stream(request.stop().stopIds()).anyMatch(s -> s == id) ? id : -1;
                }
            }
            listener.ready(this);
        }

        void emit(String text) {
            emit(TestTokenizer.ids(text));
        }

        void finish(FinishReason why) {
            synchronized (this) {
                if (end == null) {
                    end = why;
                }
            }
            listener.ready(this);
        }

        void fail(String message) {
            error = message;
            finish(FinishReason.ERROR);
        }

        @Override
        public synchronized boolean take(TokenBatch into, long timeoutNanos) {
            if (waiting.isEmpty() && (end == null || endTaken)) {
                return false;
            }
            int n = waiting.size();
            boolean withAlternatives = request.topLogprobs() > 0;
            into.ensure(n, withAlternatives);
            for (int i = 0; i < n; i++) {
                into.tokens[i] = waiting.remove();
                into.logprobs[i] = -0.5f;
                for (int a = 0; withAlternatives && a < request.topLogprobs(); a++) {
                    into.alternatives[i * StepResult.MAX_ALTERNATIVES + a] = 'a' + a;
                    into.alternativeLogprobs[i * StepResult.MAX_ALTERNATIVES + a] = -1f - a;
                }
            }
            taken += n;
            into.count = n;
            into.finished = end != null;
            endTaken = end != null;
            into.reason = end == null ? FinishReason.STOP : end;
            into.error = error;
            into.stopToken = stopToken;
            into.cachedTokens = cachedTokens;
            into.arrivalNanos = first;
            into.firstScheduledNanos = first;
            into.firstTokenNanos = first;
            into.lastTokenNanos = System.nanoTime();
            return true;
        }

        @Override
        public void stopAt(int outputTokens, FinishReason why) {
            stoppedAt = outputTokens;
            synchronized (this) {
                waiting.clear();
                end = why;
            }
        }

        @Override
        public void cancel() {
            synchronized (this) {
                if (end != null) {
                    return;
                }
                end = FinishReason.CANCELLED;
                waiting.clear();
            }
            cancelled = true;
            listener.ready(this);
        }
    }
}
