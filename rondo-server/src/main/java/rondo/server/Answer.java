package rondo.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Ids;
import rondo.engine.FinishReason;
import rondo.engine.GenerationRequest;
import rondo.engine.NotServing;
import rondo.engine.QueueFull;
import rondo.engine.RequestTooLarge;
import rondo.engine.TokenBatch;
import tools.jackson.core.JsonGenerator;

/**
 * The answer to one completion request: its choices on the way from tokens to bytes, streamed or whole. Everything
 * that happens (tokens, a drained socket, a client that left, a timer) only signals its worker, which then looks at
 * all of it.
 */
abstract class Answer extends PostprocessWorker.Task {
    private static final Logger LOG = LoggerFactory.getLogger(Answer.class);
    /** How the engine's error begins when a grammar allows no token; also the code of the answer. */
    private static final String EMPTY_MASK = "empty_mask";

    final Front front;
    final GenerationFields fields;
    final List<Choice> choices;
    final String id;
    private final Exchange exchange;
    private final PostprocessWorker worker;
    private final boolean perfMetrics;
    final long createdSeconds = System.currentTimeMillis() / 1000;

    private volatile boolean started;
    private volatile boolean clientLeft;
    private volatile boolean timedOut;
    private volatile boolean aborted;
    private boolean done;

    Answer(
            Front front,
            Exchange exchange,
            PostprocessWorker worker,
            GenerationFields fields,
            List<Choice> choices,
            String idPrefix) {
        this.front = front;
        this.exchange = exchange;
        this.worker = worker;
        this.fields = fields;
        this.choices = choices;
        this.id = idPrefix + Ids.hex(32);
        this.perfMetrics = front.options().returnPerfMetrics() && wantsMetrics(exchange);
    }

    private static boolean wantsMetrics(Exchange exchange) {
        return "1".equals(exchange.request.getHeader("X-Rondo-Metrics"))
                || "1".equals(exchange.request.getHeader("X-TRTLLM-return-metrics"));
    }

    // ---- life; any thread

    /** Queues all generations, one per choice in order; if one is not taken, none is kept. */
    void submit(List<GenerationRequest> requests) throws ApiError {
        exchange.onWritable(() -> worker.signal(this));
        exchange.onClose(this::clientLeft);
        try {
            for (int i = 0; i < requests.size(); i++) {
                Choice choice = choices.get(i);
                choice.generation(front.service().submit(requests.get(i), g -> {
                    choice.ready();
                    worker.signal(this);
                }));
                if (clientLeft) {
                    break;
                }
            }
        } catch (QueueFull e) {
            cancelAll();
            throw ApiError.queueFull(e.getMessage());
        } catch (NotServing e) {
            cancelAll();
            throw ApiError.notServing(e.state());
        } catch (RequestTooLarge e) {
            cancelAll();
            throw ApiError.tooLarge(String.valueOf(e.getMessage()));
        }
        if (clientLeft) {
            // It left while the generations were being queued, when not all of them could be cancelled yet.
            cancelAll();
        }
        if (fields.stream()) {
            exchange.startStream(front.options().pingMillis());
        }
        if (front.options().requestTimeoutMs() > 0) {
            exchange.after(front.options().requestTimeoutMs(), () -> {
                timedOut = true;
                worker.signal(this);
            });
        }
        started = true;
        worker.signal(this);
    }

    private void clientLeft() {
        clientLeft = true;
        // Not left to the worker, which may be busy with others: pages should be free at once.
        cancelAll();
        worker.signal(this);
    }

    /** The server is closing and will not wait any longer. */
    void abort() {
        aborted = true;
        worker.signal(this);
    }

    private void cancelAll() {
        for (Choice choice : choices) {
            choice.cancel();
        }
    }

    // ---- worker

