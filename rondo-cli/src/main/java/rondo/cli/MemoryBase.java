package rondo.cli;

import rondo.cli.config.ServeConfig;
import rondo.engine.spi.MemoryBudget;

/**
 * The memory that a plan is made for, weights and step buffers already taken off.
 *
 * @param base   bytes of which {@code free_gpu_memory_fraction} is a share
 * @param budget what there is in all
 * @param real   whether it is this machine's: then nothing may be asked for that it lacks
 */
record MemoryBase(long base, MemoryBudget budget, boolean real) {
    /** Share of the available memory that is the base on a CPU, where nothing else is said. */
    static final double CPU_SHARE = 0.25;

    /** This machine, computing on the CPU. */
    static MemoryBase ofCpu(ServeConfig config, MemoryBudget budget) {
        long base = config.cpu().kvBase().orElse((long) (budget.deviceBytes() * CPU_SHARE));
        return new MemoryBase(base, budget, true);
    }

    /** A device that need not be here; what its host has is not asked. */
    static MemoryBase ofDevice(long freeBytes) {
        long free = Math.max(0, freeBytes);
        return new MemoryBase(free, new MemoryBudget(free, Long.MAX_VALUE), false);
    }

    /** Fails where {@code rondo.cpu_kv_base} is more than there is. */
    void check(ServeConfig config) {
        if (real && base > budget.deviceBytes()) {
            throw config.mustBe(
                    "rondo.cpu_kv_base",
                    "<= " + budget.deviceBytes() + " (bytes free after the weights and the largest step)");
        }
    }

    /** Most bytes of a host tier beside so many of the device's. */
    long mostHostBytes(long deviceBytes) {
        return budget.hostBytesBeside(deviceBytes);
    }
}
