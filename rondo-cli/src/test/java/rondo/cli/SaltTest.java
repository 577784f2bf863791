package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Who salts the cache shares what is in it with the same salt only. */
class SaltTest {
    private BundledServer server;

    @BeforeEach
    void start() {
        server = BundledServer.start("");
    }

    @AfterEach
    void stop() {
        server.close();
    }

    /** The same greedy request under a salt: the usage and the text. */
    private record Answer(int cached, int prompt, String text) {}

    private Answer ask(String subject, Optional<String> salt) throws Exception {
        ObjectNode request = Json.mapper().createObjectNode();
        request.put("temperature", 0).put("max_tokens", 12).put("ignore_eos", true);
        salt.ifPresent(s -> request.put("cache_salt", s));
        request.putArray("messages")
                .addObject()
                .put("role", "user")
                .put("content", (subject + " and again ").repeat(40) + "what is it?");
        JsonNode answer = server.json("/v1/chat/completions", request.toString());
        return new Answer(
                answer.at("/usage/prompt_tokens_details/cached_tokens").asInt(),
                answer.at("/usage/prompt_tokens").asInt(),
                answer.at("/choices/0/message/content").asString());
    }

    @Test
    void twoSaltsNeverShareAndTheSameSaltDoes() throws Exception {
        Answer first = ask("the river", Optional.of("alice"));
        Answer other = ask("the river", Optional.of("bob"));
        Answer none = ask("the river", Optional.empty());
        assertThat(first.cached()).isZero();
        assertThat(other.cached()).isZero();
        assertThat(none.cached()).isZero();
        // All of a prompt is cached but the token whose logits are asked for.
        for (Optional<String> salt : List.of(Optional.of("alice"), Optional.of("bob"), Optional.<String>empty())) {
            Answer again = ask("the river", salt);
            assertThat(again.cached()).as("salt %s", salt).isEqualTo(again.prompt() - 1);
            assertThat(again.text()).isEqualTo(first.text());
        }
        assertThat(ask("the river", Optional.of("carol")).cached()).isZero();
    }

    @Test
    void anUnsaltedPromptIsNoSaltsPrefix() throws Exception {
        assertThat(ask("the window", Optional.empty()).cached()).isZero();
        assertThat(ask("the window", Optional.of("alice")).cached()).isZero();
    }
}
