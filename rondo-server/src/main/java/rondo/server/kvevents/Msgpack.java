package rondo.server.kvevents;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes the part of MessagePack that events need, each value in its shortest form (msgpack.org, format family). */
final class Msgpack {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream(4096);

    /** What was written; the writer is empty again. */
    byte[] take() {
        byte[] bytes = out.toByteArray();
        out.reset();
        return bytes;
    }

    Msgpack array(int size) {
        return head(size, 0x90, 16, 0xdc, 0xdd);
    }

    Msgpack map(int size) {
        return head(size, 0x80, 16, 0xde, 0xdf);
    }

    Msgpack nil() {
        out.write(0xc0);
        return this;
    }

    Msgpack real(double value) {
        out.write(0xcb);
        return bytes(Double.doubleToRawLongBits(value), 8);
    }

    Msgpack text(String value) {
        byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
        if (utf8.length < 32) {
            out.write(0xa0 | utf8.length);
        } else if (utf8.length < 1 << 8) {
            out.write(0xd9);
            out.write(utf8.length);
        } else {
            throw new IllegalArgumentException("no text of an event is so long: " + utf8.length);
        }
        out.writeBytes(utf8);
        return this;
    }

    Msgpack number(long value) {
        if (value >= 0) {
            return notNegative(value);
        }
        if (value >= -32) {
            out.write((int) value);
        } else if (value >= Byte.MIN_VALUE) {
            out.write(0xd0);
            bytes(value, 1);
        } else if (value >= Short.MIN_VALUE) {
            out.write(0xd1);
            bytes(value, 2);
        } else if (value >= Integer.MIN_VALUE) {
            out.write(0xd2);
            bytes(value, 4);
        } else {
            out.write(0xd3);
            bytes(value, 8);
        }
        return this;
    }

    private Msgpack notNegative(long value) {
        if (value < 1 << 7) {
            out.write((int) value);
        } else if (value < 1 << 8) {
            out.write(0xcc);
            bytes(value, 1);
        } else if (value < 1 << 16) {
            out.write(0xcd);
            bytes(value, 2);
        } else if (value < 1L << 32) {
            out.write(0xce);
            bytes(value, 4);
        } else {
            out.write(0xcf);
            bytes(value, 8);
        }
        return this;
    }

    private Msgpack head(int size, int small, int smallLimit, int two, int four) {
        if (size < smallLimit) {
            out.write(small | size);
        } else if (size < 1 << 16) {
            out.write(two);
            bytes(size, 2);
        } else {
            out.write(four);
            bytes(size, 4);
        }
        return this;
    }

    private Msgpack bytes(long value, int count) {
        for (int shift = 8 * (count - 1); shift >= 0; shift -= 8) {
            out.write((int) (value >>> shift));
        }
        return this;
    }
}
