package rondo.server;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The keys that open the server; looking one up takes the same time whichever it is, and whether it is one. */
final class ApiKeys {
    private static final String BEARER = "bearer ";

    private final boolean needed;
    private final List<byte[]> fixed;
    private volatile List<byte[]> fromFile;

    /**
     * @param fixed    of the configuration and the environment
     * @param fromFile of the key file
     */
    ApiKeys(List<String> fixed, List<String> fromFile) {
        this.fixed = digests(fixed);
        this.fromFile = digests(fromFile);
        this.needed = !fixed.isEmpty() || !fromFile.isEmpty();
    }

    /** The key file has other keys now; whether a key is needed at all was settled at the start. */
    void replaceFileKeys(List<String> keys) {
        fromFile = digests(keys);
    }

    /**
     * Whether one of the headers brings a good key, or none is needed.
     *
     * @param authorization {@code Authorization}, of which {@code Bearer} is read
     * @param bare          {@code X-Api-Key}, which clients of Anthropic's API send
     */
    boolean accept(@Nullable String authorization, @Nullable String bare) {
        if (!needed) {
            return true;
        }
        String given = bearer(authorization);
        return isKey(given != null ? given : bare);
    }

    private static @Nullable String bearer(@Nullable String authorization) {
        boolean is = authorization != null
                && authorization.length() > BEARER.length()
                && authorization
                        .substring(0, BEARER.length())
                        .toLowerCase(Locale.ROOT)
                        .equals(BEARER);
        return is && authorization != null
                ? authorization.substring(BEARER.length()).strip()
                : null;
    }

    private boolean isKey(@Nullable String given) {
        if (given == null) {
            return false;
        }
        byte[] digest = digest(given);
        boolean found = false;
        for (byte[] one : fixed) {
            found |= MessageDigest.isEqual(one, digest);
        }
        for (byte[] one : fromFile) {
            found |= MessageDigest.isEqual(one, digest);
        }
        return found;
    }

    private static List<byte[]> digests(List<String> keys) {
        return keys.stream().map(ApiKeys::digest).toList();
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
