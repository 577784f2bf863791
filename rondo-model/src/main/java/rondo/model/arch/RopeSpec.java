package rondo.model.arch;

/** How queries and keys are rotated (rotate-half pairing); the frequencies follow models.md §0, §3.2 and §6.3. */
public sealed interface RopeSpec {
    /** The d/2 angles per position, in radians; empty = no rotation. */
    float[] frequencies(int headDim);

    /** Factor of cos and sin. */
    default float amplitude() {
        return 1;
    }

    /** No rotation (NoPE). */
    record None() implements RopeSpec {
        @Override
        public float[] frequencies(int headDim) {
            return new float[0];
        }
    }

    /** φ_j = θ^(−2j/d). */
    record Plain(double theta) implements RopeSpec {
        @Override
        public float[] frequencies(int headDim) {
            float[] out = new float[headDim / 2];
            for (int j = 0; j < out.length; j++) {
                out[j] = (float) base(theta, j, headDim);
            }
            return out;
        }
    }

    /** Slow frequencies divided by {@code factor}, fast ones kept, a linear blend between. */
    record Llama3(double theta, double factor, double lowFactor, double highFactor, int originalLength)
            implements RopeSpec {
        @Override
        public float[] frequencies(int headDim) {
            float[] out = new float[headDim / 2];
            for (int j = 0; j < out.length; j++) {
                double phi = base(theta, j, headDim);
                double turns = originalLength * phi / (2 * Math.PI);
                double blend = Math.clamp((turns - lowFactor) / (highFactor - lowFactor), 0, 1);
                out[j] = (float) ((1 - blend) * phi / factor + blend * phi);
            }
            return out;
        }
    }

    /** YaRN: a ramp over the dimensions between two numbers of turns, and cos and sin scaled by {@code amplitude}. */
    record Yarn(
            double theta,
            double factor,
            double betaFast,
            double betaSlow,
            int originalLength,
            boolean truncate,
            float amplitude)
            implements RopeSpec {
        /** The amplitude that YaRN uses unless the file gives one. */
        public static float defaultAmplitude(double factor) {
            return (float) (0.1 * Math.log(factor) + 1);
        }

        @Override
        public float[] frequencies(int headDim) {
            double low = Math.max(dimension(betaFast, headDim, true), 0);
            double high = Math.min(dimension(betaSlow, headDim, false), headDim - 1.0);
            float[] out = new float[headDim / 2];
            for (int j = 0; j < out.length; j++) {
                double phi = base(theta, j, headDim);
                double ramp = Math.clamp((j - low) / (high - low), 0, 1);
                out[j] = (float) (phi * (1 - ramp) + phi / factor * ramp);
            }
            return out;
        }

        private double dimension(double turns, int headDim, boolean down) {
            double exact = headDim * Math.log(originalLength / (turns * 2 * Math.PI)) / (2 * Math.log(theta));
            if (!truncate) {
                return exact;
            }
            return down ? Math.floor(exact) : Math.ceil(exact);
        }
    }

    private static double base(double theta, int j, int headDim) {
        return Math.pow(theta, -2.0 * j / headDim);
    }
}
