package rondo.kv;

/**
 * SHA-256 (FIPS 180-4) of a block's message without allocation: the digests of the JDK cost 48 bytes each, which the
 * engine thread is not to spend whenever a block fills. A fifth as fast as theirs, which may use the processor's own
 * instructions: for whole prompts take theirs.
 */
final class Sha256 {
    private static final int[] K = {
        0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
        0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
        0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
        0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
        0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
        0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
        0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
        0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
    };
    private static final int[] START = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
    };
    private static final int KEY_WORDS = 8;

    private final int[] state = new int[8];
    private final int[] w = new int[64];

    /** Replaces {@code key} (32 bytes) by the digest of itself and the tokens, each four bytes, the lowest first. */
    void child(byte[] key, int[] tokens, int count) {
        System.arraycopy(START, 0, state, 0, state.length);
        int words = KEY_WORDS + count;
        // One word for the mark behind the message, two for its length.
        int blocks = (words + 3 + 15) / 16;
        for (int at = 0; at < 16 * blocks; at += 16) {
            for (int i = 0; i < 16; i++) {
                w[i] = word(at + i, words, key, tokens);
            }
            if (at == 16 * (blocks - 1)) {
                w[15] = 32 * words;
            }
            compress();
        }
        for (int i = 0; i < state.length; i += 2) {
            KeyBytes.putLong(key, 4 * i, (long) state[i] << 32 | state[i + 1] & 0xffffffffL);
        }
    }

    private static int word(int index, int words, byte[] key, int[] tokens) {
        if (index < KEY_WORDS) {
            long two = KeyBytes.getLong(key, 8 * (index / 2));
            return (int) ((index & 1) == 0 ? two >>> 32 : two);
        }
        return index < words ? Integer.reverseBytes(tokens[index - KEY_WORDS]) : index == words ? 0x80000000 : 0;
    }

    private void compress() {
        for (int i = 16; i < 64; i++) {
            int low = Integer.rotateRight(w[i - 15], 7) ^ Integer.rotateRight(w[i - 15], 18) ^ w[i - 15] >>> 3;
            int high = Integer.rotateRight(w[i - 2], 17) ^ Integer.rotateRight(w[i - 2], 19) ^ w[i - 2] >>> 10;
            w[i] = w[i - 16] + low + w[i - 7] + high;
        }
        int a = state[0];
        int b = state[1];
        int c = state[2];
        int d = state[3];
        int e = state[4];
        int f = state[5];
        int g = state[6];
        int h = state[7];
        for (int i = 0; i < 64; i++) {
            int high = Integer.rotateRight(e, 6) ^ Integer.rotateRight(e, 11) ^ Integer.rotateRight(e, 25);
            int one = h + high + (e & f ^ ~e & g) + K[i] + w[i];
            int low = Integer.rotateRight(a, 2) ^ Integer.rotateRight(a, 13) ^ Integer.rotateRight(a, 22);
            int two = low + (a & b ^ a & c ^ b & c);
            h = g;
            g = f;
            f = e;
            e = d + one;
            d = c;
            c = b;
            b = a;
            a = one + two;
        }
        state[0] += a;
        state[1] += b;
        state[2] += c;
        state[3] += d;
        state[4] += e;
        state[5] += f;
        state[6] += g;
        state[7] += h;
    }
}
