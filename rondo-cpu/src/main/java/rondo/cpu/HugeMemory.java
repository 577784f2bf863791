package rondo.cpu;

import java.lang.foreign.AddressLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.UserError;

/**
 * Zeroed memory outside the heap, on huge pages where Linux grants them (measured: 48 → 63 GB/s of reading), else on
 * ordinary ones. Small pieces are cut from big chunks, so that they share huge pages too.
 */
final class HugeMemory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HugeMemory.class);
    private static final long HUGE_PAGE = 2L << 20;
    private static final long CHUNK = 32L << 20;
    private static final int READ_WRITE = 3;
    private static final int PRIVATE_ANONYMOUS = 0x22;
    private static final int ADVICE_HUGE_PAGE = 14;

    private final Arena arena = Arena.ofShared();
    private final Optional<Native> system = Native.find();
    private MemorySegment rest = MemorySegment.NULL;
    private long mapped;

    /** A piece of a chunk, aligned to 64 bytes; lives until {@link #close}. */
    MemorySegment piece(long bytes) {
        long size = (bytes + 63) & -64;
        if (size >= CHUNK / 2) {
            return map(size);
        }
        if (rest.byteSize() < size) {
            rest = map(CHUNK);
        }
        MemorySegment piece = rest.asSlice(0, size);
        rest = rest.asSlice(size);
        return piece;
    }

    /** Bytes mapped so far. */
    long mapped() {
        return mapped;
    }

    private MemorySegment map(long bytes) {
        long size = bytes + HUGE_PAGE - 1 & -HUGE_PAGE;
        MemorySegment segment = system.isPresent() ? system.get().map(size, arena) : allocate(size);
        mapped += size;
        return segment;
    }

    private MemorySegment allocate(long size) {
        try {
            return arena.allocate(size, 64);
        } catch (OutOfMemoryError e) {
            throw outOfMemory(size, e);
        }
    }

    private static UserError outOfMemory(long size, Throwable cause) {
        return new UserError(
                UserError.MEMORY, "memory: the system refused " + (size >> 20) + " MiB for weights or KV pages", cause);
    }

    /** Gives everything back; no piece may be used afterwards. A second call does nothing. */
    @Override
    public void close() {
        if (!arena.scope().isAlive()) {
            return;
        }
        arena.close();
        rest = MemorySegment.NULL;
        mapped = 0;
    }

    /** mmap, munmap and madvise of Linux. */
    private record Native(MethodHandle mmap, MethodHandle munmap, MethodHandle madvise) {
        static Optional<Native> find() {
            if (!System.getProperty("os.name", "").startsWith("Linux")) {
                return Optional.empty();
            }
            AddressLayout pointer = ValueLayout.ADDRESS;
            ValueLayout.OfLong size = ValueLayout.JAVA_LONG;
            ValueLayout.OfInt number = ValueLayout.JAVA_INT;
            try {
                return Optional.of(new Native(
                        handle("mmap", FunctionDescriptor.of(pointer, pointer, size, number, number, number, size)),
                        handle("munmap", FunctionDescriptor.of(number, pointer, size)),
                        handle("madvise", FunctionDescriptor.of(number, pointer, size, number))));
            } catch (RuntimeException e) {
                LOG.info("huge pages: not used, no native access reason=\"{}\"", e.getMessage());
                return Optional.empty();
            }
        }

        private static MethodHandle handle(String name, FunctionDescriptor type) {
            Linker linker = Linker.nativeLinker();
            return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), type);
        }

        /** Anonymous memory that begins at a huge page: maps one page more than asked and gives the edges back. */
        MemorySegment map(long size, Arena arena) {
            try {
                long wide = Math.addExact(size, HUGE_PAGE);
                MemorySegment got = (MemorySegment)
                        mmap.invokeExact(MemorySegment.NULL, wide, READ_WRITE, PRIVATE_ANONYMOUS, -1, 0L);
                if (got.address() == -1L) {
                    throw outOfMemory(size, new OutOfMemoryError("mmap"));
                }
                long begin = got.address() + HUGE_PAGE - 1 & -HUGE_PAGE;
                unmap(got.address(), begin - got.address());
                unmap(begin + size, got.address() + wide - begin - size);
                MemorySegment segment =
                        MemorySegment.ofAddress(begin).reinterpret(size, arena, whole -> unmap(whole.address(), size));
                int ignored = (int) madvise.invokeExact(segment, size, ADVICE_HUGE_PAGE); // a wish: works without
                return segment;
            } catch (UserError e) {
                throw e;
            } catch (Throwable e) {
                throw new IllegalStateException("mmap of " + size + " bytes failed", e);
            }
        }

        private void unmap(long address, long size) {
            if (size == 0) {
                return;
            }
            try {
                int ignored = (int) munmap.invokeExact(MemorySegment.ofAddress(address), size);
            } catch (Throwable e) {
                throw new IllegalStateException("munmap failed", e);
            }
        }
    }
}
