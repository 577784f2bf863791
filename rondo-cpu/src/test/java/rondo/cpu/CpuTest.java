package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import rondo.model.compute.Device;
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
    void withoutTheModuleItComputesNumberByNumber() {
        try (Device device = Cpu.open(3, false)) {
            assertThat(device).isInstanceOf(ScalarDevice.class);
        }
    }
}
