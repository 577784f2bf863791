package rondo.agentx.client;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.ConversationKind;
import rondo.agentx.plan.InputKind;
import rondo.agentx.plan.Marker;
import rondo.agentx.plan.SessionPlan;
import rondo.agentx.plan.Turn;
import rondo.agentx.replay.Play;
import rondo.agentx.replay.TurnRequest;

/**
 * Lets the client's own code get warm on a loopback server of its own before anything is measured: cold code adds
 * milliseconds to the first requests. The server under test sees nothing of it.
 */
final class Warmup {
    private static final int REQUESTS = 300;
    private static final int AT_ONCE = 8;
    private static final String CHUNK =
            "data: {\"id\":\"w\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"w\",\"choices\":[{\"index\":0,"
                    + "\"delta\":{\"content\":\" word\"},\"finish_reason\":null}]}\n\n";
    private static final String END =
            "data: {\"id\":\"w\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                    + "data: {\"id\":\"w\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":9,"
                    + "\"prompt_tokens_details\":{\"cached_tokens\":1}}}\n\ndata: [DONE]\n\n";

    private final HttpTurnSender sender;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();
    private final Buffer body = Buffer.buffer("{\"messages\":[]}".repeat(500));
    private int started;
    private int returned;

    private Warmup(HttpTurnSender sender) {
        this.sender = sender;
    }

    /** Blocks until the client is warm. */
    static void run(HttpTurnSender sender, Vertx vertx) {
        Warmup warmup = new Warmup(sender);
        HttpServer server = vertx.createHttpServer();
        server.requestHandler(request -> request.body().onSuccess(b -> {
            var response = request.response().setChunked(true).putHeader("Content-Type", "text/event-stream");
            for (int i = 0; i < 8; i++) {
                response.write(CHUNK);
            }
            response.end(END);
        }));
        Future<HttpServer> listening = server.listen(0, "127.0.0.1");
        listening.onSuccess(s -> {
            URI url = URI.create("http://127.0.0.1:" + s.actualPort());
            for (int i = 0; i < AT_ONCE; i++) {
                warmup.next(url);
            }
        });
        listening.onFailure(warmup.finished::completeExceptionally);
        try {
            warmup.finished.get(20, TimeUnit.SECONDS);
            server.close().toCompletionStage().toCompletableFuture().get(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("the client's own warm-up failed", e);
        }
    }

    private void next(URI url) {
        if (started == REQUESTS) {
            return;
        }
        started++;
        Exchange exchange = new Exchange(sender, url, request(), 0, result -> {
            if (++returned == REQUESTS) {
                finished.complete(null);
            } else {
                next(url);
            }
        });
        exchange.start(CompletableFuture.completedFuture(body));
    }

    private static TurnRequest request() {
        Turn turn = new Turn(0, -1, 0, 0, 0, 1, 8, new int[0], 0, List.of(), 0, InputKind.NONE, 0, List.of());
        Conversation conversation = new Conversation("warmup", ConversationKind.ROOT, -1, -1, 0, List.of(turn));
        SessionPlan plan = new SessionPlan("warmup", 1, List.of(conversation));
        return new TurnRequest(new Play(plan, 0, 0, 0, Marker.NONE, List.of("warmup")), 0, 0, "warmup");
    }
}
