package rondo.base;

import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/** Random names for requests, tool calls and runs; unguessable is not their job. */
public final class Ids {
    private static final char[] BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".toCharArray();

    private Ids() {}

    /** {@code digits} random lower-case hexadecimal digits. */
    public static String hex(int digits) {
        byte[] bytes = new byte[(digits + 1) / 2];
        ThreadLocalRandom.current().nextBytes(bytes);
        return HexFormat.of().formatHex(bytes).substring(0, digits);
    }

    /** {@code length} random characters of 0-9, A-Z, a-z. */
    public static String base62(int length) {
        char[] out = new char[length];
        for (int i = 0; i < length; i++) {
            out[i] = BASE62[ThreadLocalRandom.current().nextInt(BASE62.length)];
        }
        return new String(out);
    }
}
