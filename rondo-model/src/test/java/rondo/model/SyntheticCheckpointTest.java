package rondo.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.model.compute.ElementType;

class SyntheticCheckpointTest {
    @Test
    void theHashGivesItsPublishedNumbers() {
        assertThat(Integer.toUnsignedLong(SyntheticCheckpoint.mix(0))).isZero();
        assertThat(Integer.toUnsignedLong(SyntheticCheckpoint.mix(1))).isEqualTo(1753845952L);
        assertThat(Integer.toUnsignedLong(SyntheticCheckpoint.mix(2))).isEqualTo(3507691905L);
        assertThat(Integer.toUnsignedLong(SyntheticCheckpoint.mix(1000003))).isEqualTo(3402353639L);
    }

    @Test
    void whatIsWrittenIsABalancedCheckpointOfItsType(@TempDir Path directory) {
        SyntheticCheckpoint.Shape shape = new SyntheticCheckpoint.Shape(64, 3, 4, 2, 16, 96, 200, true, 64, 512);
        for (ElementType type : ElementType.values()) {
            SyntheticCheckpoint.write(directory, shape, type);
            Inspection seen = ModelLoader.inspect(directory, ModelOptions.defaults());
            assertThat(seen.ledger().balanced()).isTrue();
            assertThat(seen.bytes()).isEqualTo(seen.parameters() * type.bytes());
            assertThat(seen.spec().tiedHead()).isTrue();
            assertThat(seen.dtype().element()).isEqualTo(type);
        }
    }
}
