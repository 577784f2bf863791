package rondo.cli;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import rondo.agentx.plan.PromptIds;
import rondo.agentx.replay.Outcome;
import rondo.agentx.replay.Play;
import rondo.agentx.replay.TurnRequest;
import rondo.agentx.replay.TurnResult;
import rondo.agentx.replay.TurnSender;
import rondo.agentx.replay.Usage;
import rondo.base.TokenIds;
import rondo.engine.FinishReason;
import rondo.engine.Generation;
import rondo.engine.GenerationListener;
import rondo.engine.GenerationRequest;
import rondo.engine.GenerationService;
import rondo.engine.NotServing;
import rondo.engine.QueueFull;
import rondo.engine.StopRules;
import rondo.engine.TokenBatch;
import rondo.engine.TokenConstraint;
import rondo.engine.sample.SamplingParams;
import rondo.kv.CacheScope;
import rondo.kv.PromptKeys;
import rondo.kv.Retention;
import rondo.sim.Replies;

/**
 * Sends turns straight into an engine whose loop runs on the same thread, and answers for the simulated model. A turn
 * counts as sent when it was due: under virtual time nobody is late but the server.
 */
final class EngineTurnSender implements TurnSender, Replies {
    private record Stream(int play, int conversation) {}

    private final GenerationService engine;
    private final PromptIds prompts;
    private final Replies noise;
    /** The latest prompt of every conversation that goes on: the next one shares its memory and its keys. */
    private final Map<Stream, PromptKeys> latest = new HashMap<>();

    private final Map<TurnRequest, Answer> running = new HashMap<>();
    /** What the simulated model answers where the next prompt says so, by seed; small beside the prompts. */
    private final Map<Long, int[]> replies = new HashMap<>();

    private final TokenBatch batch = new TokenBatch();

    EngineTurnSender(GenerationService engine, PromptIds prompts) {
        this.engine = engine;
        this.prompts = prompts;
        this.noise = Replies.noise(engine.info().vocabulary());
    }

    @Override
    public void send(TurnRequest request, long due, Consumer<TurnResult> done) {
        PromptKeys prompt = prompt(request);
        int room = engine.info().maxSeqLen() - prompt.tokens();
        if (room < 1) {
            String message = "the prompt has " + prompt.tokens() + " tokens, max_seq_len is "
                    + engine.info().maxSeqLen();
            done.accept(TurnResult.without(
                    request, new Outcome.Overflow(400, "context_length_exceeded", message), due, due, due));
            return;
        }
        int wanted = Math.min(request.what().maxTokens(), room);
        long seed = seed(request);
        int[] reply = prompts.reply(request.play().plan(), request.stream(), request.turn(), wanted);
        if (reply.length > 0) {
            replies.put(seed, reply);
        }
        Answer answer = new Answer(request, prompt.tokens(), due, done);
        running.put(request, answer);
        GenerationRequest generation = new GenerationRequest(
                request.requestId(),
                prompt,
                wanted,
                SamplingParams.of(0, 0, 1, seed),
                StopRules.endingWith(),
                -1,
                TokenConstraint.NONE,
                new Retention(prompt.tokens(), request.correlationId(), false),
                0.5);
        try {
            answer.generation = engine.submit(generation, answer);
        } catch (QueueFull | NotServing e) {
            answer.end(new Outcome.Failed(429, "rate_limit_error", String.valueOf(e.getMessage())), due);
        }
    }

    private PromptKeys prompt(TurnRequest request) {
        Stream stream = new Stream(request.play().number(), request.conversation());
        PromptKeys before = latest.get(stream);
        TokenIds ids = prompts.prompt(
                request.play().plan(),
                request.stream(),
                request.turn(),
                before == null ? TokenIds.empty() : before.ids());
        PromptKeys keys = before == null
                ? PromptKeys.of(ids, CacheScope.unsalted(), engine.info().tokensPerBlock())
                : before.extend(ids);
        if (request.last()) {
            latest.remove(stream);
        } else {
            latest.put(stream, keys);
        }
        return keys;
    }

    /** A play has ended: its conversations do not go on. */
    void forget(Play play) {
        latest.keySet().removeIf(stream -> stream.play() == play.number());
    }

    @Override
    public void cancel(TurnRequest request) {
        Answer answer = running.get(request);
        if (answer != null && answer.generation != null) {
            answer.generation.cancel();
        }
    }

    @Override
    public int token(long seed, int position) {
        int[] reply = replies.isEmpty() ? null : replies.get(seed);
        return reply != null && position < reply.length ? reply[position] : noise.token(seed, position);
    }

    /** The same turn of the same trace is answered in the same way, whenever it is played. */
    private static long seed(TurnRequest request) {
        long hash = request.turn();
        String id = request.stream().id();
        for (int i = 0; i < id.length(); i++) {
            hash = 31 * hash + id.charAt(i);
        }
        return hash * 0x9E3779B97F4A7C15L;
    }

    /** Collects one generation. */
    private final class Answer implements GenerationListener {
        final TurnRequest request;
        final int promptTokens;
        final long due;
        final Consumer<TurnResult> done;

        @Nullable
        Generation generation;

        long[] times = new long[32];
        int tokens;

        Answer(TurnRequest request, int promptTokens, long due, Consumer<TurnResult> done) {
            this.request = request;
            this.promptTokens = promptTokens;
            this.due = due;
            this.done = done;
        }

        @Override
        public void ready(Generation from) {
            while (from.take(batch, 0)) {
                if (times.length < tokens + batch.count) {
                    times = Arrays.copyOf(times, Math.max(2 * times.length, tokens + batch.count));
                }
                Arrays.fill(times, tokens, tokens + batch.count, batch.lastTokenNanos);
                tokens += batch.count;
                if (batch.finished) {
                    finished();
                    return;
                }
            }
        }

        private void finished() {
            long last = tokens == 0 ? due : times[tokens - 1];
            switch (batch.reason) {
                case STOP, LENGTH -> {
                    running.remove(request);
                    Usage usage = new Usage(
                            OptionalInt.of(promptTokens), OptionalInt.of(tokens), OptionalInt.of(batch.cachedTokens));
                    done.accept(new TurnResult(
                            request,
                            Outcome.SUCCESS,
                            due,
                            due,
                            due,
                            last,
                            Arrays.copyOf(times, tokens),
                            tokens == 0 ? -1 : 0,
                            usage,
                            ""));
                }
                case CANCELLED -> end(Outcome.CANCELLED, last);
                case TIMEOUT, ERROR ->
                    end(
                            new Outcome.Failed(
                                    batch.reason == FinishReason.TIMEOUT ? 503 : 500, "server_error", batch.error),
                            last);
            }
        }

        void end(Outcome outcome, long at) {
            running.remove(request);
            done.accept(TurnResult.without(request, outcome, due, due, at));
        }
    }
}
