package rondo.engine.spi;

/**
 * Bytes that the KV cache may take per tier, after weights and the worst step.
 *
 * @param hostBytes with {@code oneMemory}: less what the device tier takes of it
 * @param oneMemory whether both tiers lie in the same memory, so that what one takes the other lacks
 */
public record MemoryBudget(long deviceBytes, long hostBytes, boolean oneMemory) {
    /** Host memory that a host tier leaves to everything else. */
    public static final long HOST_RESERVE_BYTES = 4L << 30;

    /** Two memories. */
    public MemoryBudget(long deviceBytes, long hostBytes) {
        this(deviceBytes, hostBytes, false);
    }

    /** One memory with so many bytes free. */
    public static MemoryBudget ofOneMemory(long freeBytes) {
        return new MemoryBudget(Math.max(0, freeBytes), Math.max(0, freeBytes - HOST_RESERVE_BYTES), true);
    }

    /** Most bytes of the host tier beside a device tier of that size. */
    public long hostBytesBeside(long deviceTierBytes) {
        return oneMemory ? Math.max(0, hostBytes - deviceTierBytes) : hostBytes;
    }
}
