package rondo.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import rondo.base.Seeds;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvSpec;

/** A page that was on the host is the page that was stored, bit by bit, in every type and layout (R027 of the user reports). */
class RoundTripTest {
    private static final int DEVICE_PAGES = 5;
    private static final int HOST_PAGES = 4;

    @ParameterizedTest
    @EnumSource
    void devicePagesComeBackFromTheHostWithTheSameBits(ElementType type) {
        Seeds.forEach(12, random -> {
            KvSpec spec = new KvSpec(
                    type,
                    2 << random.nextInt(6),
                    List.of(
                            new KvSpec.Group(
                                    1 + random.nextInt(3), 1 + random.nextInt(3), 2 + 2 * random.nextInt(40), 0),
                            new KvSpec.Group(1, 2, 16 << random.nextInt(4), 64)));
            try (CpuKv kv = new CpuKv(
                    spec,
                    new int[] {DEVICE_PAGES + HOST_PAGES, DEVICE_PAGES + HOST_PAGES},
                    2,
                    4 * spec.tokensPerBlock())) {
                for (int group = 0; group < 2; group++) {
                    roundTrip(kv, group, random);
                }
            }
        });
    }

    private static void roundTrip(CpuKv kv, int group, SplittableRandom random) {
        for (int page = 0; page < DEVICE_PAGES + HOST_PAGES; page++) {
            fill(page(kv, group, page), random);
        }
        int source = 1 + random.nextInt(DEVICE_PAGES - 1);
        int host = DEVICE_PAGES + random.nextInt(HOST_PAGES);
        int target = 1 + random.nextInt(DEVICE_PAGES - 1);
        byte[] stored = bytes(kv, group, source);
        byte[][] others = new byte[DEVICE_PAGES + HOST_PAGES][];
        for (int page = 0; page < others.length; page++) {
            others[page] = bytes(kv, group, page);
        }
        kv.copyPage(group, source, host);
        fill(page(kv, group, source), random);
        others[source] = bytes(kv, group, source);
        kv.copyPage(group, host, target);
        assertThat(bytes(kv, group, host)).isEqualTo(stored);
        assertThat(bytes(kv, group, target)).isEqualTo(stored);
        for (int page = 0; page < others.length; page++) {
            if (page != host && page != target) {
                assertThat(bytes(kv, group, page)).as("page %d", page).isEqualTo(others[page]);
            }
        }
    }

    private static MemorySegment page(CpuKv kv, int group, int page) {
        long begin = kv.keys(group, page, 0, 0);
        return kv.segment(group).asSlice(begin, kv.keys(group, page + 1, 0, 0) - begin);
    }

    private static byte[] bytes(CpuKv kv, int group, int page) {
        return page(kv, group, page).toArray(ValueLayout.JAVA_BYTE);
    }

    /** All bit patterns, those of NaNs among them. */
    private static void fill(MemorySegment page, SplittableRandom random) {
        byte[] noise = new byte[(int) page.byteSize()];
        random.nextBytes(noise);
        MemorySegment.copy(noise, 0, page, ValueLayout.JAVA_BYTE, 0, noise.length);
    }
}
