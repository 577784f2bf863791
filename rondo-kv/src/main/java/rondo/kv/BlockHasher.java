package rondo.kv;

import java.security.DigestException;
import java.security.MessageDigest;
import org.jspecify.annotations.Nullable;

/** Makes the keys of the tree: SHA-256 of a scope, and of a parent's key followed by a block's tokens. One thread's own. */
class BlockHasher {
    private final MessageDigest sha = CacheScope.sha256();
    private byte[] bytes = new byte[256];
    private @Nullable Sha256 own;

    /** From now on the keys of children are made without allocation, and more slowly. */
    BlockHasher withoutAllocation() {
        own = new Sha256();
        return this;
    }

    /** The key of a scope's root into {@code key} (32 bytes). */
    void root(CacheScope scope, byte[] key) {
        sha.update(scope.bytes());
        finish(key);
    }

    /** Replaces {@code key} (the parent's) by that of its child with the first {@code count} of {@code tokens}. */
    void child(byte[] key, int[] tokens, int count) {
        if (own != null) {
            own.child(key, tokens, count);
            return;
        }
        if (bytes.length < 4 * count) {
            bytes = new byte[4 * count];
        }
        for (int i = 0; i < count; i++) {
            KeyBytes.putIntLittleEndian(bytes, 4 * i, tokens[i]);
        }
        sha.update(key);
        sha.update(bytes, 0, 4 * count);
        finish(key);
    }

    private void finish(byte[] key) {
        try {
            sha.digest(key, 0, key.length);
        } catch (DigestException e) {
            throw new IllegalStateException("a SHA-256 digest has 32 bytes", e);
        }
    }
}