    @Override
    void run(TokenBatch scratch) {
        if (done || !started) {
            return;
        }
        if (clientLeft) {
            finish("cancelled");
            return;
        }
        if (timedOut || aborted) {
            if (!fields.stream()) {
                cancelAll();
                fail(timedOut ? ApiError.timeout() : ApiError.draining());
                return;
            }
            for (Choice choice : choices) {
                choice.endNow(timedOut ? FinishReason.TIMEOUT : FinishReason.CANCELLED);
            }
        } else if (fields.stream() && !exchange.writable()) {
            return;
        }
        boolean all = true;
        for (Choice choice : choices) {
            choice.take(scratch);
            choice.timings().drainGaps(front.metrics().interToken);
            if (choice.failed()) {
                ApiError error = errorOf(choice);
                if (error != null) {
                    cancelAll();
                    fail(error);
                    return;
                }
            }
            all &= choice.finished();
        }
        if (fields.stream()) {
            streamWhatIsDue(all);
        } else if (all) {
            replyWhole();
        }
    }

    private @Nullable ApiError errorOf(Choice choice) {
        if (choice.finish() == FinishReason.ERROR) {
            String code = choice.error().startsWith(EMPTY_MASK) ? EMPTY_MASK : null;
            return ApiError.internal(code, choice.error(), exchange.id);
        }
        if (choice.finish() == FinishReason.REFUSED) {
            return ApiError.tooLarge(choice.error());
        }
        if (choice.tokens() == 0 && choice.timings().firstScheduled == 0 && !timedOut) {
            return ApiError.queueTimeout();
        }
        return fields.stream() ? null : ApiError.timeout();
    }

