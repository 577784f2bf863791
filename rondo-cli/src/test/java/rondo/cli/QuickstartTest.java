package rondo.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class QuickstartTest {
    @Test
    void theBundledModelsServerKeepsWindowsForItsAgentsEdits() {
        var kv = Quickstart.request(Path.of("m"), true).config().kv();
        assertThat(kv.poolRatio()).containsExactly(0.5, 0.5);
        assertThat(kv.endpointRewind()).isZero();
    }

    @Test
    void anotherModelIsServedWithTheDefaults() {
        var kv = Quickstart.request(Path.of("m"), false).config().kv();
        assertThat(kv.poolRatio()).isEmpty();
        assertThat(kv.endpointRewind()).isPositive();
    }
}
