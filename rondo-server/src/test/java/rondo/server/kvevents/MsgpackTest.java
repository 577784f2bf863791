package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessagePack;
import rondo.base.Seeds;

class MsgpackTest {
    /** Everywhere where a longer form begins. */
    private static final long[] EDGES = {
        0,
        1,
        127,
        128,
        255,
        256,
        65_535,
        65_536,
        0x7fff_ffffL,
        0xffff_ffffL,
        0x1_0000_0000L,
        Long.MAX_VALUE,
        -1,
        -32,
        -33,
        -128,
        -129,
        -32_768,
        -32_769,
        Integer.MIN_VALUE,
        Integer.MIN_VALUE - 1L,
        Long.MIN_VALUE
    };

    @Test
    void whatIsWrittenIsByteForByteWhatTheReferenceLibraryWrites() throws IOException {
        Seeds.forEach(50, random -> {
            try (MessageBufferPacker other = MessagePack.newDefaultBufferPacker()) {
                Msgpack own = new Msgpack();
                for (int i = 0; i < 200; i++) {
                    writeOne(random, own, other);
                }
                assertThat(own.take()).isEqualTo(other.toByteArray());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }

    private static void writeOne(SplittableRandom random, Msgpack own, MessageBufferPacker other) throws IOException {
        switch (random.nextInt(6)) {
            case 0 -> {
                long edge = EDGES[random.nextInt(EDGES.length)];
                own.number(edge);
                other.packLong(edge);
            }
            case 1 -> {
                long any = random.nextLong() >> random.nextInt(64);
                own.number(any);
                other.packLong(any);
            }
            case 2 -> {
                int size = IntStream.of(0, 15, 16, 65_535, 65_536, 100_000).toArray()[random.nextInt(6)];
                own.array(size);
                other.packArrayHeader(size);
            }
            case 3 -> {
                int size = IntStream.of(0, 15, 16, 300).toArray()[random.nextInt(4)];
                own.map(size);
                other.packMapHeader(size);
            }
            case 4 -> {
                String text = "é".repeat(random.nextInt(40));
                own.text(text).nil();
                other.packString(text).packNil();
            }
            default -> {
                double real = random.nextGaussian() * 1e9;
                own.real(real);
                other.packDouble(real);
            }
        }
    }
}
