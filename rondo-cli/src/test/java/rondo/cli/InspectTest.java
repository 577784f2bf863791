package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.Json;
import rondo.base.Shared;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code rondo inspect}: every tensor accounted for, by headers alone; what cannot be served ends as serve would. */
@Timeout(60)
class InspectTest {
    private static final Path BUNDLED = Shared.root().resolve("models/glimmer-mini");

    @TempDir
    Path directory;

    private Path model() throws IOException {
        Path copy = Files.createDirectory(directory.resolve("model"));
        try (Stream<Path> files = Files.list(BUNDLED)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, copy.resolve(file.getFileName()));
            }
        }
        return copy;
    }

    private static JsonNode json(Path model, String... more) {
        CommandRun run = CommandRun.of(Stream.concat(Stream.of("inspect", model.toString(), "--json"), Stream.of(more))
                .toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return Json.mapper().readTree(run.out());
    }

    private static String refused(Path model) {
        CommandRun run = CommandRun.of("inspect", model.toString());
        assertThat(run.code()).isEqualTo(UserError.MODEL);
        return run.onlyLine();
    }

    /** Replaces a text of a file; the header of safetensors keeps its length if the texts have the same. */
    private static void replace(Path file, String old, String with) throws IOException {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        assertThat(text).contains(old);
        Files.writeString(file, text.replace(old, with), StandardCharsets.ISO_8859_1);
    }

    @Test
    void theBundledModelIsAccountedFor() {
        CommandRun run = CommandRun.of("inspect", BUNDLED.toString());
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("weights: 99 consumed, 41 skipped (rule no_encoder), 0 missing, 0 left over\n")
                .contains("layers      8 (2 full, 6 sliding), hidden 256, feed-forward 640\n")
                .contains("attention   6 layers sliding over 256 tokens: 8 query heads, 2 KV heads, head size 64\n")
                .contains("context     131072 tokens\n")
                .contains("bytes       BF16: 99 tensors, 9707776 parameters, 19415552 bytes (18.5 MiB)\n")
                .contains("parsers     tools hermes, reasoning none (added token <tool_call>, no <think>)\n");
    }

    @Test
    void jsonHasTheSameAndItsShapeIsThatOfTheDocumentation() {
        JsonNode seen = json(BUNDLED);
        assertThat(seen.propertyNames())
                .containsExactly(
                        "model",
                        "architecture",
                        "loadable",
                        "fault",
                        "context_length",
                        "dtype",
                        "parameters",
                        "eos_token_ids",
                        "decoder",
                        "weights",
                        "kv_cache",
                        "tokenizer",
                        "chat_template",
                        "parsers");
        assertThat(seen.at("/weights/consumed").asInt()).isEqualTo(99);
        assertThat(seen.at("/weights/skipped_by_rule/no_encoder").asInt()).isEqualTo(41);
        assertThat(seen.at("/weights/by_dtype/0/bytes").asLong()).isEqualTo(2 * 9_707_776);
        assertThat(seen.at("/eos_token_ids").toString()).isEqualTo("[4036,4033]");
        assertThat(seen.at("/tokenizer/added_tokens").asInt()).isEqualTo(64);
        assertThat(seen.at("/chat_template/file").asString()).isEqualTo("chat_template.jinja");
        // 2 (K and V) x 2 heads x 64 numbers x 2 bytes = 512 bytes per layer.
        assertThat(seen.at("/kv_cache/life_cycles").toString())
                .isEqualTo("[{\"window\":256,\"layers\":6,\"bytes_per_token\":3072,\"page_bytes\":98304},"
                        + "{\"window\":0,\"layers\":2,\"bytes_per_token\":1024,\"page_bytes\":32768}]");
        assertThat(seen.at("/kv_cache/bytes_per_token").asLong()).isEqualTo(8 * 512);
    }

    @Test
    void aConfigurationFileChangesWhatItWouldChangeInAServer() throws IOException {
        Path yaml = Files.writeString(
                directory.resolve("serve.yaml"),
                "disable_mm_encoder: true\nkv_cache_config: {dtype: float32, tokens_per_block: 64}\ntool_parser: none\n");
        JsonNode seen = json(BUNDLED, "--config", yaml.toString());
        assertThat(seen.at("/weights/skipped_by_rule/disable_mm_encoder").asInt())
                .isEqualTo(41);
        assertThat(seen.at("/kv_cache/bytes_per_token").asLong()).isEqualTo(8 * 1024);
        assertThat(seen.at("/kv_cache/tokens_per_block").asInt()).isEqualTo(64);
        assertThat(seen.at("/parsers/tools").asString()).isEqualTo("none");
    }

    @Test
    void aModelWithoutTokenizerAndTemplateIsInspectedAllTheSame() {
        Path random = Shared.root().resolve("../shared/model/golden-random/muse_glimmer");
        assumeThat(random).as("the tiny random models are not there").isDirectory();
        JsonNode seen = json(random);
        assertThat(seen.at("/weights/consumed").asInt()).isEqualTo(63);
        assertThat(seen.at("/tokenizer").isNull()).isTrue();
        assertThat(seen.at("/chat_template").isNull()).isTrue();
    }

    @Test
    void weightsOfThirtyGigabytesAreNotRead() throws IOException {
        Path model = model();
        Path weights = model.resolve("model.safetensors");
        int rows = 33_000_000;
        byte[] all = Files.readAllBytes(weights);
        int length = (int) ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
        ObjectNode header = (ObjectNode) Json.mapper().readTree(Arrays.copyOfRange(all, 8, 8 + length));
        long end = 0;
        for (Map.Entry<String, JsonNode> entry : header.properties()) {
            if (entry.getKey().equals("__metadata__")) {
                continue;
            }
            ArrayNode shape = (ArrayNode) entry.getValue().get("shape");
            if (shape.get(0).asInt() == 4096 && shape.get(1).asInt() == 256) {
                shape.set(0, rows);
            }
            long bytes = 2;
            for (JsonNode n : shape) {
                bytes *= n.asLong();
            }
            ((ArrayNode) entry.getValue().get("data_offsets")).set(0, end).set(1, end + bytes);
            end += bytes;
        }
        byte[] head = header.toString().getBytes(StandardCharsets.UTF_8);
        try (RandomAccessFile file = new RandomAccessFile(weights.toFile(), "rw")) {
            file.setLength(0);
            file.write(ByteBuffer.allocate(8)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putLong(head.length)
                    .array());
            file.write(head);
            file.setLength(8 + head.length + end); // a hole: no disk is used for it
        }
        replace(model.resolve("config.json"), "\"vocab_size\": 4096", "\"vocab_size\": " + rows);
        assertThat(json(model).at("/weights/bytes").asLong()).isGreaterThan(30L << 30);
    }

    @Test
    void aDirectoryThatIsNotThere() {
        assertThat(refused(directory.resolve("gone")))
                .isEqualTo("model: directory '" + directory.resolve("gone") + "' not found");
    }

    @Test
    void aDirectoryWithoutConfiguration() {
        assertThat(refused(directory)).isEqualTo("model: " + directory.resolve("config.json") + ": not found");
    }

    @Test
    void aConfigurationThatIsNoJson() throws IOException {
        Path model = model();
        Files.writeString(model.resolve("config.json"), "{\"model_type\": ");
        assertThat(refused(model)).startsWith("model: " + model.resolve("config.json") + ": is not valid JSON: ");
    }

    @Test
    void anArchitectureThatNobodyKnows() throws IOException {
        Path model = model();
        replace(model.resolve("config.json"), "\"muse_glimmer\"", "\"llava\"");
        assertThat(refused(model)).contains("model_type 'llava' is not supported; supported: ");
    }

    @Test
    void weightsThatAreCutOff() throws IOException {
        Path model = model();
        Path weights = model.resolve("model.safetensors");
        Files.write(weights, Arrays.copyOf(Files.readAllBytes(weights), 1_000_000));
        assertThat(refused(model)).startsWith("model: " + weights + ": truncated: tensor ");
    }

    @Test
    void anIndexThatNamesAFileWhichIsNotThere() throws IOException {
        Path model = model();
        Path index = Files.writeString(
                model.resolve("model.safetensors.index.json"), "{\"weight_map\": {\"x\": \"model-2.safetensors\"}}");
        assertThat(refused(model))
                .isEqualTo("model: " + index + ": names files that are not there: model-2.safetensors");
    }

    @Test
    void tensorsThatNobodyExplainsAreShownAndEndItAsServeWould() throws IOException {
        Path model = model();
        replace(model.resolve("model.safetensors"), "\"lm_head.weight\"", "\"lm_tail.weight\"");
        CommandRun run = CommandRun.of("inspect", model.toString());
        assertThat(run.code()).isEqualTo(UserError.MODEL);
        assertThat(run.out())
                .contains("98 consumed, 41 skipped (rule no_encoder), 1 missing, 1 left over\n")
                .contains("  missing: lm_head.weight\n")
                .contains("  left over: lm_tail.weight\n");
        assertThat(run.err())
                .isEqualToNormalizingNewlines("model: " + model + ": 1 tensors missing: lm_head.weight; 1 tensors left"
                        + " over that no rule explains: lm_tail.weight\n");
    }

    @Test
    void aTensorOfAnotherShapeThanTheConfigurationSaysIsAFault() throws IOException {
        Path model = model();
        replace(model.resolve("config.json"), "\"intermediate_size\": 640", "\"intermediate_size\": 641");
        CommandRun run = CommandRun.of("inspect", model.toString(), "--json");
        assertThat(run.code()).isEqualTo(UserError.MODEL);
        JsonNode seen = Json.mapper().readTree(run.out());
        assertThat(seen.get("loadable").asBoolean()).isFalse();
        assertThat(seen.get("fault").asString()).contains("shape must be [641, 256] by config.json, got [640, 256]");
    }
}
