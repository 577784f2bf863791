package rondo.cpu;

import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.model.compute.Device;
import rondo.model.compute.scalar.ScalarDevice;

/** Opens the processor as a device: with vectors where the Java runtime has them, else number by number. */
public final class Cpu {
    private static final Logger LOG = LoggerFactory.getLogger(Cpu.class);
    private static final String MODULE = "jdk.incubator.vector";

    private Cpu() {}

    /** @param threads workers in all, the calling thread (the engine's) included */
    public static Device open(int threads) {
        return open(threads, ModuleLayer.boot().findModule(MODULE).isPresent());
    }

    /** Bytes that this process may still take, as far as the system tells. */
    public static long freeBytes() {
        Runtime runtime = Runtime.getRuntime();
        return new FreeMemory(Path.of("/")).bytes(runtime.maxMemory() - runtime.totalMemory());
    }

    static Device open(int threads, boolean vectors) {
        if (vectors) {
            return new CpuDevice(threads, true);
        }
        LOG.warn("cpu: no vector kernels, computing number by number: start java with --add-modules={}", MODULE);
        return new ScalarDevice();
    }
}
