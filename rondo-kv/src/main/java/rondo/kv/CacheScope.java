package rondo.kv;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/** Who may share cached blocks: nobody's salt, or one salt. The salt itself is not kept, and never printed. */
public final class CacheScope {
    private static final CacheScope UNSALTED = new CacheScope(new byte[] {0});

    private final byte[] bytes;

    private CacheScope(byte[] bytes) {
        this.bytes = bytes;
    }

    public static CacheScope unsalted() {
        return UNSALTED;
    }

    /** The scope of one {@code cache_salt}: {@code 02 ‖ SHA-256(salt)}. */
    public static CacheScope salted(String salt) {
        byte[] digest = sha256().digest(salt.getBytes(StandardCharsets.UTF_8));
        byte[] bytes = new byte[1 + digest.length];
        bytes[0] = 2;
        System.arraycopy(digest, 0, bytes, 1, digest.length);
        return new CacheScope(bytes);
    }

    boolean isSalted() {
        return bytes.length > 1;
    }

    /** The bytes whose SHA-256 is the key of the root. */
    byte[] bytes() {
        return bytes;
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof CacheScope s && Arrays.equals(s.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return isSalted() ? "CacheScope[salted]" : "CacheScope[unsalted]";
    }
}
