package rondo.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiPredicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The bundled model's evaluation sets, asked over the chat endpoint as a client would, greedily. */
final class EvaluationSets {
    /** How many of a set's items came out right, and the first wrong ones. */
    record Score(String set, int items, int right, List<String> wrong) {
        double percent() {
            return 100.0 * right / items;
        }
    }

    private static final Pattern FINAL_NUMBER = Pattern.compile("####\\s*(-?\\d+)");
    private static final int CLIENTS = 16;

    private final URI chat;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    EvaluationSets(URI server) {
        this.chat = server.resolve("/v1/chat/completions");
    }

    /** Every set, of each at most {@code limit} items. */
    List<Score> run(int limit) throws Exception {
        List<Score> scores = new ArrayList<>();
        scores.add(ask("word-problems", limit, 200, EvaluationSets::sameFinalNumber));
        scores.add(ask("arithmetic", limit, 24, EvaluationSets::sameText));
        scores.add(ask("strings", limit, 80, EvaluationSets::sameText));
        scores.add(ask("json-extraction", limit, 140, EvaluationSets::sameJson));
        scores.add(ask("retrieval", limit, 60, EvaluationSets::namesTheValue));
        scores.add(ask("tool-use", limit, 160, EvaluationSets::callsTheTool));
        scores.add(askAfterTheToolResult(limit));
        return scores;
    }

    private Score ask(String set, int limit, int maxTokens, BiPredicate<JsonNode, JsonNode> right) throws Exception {
        List<JsonNode> items = read(set, limit);
        return score(set, items, item -> right.test(item, answer(messages(item), item.path("tools"), maxTokens)));
    }

    private Score askAfterTheToolResult(int limit) throws Exception {
        List<JsonNode> items =
                read("tool-use", limit).stream().filter(i -> i.has("then")).toList();
        return score("tool-answer", items, item -> {
            ArrayNode messages = messages(item).deepCopy();
            JsonNode call = item.path("expected").path("tool_call");
            ObjectNode assistant = messages.addObject().put("role", "assistant").put("content", "");
            assistant
                    .putArray("tool_calls")
                    .addObject()
                    .put("id", "call_1")
                    .put("type", "function")
                    .putObject("function")
                    .put("name", call.path("name").asString())
                    .put("arguments", call.path("arguments").toString());
            messages.addObject()
                    .put("role", "tool")
                    .put("tool_call_id", "call_1")
                    .put("content", item.path("then").path("tool_result").asString());
            JsonNode answer = answer(messages, item.path("tools"), 80);
            return text(answer).equals(item.path("then").path("expected_answer").asString());
        });
    }

    private interface Item {
        boolean isRight(JsonNode item) throws Exception;
    }

    private static Score score(String set, List<JsonNode> items, Item check) throws Exception {
        List<Future<Boolean>> results = new ArrayList<>();
        try (ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            for (JsonNode item : items) {
                results.add(clients.submit(() -> check.isRight(item)));
            }
        }
        int right = 0;
        List<String> wrong = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            if (results.get(i).get()) {
                right++;
            } else if (wrong.size() < 8) {
                String text = items.get(i).toString();
                wrong.add(text.substring(Math.max(0, text.length() - 300)));
            }
        }
        return new Score(set, items.size(), right, wrong);
    }

    private JsonNode answer(ArrayNode messages, JsonNode tools, int maxTokens)
            throws IOException, InterruptedException {
        ObjectNode body = Json.mapper().createObjectNode();
        body.set("messages", messages);
        if (tools.isArray()) {
            body.set("tools", tools);
        }
        body.put("temperature", 0).put("max_tokens", maxTokens);
        HttpRequest request = HttpRequest.newBuilder(chat)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body.toString(), StandardCharsets.UTF_8))
                .build();
        HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
        if (response.statusCode() != 200) {
            throw new IOException(response.statusCode() + ": " + response.body());
        }
        return Json.mapper().readTree(response.body()).path("choices").path(0).path("message");
    }

    private static ArrayNode messages(JsonNode item) {
        if (item.path("messages") instanceof ArrayNode given) {
            return given;
        }
        ArrayNode messages = Json.mapper().createArrayNode();
        messages.addObject()
                .put("role", "user")
                .put("content", item.path("question").asString());
        return messages;
    }

    private static List<JsonNode> read(String set, int limit) throws IOException {
        try (var in = EvaluationSets.class.getResourceAsStream("/eval/" + set + ".jsonl")) {
            if (in == null) {
                throw new IOException("no evaluation set " + set);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .limit(limit)
                    .map(Json.mapper()::readTree)
                    .toList();
        }
    }

    private static String text(JsonNode message) {
        return message.path("content").asString("").strip();
    }

    private static String finalNumber(String text) {
        Matcher m = FINAL_NUMBER.matcher(text);
        String last = "";
        while (m.find()) {
            last = m.group(1);
        }
        return last;
    }

    private static boolean sameFinalNumber(JsonNode item, JsonNode answer) {
        return finalNumber(text(answer)).equals(finalNumber(item.path("answer").asString()));
    }

    private static boolean sameText(JsonNode item, JsonNode answer) {
        return text(answer).equals(item.path("answer").asString());
    }

    private static boolean sameJson(JsonNode item, JsonNode answer) {
        try {
            return Json.mapper().readTree(text(answer)).equals(item.path("expected"));
        } catch (tools.jackson.core.JacksonException e) {
            return false;
        }
    }

    private static boolean namesTheValue(JsonNode item, JsonNode answer) {
        return text(answer).contains(item.path("expected_value").asString());
    }

    private static boolean callsTheTool(JsonNode item, JsonNode answer) {
        JsonNode calls = answer.path("tool_calls");
        JsonNode expected = item.path("expected");
        if (!expected.has("tool_call")) {
            String wanted = expected.path("content").asString();
            String number = finalNumber(wanted);
            boolean right = number.isEmpty()
                    ? text(answer).equals(wanted)
                    : finalNumber(text(answer)).equals(number);
            return right && calls.size() == 0;
        }
        if (calls.size() != 1) {
            return false;
        }
        JsonNode function = calls.path(0).path("function");
        return function.path("name").equals(expected.path("tool_call").path("name"))
                && Json.mapper()
                        .readTree(function.path("arguments").asString())
                        .equals(expected.path("tool_call").path("arguments"));
    }
}
