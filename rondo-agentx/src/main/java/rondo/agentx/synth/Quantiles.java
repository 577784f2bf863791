package rondo.agentx.synth;

import java.util.SplittableRandom;

/** Draws from a distribution that is given by a few of its quantiles; between them it is straight in the logarithm. */
final class Quantiles {
    private final double[] at;
    private final double[] logs;

    /** @param pairs share, value, share, value, …; shares ascend from 0 to 1, values are positive and ascend */
    Quantiles(double... pairs) {
        at = new double[pairs.length / 2];
        logs = new double[at.length];
        for (int i = 0; i < at.length; i++) {
            at[i] = pairs[2 * i];
            logs[i] = Math.log(pairs[2 * i + 1]);
        }
    }

    double draw(SplittableRandom random) {
        return at(random.nextDouble());
    }

    /** The value below which the share {@code u} lies. */
    double at(double u) {
        int i = 1;
        while (i < at.length - 1 && u > at[i]) {
            i++;
        }
        double part = (u - at[i - 1]) / (at[i] - at[i - 1]);
        return Math.exp(logs[i - 1] + part * (logs[i] - logs[i - 1]));
    }
}