    private void streamWhatIsDue(boolean all) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        for (Choice choice : choices) {
            if (choice.due()) {
                writeChunks(choice, out);
                if (choice.finished()) {
                    writeLastChunk(choice, out);
                }
            }
        }
        if (all) {
            if (fields.includeUsage()) {
                JsonBytes.event(out, json -> {
                    beginChunk(json);
                    json.writeArrayPropertyStart("choices");
                    json.writeEndArray();
                    json.writeName("usage");
                    writeUsage(json);
                    writePerfMetrics(json);
                    json.writeEndObject();
                });
            }
            out.writeBytes(JsonBytes.DONE);
        }
        if (out.size() > 0) {
            exchange.send(out.toByteArray());
        }
        if (all) {
            exchange.endStream();
            finish(choices.getFirst().finishReason());
        }
    }

    private void replyWhole() {
        if (choices.stream().anyMatch(c -> c.finish() == FinishReason.CANCELLED)) {
            fail(ApiError.draining());
            return;
        }
        byte[] body = JsonBytes.of(json -> {
            json.writeStartObject();
            json.writeStringProperty("id", id);
            json.writeStringProperty("object", wholeObject());
            json.writeNumberProperty("created", createdSeconds);
            json.writeStringProperty("model", front.model().id());
            json.writeStringProperty("system_fingerprint", front.model().fingerprint());
            json.writeArrayPropertyStart("choices");
            for (Choice choice : choices) {
                writeWholeChoice(choice, json);
            }
            json.writeEndArray();
            json.writeName("usage");
            writeUsage(json);
            writePerfMetrics(json);
            json.writeEndObject();
        });
        exchange.reply(200, "application/json", body);
        finish(choices.getFirst().finishReason());
    }

    private void fail(ApiError error) {
        if (fields.stream()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(256);
            JsonBytes.event(out, error::write);
            out.writeBytes(JsonBytes.DONE);
            exchange.send(out.toByteArray());
            exchange.endStream();
        } else {
            exchange.fail(error);
        }
        finish("error");
    }

    @Override
    void broken(Throwable fault) {
        if (!done) {
            cancelAll();
            fail(ApiError.internal(null, "the server failed while it wrote the answer", exchange.id));
        }
    }

    private void finish(String reason) {
        done = true;
        long now = front.time().nanoTime();
        front.metrics().ended(reason, this, now - exchange.startNanos, exchange.startNanos);
        LOG.debug(
                "request id={} path={} end={} prompt_tokens={} cached_tokens={} completion_tokens={} ms={}",
                exchange.id,
                exchange.path,
                reason,
                promptTokens(),
                cachedTokens(),
                completionTokens(),
                (now - exchange.startNanos) / 1_000_000);
    }

    // ---- numbers

    long promptTokens() {
        long sum = 0;
        for (Choice choice : choices) {
            sum += choice.firstOfPrompt ? choice.promptTokens : 0;
        }
        return sum;
    }

    long cachedTokens() {
        long sum = 0;
        for (Choice choice : choices) {
            sum += choice.firstOfPrompt ? choice.cachedTokens() : 0;
        }
        return sum;
    }

    long completionTokens() {
        long sum = 0;
        for (Choice choice : choices) {
            sum += choice.tokens();
        }
        return sum;
    }

    // ---- what differs between chat and text

    abstract String wholeObject();

    abstract String chunkObject();

    /** Events for all segments that wait. */
    abstract void writeChunks(Choice choice, ByteArrayOutputStream out);

    abstract void writeLastChunk(Choice choice, ByteArrayOutputStream out);

    abstract void writeWholeChoice(Choice choice, JsonGenerator json) throws IOException;

    // ---- what does not

    void beginChunk(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeStringProperty("id", id);
        json.writeStringProperty("object", chunkObject());
        json.writeNumberProperty("created", createdSeconds);
        json.writeStringProperty("model", front.model().id());
        json.writeStringProperty("system_fingerprint", front.model().fingerprint());
    }

    /** Closes a chunk with what its stream says of usage: numbers, null, or nothing. */
    void endChunk(JsonGenerator json) throws IOException {
        if (fields.continuousUsage()) {
            json.writeName("usage");
            writeUsage(json);
        } else if (fields.includeUsage()) {
            json.writeNullProperty("usage");
        }
        json.writeEndObject();
    }

    void writeStopReason(Choice choice, JsonGenerator json) throws IOException {
        if (!choice.stopString().isEmpty()) {
            json.writeStringProperty("stop_reason", choice.stopString());
        } else if (choice.stopToken() >= 0) {
            json.writeNumberProperty("stop_reason", choice.stopToken());
        } else {
            json.writeNullProperty("stop_reason");
        }
    }

    private void writeUsage(JsonGenerator json) throws IOException {
        long prompt = promptTokens();
        long completion = completionTokens();
        long reasoning = 0;
        for (Choice choice : choices) {
            reasoning += choice.reasoningTokens();
        }
        json.writeStartObject();
        json.writeNumberProperty("prompt_tokens", prompt);
        json.writeNumberProperty("completion_tokens", completion);
        json.writeNumberProperty("total_tokens", prompt + completion);
        json.writeObjectPropertyStart("prompt_tokens_details");
        json.writeNumberProperty("cached_tokens", cachedTokens());
        json.writeEndObject();
        json.writeObjectPropertyStart("completion_tokens_details");
        json.writeNumberProperty("reasoning_tokens", reasoning);
        json.writeEndObject();
        json.writeEndObject();
    }

    private void writePerfMetrics(JsonGenerator json) throws IOException {
        if (!perfMetrics) {
            return;
        }
        Timings t = choices.getFirst().timings();
        json.writeObjectPropertyStart("perf_metrics");
        json.writeNumberProperty("arrival_ms", millis(t.arrival, exchange.startNanos));
        json.writeNumberProperty("first_scheduled_ms", millis(t.firstScheduled, exchange.startNanos));
        json.writeNumberProperty("first_token_ms", millis(t.firstToken, exchange.startNanos));
        json.writeNumberProperty("last_token_ms", millis(t.lastToken, exchange.startNanos));
        json.writeNumberProperty("queue_ms", millis(t.firstScheduled, t.arrival));
        json.writeNumberProperty("prefill_ms", millis(t.firstToken, t.firstScheduled));
        json.writeNumberProperty("decode_ms", millis(t.lastToken, t.firstToken));
        json.writeNumberProperty("cached_tokens", cachedTokens());
        json.writeNumberProperty("preemptions", t.preemptions);
        json.writeEndObject();
    }

    private static double millis(long nanos, long since) {
        return nanos == 0 ? 0 : (nanos - since) / 1_000 / 1e3;
    }
}
