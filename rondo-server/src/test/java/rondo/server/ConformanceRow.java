package rondo.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import rondo.base.Json;
import rondo.engine.FinishReason;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * One line of the conformance table. What is sent: {@code chat} or {@code text}, the fields of a chat with one message
 * "hi" or of a completion of "a", or a {@code path} with a {@code body} (a string is sent as it is) and {@code method};
 * {@code sent} are headers; {@code repeat} makes the text "@" so many x long; {@code server} is one of
 * {@link ConformanceServers}. {@code ends} and {@code fails} say how the engine ends it.
 *
 * <p>What is expected: {@code status}, 200 if it is not there; {@code refused}, the message of an error whose whole JSON
 * follows from it with {@code param} (the field), {@code type} and {@code code}; {@code answer}, parts of the answer, of a stream
 * as {@code first} and {@code last} event; {@code engine}, parts of what the engine was asked; {@code headers}, as
 * regular expressions. An expected text "~x" is a regular expression.
 */
record ConformanceRow(JsonNode row) {
    private static final String CHAT = "/v1/chat/completions";

    String field() {
        return row.path("field").asString("");
    }

    String name() {
        return path() + " " + (field().isEmpty() ? "" : field() + ": ")
                + row.get("case").stringValue();
    }

    String server() {
        return row.path("server").asString("standard");
    }

    String path() {
        return row.has("chat")
                ? CHAT
                : row.has("text") ? "/v1/completions" : row.get("path").stringValue();
    }

    /** The body as JSON, or as the string that is sent as it is. */
    JsonNode body() {
        if (row.has("chat")) {
            return merged("{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}", row.get("chat"));
        }
        return row.has("text") ? merged("{\"prompt\":\"a\"}", row.get("text")) : row.path("body");
    }

    private static ObjectNode merged(String usual, JsonNode more) {
        ObjectNode body = (ObjectNode) Json.mapper().readTree(usual);
        body.setAll((ObjectNode) more);
        return body;
    }

    int status() {
        return row.path("status").asInt(isRefused() ? 400 : 200);
    }

    boolean isRefused() {
        return row.has("refused");
    }

    JsonNode answer() {
        return row.path("answer");
    }

    JsonNode engine() {
        return row.path("engine");
    }

    JsonNode headers() {
        return row.path("headers");
    }

    /** The whole error as both kinds of clients read it. */
    ObjectNode error(HttpResponse<String> response) {
        String id = response.headers().firstValue("X-Request-ID").orElse("");
        String message = row.get("refused").stringValue().replace("{id}", id);
        ObjectNode inner = Json.mapper().createObjectNode();
        inner.put("message", message);
        inner.put("type", row.path("type").asString("invalid_request_error"));
        String named = field().replace("[]", "[0]");
        inner.put("param", row.has("param") ? row.get("param").asString(null) : named.isEmpty() ? null : named);
        inner.put("code", row.path("code").asString(null));
        ObjectNode error = Json.mapper().createObjectNode();
        error.set("error", inner);
        error.put("object", "error");
        error.setAll(inner);
        error.put("code", status());
        return error;
    }

    HttpResponse<String> send(TestServer server) throws Exception {
        HttpRequest.Builder request = server.request(path());
        boolean json = row.path("sent").has("Content-Type");
        if (!json) {
            request.header("Content-Type", "application/json");
        }
        row.path("sent")
                .properties()
                .forEach(h -> request.header(h.getKey(), h.getValue().stringValue()));
        boolean posts = !body().isMissingNode();
        request.method(
                row.path("method").asString(posts ? "POST" : "GET"),
                posts ? HttpRequest.BodyPublishers.ofString(text()) : HttpRequest.BodyPublishers.noBody());
        boolean played = row.has("ends") || row.has("fails") || server().equals("hasty");
        server.service.manual = played;
        CompletableFuture<HttpResponse<String>> answer =
                server.client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString());
        if (row.has("ends")) {
            server.service
                    .awaitSubmitted(0)
                    .finish(FinishReason.valueOf(row.get("ends").stringValue()));
        } else if (row.has("fails")) {
            server.service.awaitSubmitted(0).fail(row.get("fails").stringValue());
        }
        return answer.get();
    }

    private String text() {
        String body = body().isString() ? body().stringValue() : body().toString();
        return body.replace("\"@\"", "\"" + "x".repeat(row.path("repeat").asInt(1)) + "\"");
    }

    /** JSON as it is; a stream as its first and its last event. */
    static JsonNode answered(HttpResponse<String> response) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        if (type.startsWith("text/event-stream")) {
            List<JsonNode> events = TestServer.events(response.body());
            ObjectNode ends = Json.mapper().createObjectNode();
            ends.set("first", events.getFirst());
            ends.set("last", events.getLast());
            return ends;
        }
        return type.startsWith("application/json")
                ? TestServer.json(response)
                : Json.mapper().createObjectNode().put("text", response.body());
    }

    /** Whether all that is expected is there; more may be. Arrays must have the same length. */
    static void assertHolds(String at, JsonNode expected, JsonNode actual) {
        if (expected.isObject()) {
            for (Map.Entry<String, JsonNode> one : expected.properties()) {
                JsonNode value = actual.path(one.getKey());
                assertHolds(at + "." + one.getKey(), one.getValue(), value);
            }
        } else if (expected.isArray()) {
            assertThat(actual.size()).as(at + " of " + actual).isEqualTo(expected.size());
            for (int i = 0; i < expected.size(); i++) {
                assertHolds(at + "[" + i + "]", expected.get(i), actual.get(i));
            }
        } else if (expected.isString() && expected.stringValue().startsWith("~")) {
            assertThat(actual.asString("absent"))
                    .as(at)
                    .matches("(?s)" + expected.stringValue().substring(1));
        } else if (expected.isNumber() && actual.isNumber()) {
            assertThat(actual.decimalValue()).as(at).isEqualByComparingTo(expected.decimalValue());
        } else if (!expected.isMissingNode()) {
            assertThat(actual).as(at).isEqualTo(expected);
        }
    }
}
