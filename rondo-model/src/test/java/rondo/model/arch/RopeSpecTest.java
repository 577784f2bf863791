package rondo.model.arch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import org.junit.jupiter.api.Test;

/** Frequencies against the numbers of models.md §3.2 and §6.3. */
class RopeSpecTest {
    @Test
    void plainFrequenciesFallFromOneByTheta() {
        float[] phi = new RopeSpec.Plain(10_000).frequencies(64);
        assertThat(phi).hasSize(32);
        assertThat(phi[0]).isEqualTo(1);
        assertThat(phi[16]).isEqualTo(0.01f);
        assertThat(new RopeSpec.None().frequencies(64)).isEmpty();
    }

    @Test
    void llama3KeepsFastFrequenciesDividesSlowOnesAndBlendsBetween() {
        float[] phi = new RopeSpec.Llama3(500_000, 8, 1, 4, 8192).frequencies(128);
        assertThat(phi[0]).isEqualTo(1);
        close(phi[28], 0.0032114460f);
        close(phi[29], 0.0021665708f);
        close(phi[30], 0.0013718936f);
        close(phi[32], 5.2484616e-4f);
        close(phi[34], 1.7850781e-4f);
        close(phi[35], 9.5562124e-5f);
        close(phi[63], 3.0689260e-7f);
    }

    @Test
    void yarnRampsBetweenItsTwoNumbersOfTurns() {
        float m = RopeSpec.Yarn.defaultAmplitude(32);
        assertThat(m).isEqualTo(1.3465735903f);
        RopeSpec yarn = new RopeSpec.Yarn(150_000, 32, 32, 1, 4096, false, m);
        float[] phi = yarn.frequencies(64);
        assertThat(yarn.amplitude()).isEqualTo(m);
        assertThat(phi[0]).isEqualTo(1);
        close(phi[8], 0.050813275f);
        close(phi[9], 0.031705696f);
        close(phi[12], 0.0067949595f);
        close(phi[16], 4.5648392e-4f);
        close(phi[17], 1.2931870e-4f);
        close(phi[18], 3.8308812e-5f);
        close(phi[31], 3.0235114e-7f);
    }

    private static void close(float got, float wanted) {
        assertThat(got).isCloseTo(wanted, withinPercentage(1e-5));
    }
}
