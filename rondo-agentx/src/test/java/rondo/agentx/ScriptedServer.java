package rondo.agentx;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;

/** An OpenAI-compatible server that does what a script says, to the millisecond, and remembers what it did when. */
final class ScriptedServer implements AutoCloseable {
    /** A request as received. */
    record Received(int index, JsonNode body, String correlationId, String requestId, String authorization) {
        int maxTokens() {
            return body.path("max_completion_tokens").asInt(-1);
        }
    }

    /** Written {@code atMillis} after the request's arrival. */
    record Step(long atMillis, String bytes, boolean content) {}

    enum Ending {
        END,
        CLOSE,
        HANG
    }

    /** Status, headers and the steps of an answer. */
    record Answer(int status, String contentType, List<Step> steps, long endMillis, Ending ending) {}

    /** When things really happened, nanoseconds; {@code content} are the writes that held content. */
    record Truth(Received request, long arrival, List<Long> content) {
        double ttftMillis() {
            return (content.getFirst() - arrival) / 1e6;
        }

        double decodeMillis() {
            return (content.getLast() - content.getFirst()) / 1e6;
        }
    }

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final List<Truth> truths = Collections.synchronizedList(new ArrayList<>());
    private final Function<Received, Answer> script;
    private final int port;

    ScriptedServer(Function<Received, Answer> script) throws Exception {
        this.script = script;
        this.port = vertx.createHttpServer()
                .requestHandler(this::handle)
                .listen(0, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(10, TimeUnit.SECONDS)
                .actualPort();
    }

    URI url() {
        return URI.create("http://127.0.0.1:" + port);
    }

    List<Truth> truths() {
        synchronized (truths) {
            return List.copyOf(truths);
        }
    }

    private void handle(HttpServerRequest request) {
        request.body().onSuccess(body -> {
            long arrival = System.nanoTime();
            Received received = new Received(
                    truths.size(),
                    Json.mapper().readTree(body.getBytes()),
                    String.valueOf(request.getHeader("X-Correlation-ID")),
                    String.valueOf(request.getHeader("X-Request-ID")),
                    String.valueOf(request.getHeader("Authorization")));
            Truth truth = new Truth(received, arrival, Collections.synchronizedList(new ArrayList<>()));
            truths.add(truth);
            Answer answer = script.apply(received);
            HttpServerResponse response = request.response().setStatusCode(answer.status());
            response.putHeader("Content-Type", answer.contentType()).setChunked(true);
            response.exceptionHandler(e -> {});
            for (Step step : answer.steps()) {
                later(step.atMillis(), () -> {
                    if (step.content()) {
                        truth.content().add(System.nanoTime());
                    }
                    response.write(step.bytes());
                });
            }
            switch (answer.ending()) {
                case END -> later(answer.endMillis(), response::end);
                case CLOSE ->
                    later(answer.endMillis(), () -> request.connection().close());
                case HANG -> {}
            }
        });
    }

    private void later(long millis, Runnable action) {
        if (millis == 0) {
            action.run();
        } else {
            vertx.setTimer(millis, t -> action.run());
        }
    }

    @Override
    public void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
    }

    static String delta(String key, String text) {
        return "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"" + key + "\":\"" + text
                + "\"},\"finish_reason\":null}]}\n\n";
    }

    static String finish() {
        return "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n";
    }

    static String usage(int prompt, int completion, int cached) {
        return "data: {\"id\":\"x\",\"choices\":[],\"usage\":{\"prompt_tokens\":" + prompt + ",\"completion_tokens\":"
                + completion + ",\"total_tokens\":" + (prompt + completion)
                + ",\"prompt_tokens_details\":{\"cached_tokens\":" + cached + "}}}\n\n";
    }

    static final String ROLE =
            "data: {\"id\":\"x\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n";
    static final String DONE = "data: [DONE]\n\n";

    /** One token per chunk: role at once, first token at {@code ttft}, then every {@code gap} milliseconds. */
    static Answer tokens(int count, long ttft, long gap, int prompt, int cached) {
        List<Step> steps = new ArrayList<>();
        steps.add(new Step(0, ROLE, false));
        for (int i = 0; i < count; i++) {
            steps.add(new Step(ttft + i * gap, delta("content", " abc"), true));
        }
        long last = ttft + (count - 1) * gap;
        steps.add(new Step(last, finish() + usage(prompt, count, cached) + DONE, false));
        return stream(steps, last);
    }

    static Answer stream(List<Step> steps, long endMillis) {
        return new Answer(200, "text/event-stream", steps, endMillis, Ending.END);
    }

    static Answer error(int status, String json) {
        return new Answer(status, "application/json", List.of(new Step(0, json, false)), 0, Ending.END);
    }
}
