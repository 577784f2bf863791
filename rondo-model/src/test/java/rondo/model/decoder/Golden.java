package rondo.model.decoder;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import rondo.base.Json;
import tools.jackson.databind.JsonNode;

/** Lines of reference outputs, and the tiny random checkpoint, from the test resources. */
final class Golden {
    /** The largest logits of one position. */
    record Top(int position, int[] ids, float[] logits) {}

    record Line(String name, int[] ids, List<Top> tops, float[] lastLogits, int[] greedy, int safeSteps) {}

    private Golden() {}

    static List<Line> lines(String resource) {
        List<Line> out = new ArrayList<>();
        String text = new String(bytes(resource), StandardCharsets.UTF_8);
        for (String line : text.lines().toList()) {
            JsonNode node = Json.mapper().readTree(line);
            List<Top> tops = new ArrayList<>();
            for (JsonNode top : node.get("top20")) {
                tops.add(new Top(top.get("position").intValue(), ints(top.get("ids")), floats(top.get("logits"))));
            }
            out.add(new Line(
                    node.path("id").asString("") + " " + node.path("name").asString("") + " n=" + node.get("length"),
                    ints(node.get("token_ids")),
                    tops,
                    node.has("last_logits") ? floats(node.get("last_logits")) : new float[0],
                    ints(node.get("greedy_fp32")),
                    node.get("greedy_fp32_safe_steps").intValue()));
        }
        return out;
    }

    /** Copies the tiny random checkpoint out of the resources. */
    static Path randomCheckpoint(Path into) {
        try {
            for (String file : List.of("config.json", "generation_config.json", "model.safetensors")) {
                Files.write(into.resolve(file), bytes("muse_glimmer_random/" + file));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return into;
    }

    private static byte[] bytes(String resource) {
        try (InputStream in = Golden.class.getResourceAsStream("/rondo/model/" + resource)) {
            if (in == null) {
                throw new IllegalStateException("no test resource " + resource);
            }
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static int[] ints(JsonNode node) {
        return node.valueStream().mapToInt(JsonNode::intValue).toArray();
    }

    private static float[] floats(JsonNode node) {
        float[] out = new float[node.size()];
        for (int i = 0; i < out.length; i++) {
            out[i] = node.get(i).floatValue();
        }
        return out;
    }
}
