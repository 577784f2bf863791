package rondo.cli.config;

import java.util.Locale;
import java.util.OptionalLong;

/** Bytes as people write and read them: {@code 160GiB} as in the configuration file, all units binary. */
public final class ByteSize {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

    private ByteSize() {}

    /** Bytes; empty for text that is no size. */
    public static OptionalLong parse(String text) {
        return Scalars.isInteger(text) ? Scalars.integer(text) : Scalars.size(text);
    }

    /** Bytes in the greatest unit that divides them. */
    public static String show(long bytes) {
        return Scalars.showSize(bytes);
    }

    /** Exact where a unit divides it ({@code 160 GiB}, {@code 1000 B}). */
    static String exact(long bytes) {
        int unit = 0;
        long n = bytes;
        while (n != 0 && n % 1024 == 0 && unit < UNITS.length - 1) {
            n /= 1024;
            unit++;
        }
        return n + " " + UNITS[unit];
    }

    /** The greatest whole number of the greatest unit that is not above it ({@code 98 GiB}). */
    static String atMost(long bytes) {
        int unit = 0;
        long n = bytes;
        while (n >= 1024 && unit < UNITS.length - 1) {
            n /= 1024;
            unit++;
        }
        return n + " " + UNITS[unit];
    }

    /** To one decimal: {@code 8.0 GiB}; MiB below half a GiB, and bytes below a KiB. */
    public static String rounded(long bytes) {
        if (bytes < 1024) {
            return bytes + " B";
        }
        if (bytes < 1L << 19) {
            return String.format(Locale.ROOT, "%.1f KiB", bytes / 1024.0);
        }
        return bytes >= 1L << 29
                ? String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30))
                : String.format(Locale.ROOT, "%.1f MiB", bytes / (double) (1L << 20));
    }
}
