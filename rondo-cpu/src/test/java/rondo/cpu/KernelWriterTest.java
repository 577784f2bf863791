package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;
import rondo.base.Shared;

class KernelWriterTest {
    @Test
    void theKernelsInTheSourceTreeAreWhatTheGeneratorWrites() throws IOException {
        String file = Files.readString(Shared.root().resolve("rondo-cpu").resolve(KernelWriter.OUTPUT));
        assertThat(file).isEqualTo(KernelWriter.write());
    }
}
