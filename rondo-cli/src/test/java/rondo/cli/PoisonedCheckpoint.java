package rondo.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import rondo.base.Json;
import rondo.base.Shared;
import tools.jackson.databind.JsonNode;

/** A copy of the bundled model in which one token, which no text has, is no number: its K and V are NaNs. */
final class PoisonedCheckpoint {
    /** The last row of the embedding. */
    static final int NAN_TOKEN = 4095;

    private static final short NAN_BF16 = 0x7fc0;

    private PoisonedCheckpoint() {}

    static Path write(Path directory) {
        try (Stream<Path> files = Files.list(Shared.root().resolve("models/glimmer-mini"))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                if (file.endsWith("model.safetensors")) {
                    poison(Files.readAllBytes(file), directory.resolve(file.getFileName()));
                } else {
                    Files.copy(file, directory.resolve(file.getFileName()));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return directory;
    }

    private static void poison(byte[] content, Path to) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
        int header = (int) bytes.getLong(0);
        JsonNode tensors = Json.mapper().readTree(new String(content, 8, header, UTF_8));
        List<String> names = tensors.propertyNames().stream()
                .filter(n -> n.endsWith("embed_tokens.weight"))
                .toList();
        if (names.size() != 1) {
            throw new AssertionError("one embedding is expected, found " + names);
        }
        JsonNode embedding = tensors.get(names.getFirst());
        if (!embedding.get("dtype").asString().equals("BF16")) {
            throw new AssertionError("the bundled model is bfloat16, found " + embedding);
        }
        int columns = embedding.get("shape").get(1).intValue();
        long begin = embedding.get("data_offsets").get(0).longValue();
        int row = Math.toIntExact(8 + header + begin + 2L * NAN_TOKEN * columns);
        for (int i = 0; i < columns; i++) {
            bytes.putShort(row + 2 * i, NAN_BF16);
        }
        Files.write(to, content);
    }
}
