package rondo.cpu;

import static rondo.cpu.Lanes.F;

import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * exp, the logistic function and tanh on vectors, by own polynomials: the same bits interpreted and compiled, which the
 * Vector API's own functions do not promise. Small, so that C2 inlines them into the loops that call them.
 */
final class VectorMath {
    /** Below this exp is 0: masked scores (-∞) must weigh nothing at all. */
    static final float EXP_LOW = -87.3f;

    private static final float EXP_HIGH = 88.3f;
    private static final float LOG2_E = 1.442695f;
    private static final float ROUND = 12582912f; // 1.5 · 2^23: adding it rounds to an integer in the low bits
    private static final float LN2_HIGH = 0.693359375f;
    private static final float LN2_LOW = -2.1219444e-4f;

    private VectorMath() {}

    /** e^x within 1 ulp or so; exactly 0 below {@link #EXP_LOW}. Polynomial: minimax of (e^r − 1 − r)/r² on ±ln2/2. */
    static FloatVector exp(FloatVector x) {
        FloatVector in = x.max(EXP_LOW).min(EXP_HIGH);
        FloatVector shifted = in.fma(FloatVector.broadcast(F, LOG2_E), FloatVector.broadcast(F, ROUND));
        FloatVector n = shifted.sub(ROUND);
        FloatVector r = n.fma(FloatVector.broadcast(F, -LN2_HIGH), in);
        r = n.fma(FloatVector.broadcast(F, -LN2_LOW), r);
        FloatVector p = r.fma(FloatVector.broadcast(F, 0.001381316f), FloatVector.broadcast(F, 0.00836942f));
        p = p.fma(r, FloatVector.broadcast(F, 0.041668456f));
        p = p.fma(r, FloatVector.broadcast(F, 0.16666515f));
        p = p.fma(r, FloatVector.broadcast(F, 0.49999994f));
        p = p.fma(r, FloatVector.broadcast(F, 1f));
        p = p.fma(r, FloatVector.broadcast(F, 1f));
        IntVector power = shifted.reinterpretAsInts().lanewise(VectorOperators.LSHL, 23);
        FloatVector scaled = p.reinterpretAsInts().add(power).reinterpretAsFloats();
        return scaled.blend(0f, x.compare(VectorOperators.LT, EXP_LOW));
    }

    /** 1/(1 + e^−x). */
    static FloatVector sigmoid(FloatVector x) {
        return FloatVector.broadcast(F, 1f).div(exp(x.neg()).add(1f));
    }

    /** tanh x: x + x³·P(x²) near 0, 1 − 2/(e^2|x| + 1) elsewhere. */
    static FloatVector tanh(FloatVector x) {
        FloatVector s = x.mul(x);
        FloatVector p = s.fma(FloatVector.broadcast(F, -0.0054394803f), FloatVector.broadcast(F, 0.02039801f));
        p = p.fma(s, FloatVector.broadcast(F, -0.053665064f));
        p = p.fma(s, FloatVector.broadcast(F, 0.13330543f));
        p = p.fma(s, FloatVector.broadcast(F, -0.33333248f));
        FloatVector near = p.mul(s).fma(x, x);
        FloatVector a = x.abs();
        FloatVector far = FloatVector.broadcast(F, 1f)
                .sub(FloatVector.broadcast(F, 2f).div(exp(a.add(a)).add(1f)));
        FloatVector signed = far.blend(far.neg(), x.compare(VectorOperators.LT, 0f));
        return signed.blend(near, a.compare(VectorOperators.LT, 0.65f));
    }
}
