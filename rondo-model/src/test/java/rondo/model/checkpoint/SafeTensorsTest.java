package rondo.model.checkpoint;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import rondo.base.Seeds;
import rondo.base.UserError;

class SafeTensorsTest {
    private static final String GOOD = """
            {"b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}, "__metadata__": {"format": "pt"},
             "a": {"dtype": "BF16", "shape": [1, 2], "data_offsets": [0, 4]},
             "none": {"dtype": "I64", "shape": [0, 5], "data_offsets": [12, 12]}}
            """;

    @TempDir
    private Path directory;

    private Path file;

    @BeforeEach
    void chooseFile() {
        file = directory.resolve("model.safetensors");
    }

    @Test
    void tensorsAreSlicesOfTheFileInTheOrderOfTheirBytes() throws IOException {
        write(GOOD, 12);
        try (Arena arena = Arena.ofConfined()) {
            Map<String, StoredTensor> tensors = SafeTensors.open(file, arena);
            assertThat(tensors.keySet()).containsExactly("a", "b", "none");
            assertThat(tensors.get("a").shape()).containsExactly(1L, 2L);
            assertThat(tensors.get("a").type()).isEqualTo(StoredType.BF16);
            assertThat(tensors.get("b").bytes().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                    .containsExactly(4, 5, 6, 7, 8, 9, 10, 11);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}|3|truncated: tensor a ends at byte 4 of the data, but only 3 bytes are there",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}|9|the tensors end at byte 4 of the data, but it has 9 bytes",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}|6|tensor a leaves a hole before it: begins at 2, expected 0",
                "{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]},\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[3,7]}}|7|tensor b overlaps the tensor before it: begins at 3, expected 4",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}|4|tensor a: data_offsets [0,4] do not span the 8 bytes of F32 [2]",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,0]}}|4|tensor a: data_offsets [4,0] do not span the 4 bytes",
                "{\"a\":{\"dtype\":\"F12\",\"shape\":[1],\"data_offsets\":[0,4]}}|4|tensor a: unknown dtype \"F12\"",
                "{\"a\":{\"shape\":[1],\"data_offsets\":[0,4]}}|4|tensor a: unknown dtype",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":7,\"data_offsets\":[0,4]}}|4|tensor a: shape must be a list, got 7",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]}}|4|tensor a: shape must hold whole numbers >= 0, got -1",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1.5],\"data_offsets\":[0,4]}}|4|tensor a: shape must hold whole numbers >= 0, got 1.5",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,4]}}|4|tensor a: shape [4294967296,4294967296] is too large",
                "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0]}}|4|tensor a: data_offsets must be [begin, end], got [0]",
                "{\"a\":7}|4|tensor a: unknown dtype",
                "[1]|4|the header is not a JSON object",
                "{\"a\":|4|the header is not valid JSON",
                "{} {}|0|the header is not valid JSON",
                "{\"__metadata__\":{\"n\":1}}|0|__metadata__ must be an object of strings",
                "{\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}|1|the header is not valid JSON: Duplicate",
            })
    void aFaultyHeaderIsOneLineWithTheFileAndWhatIsWrong(String header, int dataBytes, String message)
            throws IOException {
        write(header, dataBytes);
        assertFault(message);
    }

    @Test
    void aFileCutAnywhereIsOneLine() throws IOException {
        write(GOOD, 12);
        byte[] whole = Files.readAllBytes(file);
        for (int n = 0; n < whole.length; n++) {
            Files.write(file, java.util.Arrays.copyOf(whole, n));
            assertFault("");
        }
        Files.write(file, new byte[5]);
        assertFault("truncated: 5 bytes, but a safetensors file starts with 8 bytes of length");
        Files.write(file, longs(100, 0));
        assertFault("truncated: the header is 100 bytes long, but only 8 bytes follow");
        Files.write(file, longs(200_000_000, 0));
        assertFault("not a safetensors file: header length 200000000 is not within 2 to 100000000");
        Files.write(file, longs(-1, 0));
        assertFault("not a safetensors file: header length 18446744073709551615");
    }

    @Test
    void anyBytesGiveTensorsOrOneLine() {
        Seeds.forEach(1000, random -> {
            byte[] header = mutate(GOOD, random);
            ByteBuffer bytes = ByteBuffer.allocate(8 + header.length + 12).order(ByteOrder.LITTLE_ENDIAN);
            bytes.putLong(random.nextInt(8) == 0 ? random.nextLong() >>> random.nextInt(64) : header.length);
            bytes.put(header);
            Files.write(
                    file,
                    java.util.Arrays.copyOf(
                            bytes.array(),
                            random.nextInt(6) == 0 ? random.nextInt(bytes.capacity()) : bytes.capacity()));
            try (Arena arena = Arena.ofConfined()) {
                SafeTensors.open(file, arena);
            } catch (UserError e) {
                assertThat(e.getMessage()).startsWith("model: " + file + ": ").doesNotContain("\n");
                assertThat(e.exitCode()).isEqualTo(UserError.MODEL);
            }
        });
    }

    /** Replaces, cuts or repeats stretches of a text, some with what a header's grammar cares for. */
    private static byte[] mutate(String text, SplittableRandom random) {
        List<String> pieces = List.of(
                "{",
                "}",
                "[",
                "]",
                ",",
                ":",
                "\"",
                "-1",
                "1e99",
                "9223372036854775807",
                "99999999999999999999",
                "null",
                "\u0000",
                "\"dtype\"",
                "[[[[",
                "é",
                "\\u0000",
                "true");
        StringBuilder out = new StringBuilder(text);
        for (int n = random.nextInt(1, 5); n > 0 && !out.isEmpty(); n--) {
            int at = random.nextInt(out.length());
            int end = Math.min(out.length(), at + random.nextInt(6));
            switch (random.nextInt(4)) {
                case 0 -> out.delete(at, end);
                case 1 -> out.insert(at, out.substring(at, end));
                case 2 -> out.replace(at, end, pieces.get(random.nextInt(pieces.size())));
                default -> out.setCharAt(at, (char) random.nextInt(256));
            }
        }
        return out.toString().getBytes(random.nextBoolean() ? UTF_8 : java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private void assertFault(String message) {
        try (Arena arena = Arena.ofConfined()) {
            assertThatThrownBy(() -> SafeTensors.open(file, arena))
                    .isInstanceOf(UserError.class)
                    .hasMessageStartingWith("model: " + file + ": " + message)
                    .hasMessageNotContaining("\n");
        }
    }

    private void write(String header, int dataBytes) throws IOException {
        byte[] json = header.getBytes(UTF_8);
        ByteBuffer out = ByteBuffer.allocate(8 + json.length + dataBytes).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(json.length).put(json);
        for (int i = 0; i < dataBytes; i++) {
            out.put((byte) i);
        }
        Files.write(file, out.array());
    }

    private static byte[] longs(long a, long b) {
        return ByteBuffer.allocate(16)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(a)
                .putLong(b)
                .array();
    }
}
