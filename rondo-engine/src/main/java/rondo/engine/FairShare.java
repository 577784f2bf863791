package rondo.engine;

import java.util.Arrays;

/**
 * Splits a step among its prefills for {@code EQUAL_PROGRESS}: each gets as many blocks as the others or all that it
 * wants, and what cannot be split goes to the oldest. Reused; candidates are added oldest first.
 */
final class FairShare {
    private int[] wants = new int[16];
    private int[] shares = new int[16];
    private int count;

    void clear() {
        count = 0;
    }

    void add(int blocks) {
        if (count == wants.length) {
            wants = Arrays.copyOf(wants, 2 * count);
            shares = Arrays.copyOf(shares, 2 * count);
        }
        wants[count++] = blocks;
    }

    int count() {
        return count;
    }

    /** Blocks of candidate {@code index} after {@link #split}. */
    int share(int index) {
        return shares[index];
    }

    /** Fills up everybody to the same level until the blocks are gone. */
    void split(int blocks) {
        Arrays.fill(shares, 0, count, 0);
        int left = blocks;
        int hungry = 0;
        for (int i = 0; i < count; i++) {
            hungry += wants[i] > 0 ? 1 : 0;
        }
        while (left > 0 && hungry > 0) {
            int level = left / hungry;
            if (level == 0) {
                giveOneEach(left);
                return;
            }
            hungry = 0;
            for (int i = 0; i < count; i++) {
                int more = Math.min(level, wants[i] - shares[i]);
                shares[i] += more;
                left -= more;
                hungry += shares[i] < wants[i] ? 1 : 0;
            }
        }
    }

    private void giveOneEach(int blocks) {
        int left = blocks;
        for (int i = 0; i < count && left > 0; i++) {
            if (shares[i] < wants[i]) {
                shares[i]++;
                left--;
            }
        }
    }
}
