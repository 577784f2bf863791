package rondo.model.compute;

/**
 * rms(x) = x / √(mean(x²) + eps), then scaled by w, 1 + w or nothing (models: plain, centred, weightless).
 *
 * @param kind   how the weight is used; {@link Kind#NONE} = no norm at all
 * @param weight one row, float32 values kept by the device; ignored by NONE and WEIGHTLESS
 */
public record NormSpec(Kind kind, Vector weight, float eps) {
    /** How the weight is used. */
    public enum Kind {
        NONE,
        WEIGHTLESS,
        PLAIN,
        CENTRED
    }

    public static final NormSpec NONE = new NormSpec(Kind.NONE, Vector.EMPTY, 0);

    public static NormSpec weightless(float eps) {
        return new NormSpec(Kind.WEIGHTLESS, Vector.EMPTY, eps);
    }
}
