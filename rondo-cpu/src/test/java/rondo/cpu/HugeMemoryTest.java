package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import rondo.base.UserError;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvSpec;

class HugeMemoryTest {
    private static final long SIZE = 200L << 20;

    @Test
    void piecesAreZeroedAlignedAndApart() {
        try (HugeMemory memory = new HugeMemory()) {
            MemorySegment last = MemorySegment.NULL;
            for (long size : new long[] {1, 64, 65, 1 << 20, 20 << 20, 30 << 20, 100 << 20, 7}) {
                MemorySegment piece = memory.piece(size);
                assertThat(piece.byteSize()).isGreaterThanOrEqualTo(size);
                assertThat(piece.address() % 64).isZero();
                assertThat(piece.get(ValueLayout.JAVA_BYTE, size - 1)).isZero();
                assertThat(piece.asOverlappingSlice(last)).isEmpty();
                piece.set(ValueLayout.JAVA_BYTE, size - 1, (byte) 1);
                last = piece;
            }
        }
    }

    @Test
    void closeGivesTheMemoryBack() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/statm")), "skipped: no /proc/self/statm here");
        HugeMemory memory = new HugeMemory();
        MemorySegment piece = memory.piece(SIZE);
        long before = resident();
        piece.fill((byte) 1);
        long filled = resident();
        assertThat(filled - before).isGreaterThan(SIZE * 9 / 10);
        memory.close();
        memory.close();
        assertThat(filled - resident()).isGreaterThan(SIZE * 9 / 10);
        assertThatThrownBy(() -> piece.get(ValueLayout.JAVA_BYTE, 0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aDeviceGivesBackWeightsAndPages() throws IOException {
        assumeTrue(Files.exists(Path.of("/proc/self/statm")), "skipped: no /proc/self/statm here");
        CpuDevice device = new CpuDevice(2);
        KvSpec spec = new KvSpec(ElementType.BF16, 32, List.of(new KvSpec.Group(4, 8, 128, 0)));
        int pages = (int) (SIZE / spec.pageBytes(0));
        CpuKv kv = (CpuKv) device.kv(spec, new int[] {pages}, 1, 64);
        kv.segment(0).fill((byte) 1);
        long filled = resident();
        device.close();
        device.close();
        assertThat(filled - resident()).isGreaterThan(SIZE * 9 / 10);
    }

    @Test
    void whatTheSystemRefusesIsOneClearLine() {
        try (HugeMemory memory = new HugeMemory()) {
            assertThatThrownBy(() -> memory.piece(1L << 60))
                    .isInstanceOf(UserError.class)
                    .hasMessageContaining("the system refused");
        }
    }

    @Test
    void aContainersLimitBoundsWhatIsFree(@TempDir Path root) throws IOException {
        write(root, "proc/meminfo", "MemTotal: 9 kB\nMemAvailable:   1000000 kB\n");
        FreeMemory free = new FreeMemory(root);
        assertThat(free.bytes(0)).isEqualTo(1_024_000_000);
        assertThat(free.bytes(24_000_000)).isEqualTo(1_000_000_000);
        write(root, "sys/fs/cgroup/memory.max", "max\n");
        write(root, "sys/fs/cgroup/memory.current", "500000000\n");
        assertThat(free.bytes(0)).isEqualTo(1_024_000_000);
        write(root, "sys/fs/cgroup/memory.max", "900000000\n");
        assertThat(free.bytes(0)).isEqualTo(400_000_000);
        write(root, "sys/fs/cgroup/memory.stat", "anon 5\ninactive_file 100000000\n");
        assertThat(free.bytes(0)).isEqualTo(500_000_000);
        write(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "300000000\n");
        write(root, "sys/fs/cgroup/memory/memory.usage_in_bytes", "100000000\n");
        assertThat(free.bytes(0)).isEqualTo(200_000_000);
        assertThat(free.bytes(1L << 40)).isZero();
    }

    private static void write(Path root, String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text);
    }

    private static long resident() throws IOException {
        return Long.parseLong(Files.readString(Path.of("/proc/self/statm")).split(" ")[1]) * 4096;
    }
}
