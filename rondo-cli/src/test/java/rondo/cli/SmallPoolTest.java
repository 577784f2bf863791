package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A cache too small for the conversations that it serves costs time, and not one word of an answer. */
@Timeout(180)
class SmallPoolTest {
    private static final int CONVERSATIONS = 16;
    private static final int TURNS = 3;
    private static final List<String> WORDS = List.of(
            "river", "window", "seven", "table", "blue", "count", "letter", "north", "file", "green", "stone", "read");

    private static String words(SplittableRandom random, int count) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < count; i++) {
            text.append(i == 0 ? "" : " ").append(WORDS.get(random.nextInt(WORDS.size())));
        }
        return text.toString();
    }

    /** The answers of one conversation, each of which is part of the next turn's prompt. */
    private static List<String> conversation(BundledServer server, int number) throws Exception {
        SplittableRandom random = new SplittableRandom(31L * number + 5);
        ObjectNode request = Json.mapper().createObjectNode();
        request.put("temperature", 0).put("max_tokens", 24).put("ignore_eos", true);
        ArrayNode messages = request.putArray("messages");
        messages.addObject().put("role", "system").put("content", "You are agent " + number + ".");
        List<String> answers = new ArrayList<>();
        for (int turn = 0; turn < TURNS; turn++) {
            messages.addObject().put("role", "user").put("content", words(random, 60 + random.nextInt(60)));
            JsonNode answer = server.json("/v1/chat/completions", request.toString());
            String text = answer.at("/choices/0/message/content").asString();
            assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(24);
            messages.addObject().put("role", "assistant").put("content", text);
            answers.add(text);
        }
        return answers;
    }

    private static List<List<String>> allAtOnce(BundledServer server) throws Exception {
        try (ExecutorService clients = Executors.newFixedThreadPool(CONVERSATIONS)) {
            List<Future<List<String>>> futures = new ArrayList<>();
            for (int i = 0; i < CONVERSATIONS; i++) {
                int number = i;
                futures.add(clients.submit(() -> conversation(server, number)));
            }
            List<List<String>> answers = new ArrayList<>();
            for (Future<List<String>> one : futures) {
                answers.add(one.get());
            }
            return answers;
        }
    }

    @Test
    void aTinyCacheUnderSixteenConversationsChangesNoAnswer() throws Exception {
        List<List<String>> roomy;
        try (BundledServer server = BundledServer.start("max_seq_len: 1024\n")) {
            roomy = allAtOnce(server);
            assertThat(server.stats().kv().counters().dropped()).isZero();
            assertThat(server.stats().preemptions()).isZero();
        }
        try (BundledServer server = BundledServer.start("max_seq_len: 1024\nkv_cache_config:\n  max_tokens: 1536\n")) {
            assertThat(allAtOnce(server)).isEqualTo(roomy);
            assertThat(server.stats().kv().counters().dropped()).isPositive();
            server.awaitIdle();
        }
    }
}
