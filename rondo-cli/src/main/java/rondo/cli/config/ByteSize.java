package rondo.cli.config;

import java.util.OptionalLong;

/** Sizes on the command line, spelt as in the configuration file: {@code 160GiB}, all units binary. */
public final class ByteSize {
    private ByteSize() {}

    /** Bytes; empty for text that is no size. */
    public static OptionalLong parse(String text) {
        return Scalars.isInteger(text) ? Scalars.integer(text) : Scalars.size(text);
    }

    /** Bytes in the greatest unit that divides them. */
    public static String show(long bytes) {
        return Scalars.showSize(bytes);
    }
}
