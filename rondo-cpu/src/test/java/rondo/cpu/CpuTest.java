package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.model.compute.Device;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvSpec;
import rondo.model.compute.scalar.ScalarDevice;

class CpuTest {
    @Test
    void theVectorDeviceIsChosenWhereThereIsTheModule() {
        try (Device device = Cpu.open(3)) {
            assertThat(device).isInstanceOf(CpuDevice.class);
            assertThat(device.describe()).contains("threads=3").contains("vector_bits=");
            assertThat(device.freeBytes()).isPositive();
        }
    }

    @Test
    void closeEndsTheWarmUp() {
        Device device = Cpu.open(1);
        KvSpec spec = new KvSpec(ElementType.F32, 32, List.of(new KvSpec.Group(1, 1, 16, 0)));
        device.kv(spec, new int[] {2}, 1, 32);
        assertThat(warmUps()).isEqualTo(1);
        device.close();
        assertThat(warmUps()).isZero();
    }

    private static long warmUps() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(t -> t.getName().equals("rondo-warm-up"))
                .count();
    }

    @Test
    void withoutTheModuleItComputesNumberByNumber() {
        try (Device device = Cpu.open(3, false)) {
            assertThat(device).isInstanceOf(ScalarDevice.class);
        }
    }
}
