package rondo.model.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DummyTensorsTest {
    private static final List<TensorShape> SHAPES =
            List.of(new TensorShape("a", List.of(300L, 40L)), new TensorShape("b", List.of(7L)));

    @TempDir
    Path directory;

    private static float value(MemorySegment bytes, StoredType type, int index) {
        return switch (type) {
            case F32 -> bytes.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 4L * index);
            case F16 -> Float.float16ToFloat(bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * index));
            default -> Float.intBitsToFloat(bytes.get(ValueLayout.JAVA_SHORT_UNALIGNED, 2L * index) << 16);
        };
    }

    @ParameterizedTest
    @CsvSource({"float32, F32", "float16, F16", "bfloat16, BF16"})
    void theyAreSmallNumbersOfTheConfiguredTypeAndTheSameEveryTime(String dtype, StoredType type) throws IOException {
        Files.writeString(directory.resolve("config.json"), "{\"dtype\":\"" + dtype + "\"}");
        try (Checkpoint one = Checkpoint.dummy(directory, config -> SHAPES);
                Checkpoint two = Checkpoint.dummy(directory, config -> SHAPES)) {
            assertThat(one.names()).containsExactly("a", "b");
            for (TensorShape shape : SHAPES) {
                StoredTensor tensor = one.tensor(shape.name()).orElseThrow();
                assertThat(tensor.type()).isEqualTo(type);
                assertThat(tensor.shape()).isEqualTo(shape.shape());
                assertThat(tensor.bytes().byteSize()).isEqualTo(shape.elements() * type.bytes());
                assertThat(tensor.bytes()
                                .mismatch(two.tensor(shape.name()).orElseThrow().bytes()))
                        .isEqualTo(-1);
            }
            double squares = 0;
            MemorySegment bytes = one.tensor("a").orElseThrow().bytes();
            for (int i = 0; i < 12_000; i++) {
                float x = value(bytes, type, i);
                assertThat(Math.abs(x)).isLessThan(0.035f);
                squares += x * x;
            }
            assertThat(Math.sqrt(squares / 12_000)).isBetween(0.019, 0.021);
            assertThat(one.tensor("b").orElseThrow().bytes().mismatch(bytes))
                    .as("another stretch")
                    .isLessThan(4);
        }
    }
}
