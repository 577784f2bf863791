package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import rondo.model.compute.ElementType;

/** The kernels on machines with narrower vectors, in a Java process that is told so. */
class NarrowVectorsTest {
    @ParameterizedTest
    @ValueSource(ints = {128, 256})
    void narrowerVectorsPassTheSameChecks(int bits) throws IOException, InterruptedException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx512m",
                        "-XX:MaxVectorSize=" + bits / 8,
                        "--add-modules=jdk.incubator.vector",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        classPath,
                        NarrowVectorsTest.class.getName())
                .redirectErrorStream(true)
                .start();
        String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(child.waitFor()).as(output).isZero();
        // a machine whose own vectors are narrower still has run its own width, which is as good
        assertThat(output).contains("passed with " + Math.min(bits, Lanes.COUNT * 32) + " bits");
    }

    /** The checks of the other tests, in this process. */
    public static void main(String[] args) {
        SplittableRandom random = new SplittableRandom(4);
        try (CpuDevice device = new CpuDevice(2)) {
            for (int rows = 1; rows <= 14; rows++) {
                ElementType type = ElementType.values()[rows % 3];
                MatrixProductTest.check(device, random, type, rows, 1 + random.nextInt(90), 1 + random.nextInt(60));
            }
        }
        AttentionTest.checkSome(4);
        System.out.println("passed with " + Lanes.COUNT * 32 + " bits");
    }
}
