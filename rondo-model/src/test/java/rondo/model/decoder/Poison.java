package rondo.model.decoder;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import rondo.base.Json;

/** Makes a token of a float32 checkpoint poisonous: whoever sees its K and V gets NaN logits. */
final class Poison {
    private Poison() {}

    /** Overwrites one row of the embedding with NaNs. */
    static void token(Path model, int id, int hidden) {
        try {
            Path file = model.resolve("model.safetensors");
            ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
            int header = (int) bytes.getLong(0);
            long begin = Json.mapper()
                    .readTree(new String(bytes.array(), 8, header, UTF_8))
                    .get("model.language_model.embed_tokens.weight")
                    .get("data_offsets")
                    .get(0)
                    .longValue();
            float[] nans = new float[hidden];
            Arrays.fill(nans, Float.NaN);
            bytes.position(Math.toIntExact(8 + header + begin + 4L * id * hidden));
            bytes.asFloatBuffer().put(nans);
            Files.write(file, bytes.array());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
