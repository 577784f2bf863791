package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Shared;
import tools.jackson.databind.JsonNode;

/** {@code load_format: dummy}: a model without its weights can be put under load. */
class DummyWeightsTest {
    private static final String CHAT =
            "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":8,\"ignore_eos\":true,\"temperature\":0}";

    @TempDir
    Path model;

    private void withoutWeights() throws IOException {
        try (Stream<Path> files = Files.list(Shared.root().resolve("models/glimmer-mini"))) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(f -> !f.toString().endsWith(".safetensors"))
                    .toList()) {
                Files.copy(file, model.resolve(file.getFileName()));
            }
        }
    }

    private static String answer(BundledServer server) throws Exception {
        JsonNode json = server.json("/v1/chat/completions", CHAT);
        assertThat(json.at("/usage/completion_tokens").intValue()).isEqualTo(8);
        return json.at("/choices/0/message/content").stringValue();
    }

    @Test
    void itServesWithoutAWeightFileAndTheSameEveryTime() throws Exception {
        withoutWeights();
        String first;
        try (BundledServer server = BundledServer.start(model, "load_format: dummy\n")) {
            first = answer(server);
            assertThat(server.json("/v1/models").at("/data/0/rondo/weights").toString())
                    .isEqualTo("{\"consumed\":99,\"skipped\":0,\"rule\":\"\",\"missing\":0,\"left_over\":0}");
        }
        try (BundledServer server = BundledServer.start(model, "load_format: dummy\n")) {
            assertThat(answer(server)).isEqualTo(first);
        }
        try (BundledServer real = BundledServer.start("")) {
            assertThat(answer(real)).isNotEqualTo(first);
        }
    }
}
