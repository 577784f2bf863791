package rondo.server;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The keys that open the server; looking one up takes the same time whichever it is, and whether it is one. */
final class ApiKeys {
    private final List<byte[]> digests;

    ApiKeys(List<String> keys) {
        digests = keys.stream().map(ApiKeys::digest).toList();
    }

    /** Whether the header's value is good, or none is needed. */
    boolean accept(@Nullable String authorization) {
        if (digests.isEmpty()) {
            return true;
        }
        if (authorization == null
                || authorization.length() < 7
                || !authorization.substring(0, 7).toLowerCase(Locale.ROOT).equals("bearer ")) {
            return false;
        }
        byte[] given = digest(authorization.substring(7).strip());
        boolean found = false;
        for (byte[] one : digests) {
            found |= MessageDigest.isEqual(one, given);
        }
        return found;
    }

    private static byte[] digest(String key) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
