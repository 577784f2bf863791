package rondo.engine.sample;

/**
 * Philox-4x32-10, a counter-based random generator (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC11):
 * the same key and counter give the same number, whatever else runs beside it.
 *
 * <p>The key is the seed (64 bits); the counter is (output position, 0, choice, 0), so seed and choice name a stream and
 * the position a number of it.
 */
public final class Philox {
    private static final int ROUNDS = 10;
    private static final long M0 = 0xD2511F53L;
    private static final long M1 = 0xCD9E8D57L;
    private static final int W0 = 0x9E3779B9;
    private static final int W1 = 0xBB67AE85;
    private static final long LOW = 0xFFFF_FFFFL;

    private Philox() {}

    /** A number in [0, 1), a multiple of 2^-53, from the first two words. */
    public static double uniform(long seed, int choice, int position) {
        long words = block(position, 0, choice, 0, (int) seed, (int) (seed >>> 32), true);
        return (words >>> 11) * 0x1.0p-53;
    }

    /**
     * Two of the four output words of one block.
     *
     * @return words 0 (high half) and 1 (low half), or words 2 and 3
     */
    static long block(int c0, int c1, int c2, int c3, int k0, int k1, boolean firstHalf) {
        for (int round = 0; round < ROUNDS; round++) {
            long p0 = M0 * (c0 & LOW);
            long p1 = M1 * (c2 & LOW);
            int next0 = (int) (p1 >>> 32) ^ c1 ^ k0;
            int next2 = (int) (p0 >>> 32) ^ c3 ^ k1;
            c0 = next0;
            c1 = (int) p1;
            c2 = next2;
            c3 = (int) p0;
            k0 += W0;
            k1 += W1;
        }
        return firstHalf ? ((long) c0 << 32) | (c1 & LOW) : ((long) c2 << 32) | (c3 & LOW);
    }
}
