package rondo.model.arch;

/**
 * A root-mean-square norm: x / √(mean(x²) + eps), then scaled.
 *
 * @param kind how its weight is used; {@link Kind#NONE} = there is no norm here
 */
public record NormRule(Kind kind, double eps) {
    /**
     * How the weight is used. {@code LATE} and {@code EARLY} differ where activations are narrower than float32: cast
     * before or after the weight.
     */
    public enum Kind {
        NONE,
        WEIGHTLESS,
        PLAIN_EARLY,
        PLAIN_LATE,
        /** Scaled by 1 + w. */
        CENTRED
    }

    public static final NormRule NONE = new NormRule(Kind.NONE, 0);

    /** Whether the checkpoint holds a weight for it. */
    public boolean hasWeight() {
        return kind != Kind.NONE && kind != Kind.WEIGHTLESS;
    }
}
