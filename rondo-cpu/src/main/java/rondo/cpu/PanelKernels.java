package rondo.cpu;

import static rondo.cpu.Lanes.F;
import static rondo.cpu.Lanes.I;
import static rondo.cpu.Lanes.ORDER;

import java.lang.foreign.MemorySegment;
import jdk.incubator.vector.FloatVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorOperators;

/**
 * The inner loops of every matrix product; written by {@code KernelWriter}, do not edit. A panel is 16 outputs wide: its
 * step k is one tile of 64 bytes, bf16 with the pair (2k, 2k+1) of one output in each 32-bit lane, float32 as two tiles. Each
 * accumulator belongs to one row and one unit of lanes and adds its products in the order of k, so an output's bits
 * depend on its own row and column alone.
 *
 * <p>{@code *Rows<n>} = linear: x is packed [k][n] from {@code xo}; out[i·stride + o] = Σ. {@code *Mix<n>} = the values of
 * attention: x are n rows of scores, {@link #SCORES} apart; the pairs from {@code first} to {@code end} lie in chunks of
 * {@code chunkPairs}, which begin at {@code chunks[]}.
 */
final class PanelKernels {
    /** Floats from one row of scores to the next: a range of 256 and some, so that rows do not share cache sets. */
    static final int SCORES = 272;

    private static final int HIGH = 0xffff0000;

    private PanelKernels() {}

    static void bf16Rows1(
            MemorySegment w,
            long w0,
            long w1,
            long w2,
            long w3,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector c0 = FloatVector.zero(F);
        FloatVector d0 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 2;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            IntVector t2 = IntVector.fromMemorySegment(I, w, w2 + at, ORDER);
            IntVector t3 = IntVector.fromMemorySegment(I, w, w3 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v2 = t2.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v3 = t3.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            v2 = t2.and(HIGH).reinterpretAsFloats();
            v3 = t3.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 1]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        c0.intoArray(out, o2);
        d0.intoArray(out, o3);
    }

    static void bf16Rows2(
            MemorySegment w,
            long w0,
            long w1,
            long w2,
            long w3,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector c0 = FloatVector.zero(F);
        FloatVector d0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector c1 = FloatVector.zero(F);
        FloatVector d1 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 4;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            IntVector t2 = IntVector.fromMemorySegment(I, w, w2 + at, ORDER);
            IntVector t3 = IntVector.fromMemorySegment(I, w, w3 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v2 = t2.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v3 = t3.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            c1 = v2.fma(b, c1);
            d1 = v3.fma(b, d1);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            v2 = t2.and(HIGH).reinterpretAsFloats();
            v3 = t3.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 2]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            c1 = v2.fma(b, c1);
            d1 = v3.fma(b, d1);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        c0.intoArray(out, o2);
        d0.intoArray(out, o3);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        c1.intoArray(out, o2 + stride);
        d1.intoArray(out, o3 + stride);
    }

    static void bf16Rows3(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 6;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 3]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
    }

    static void bf16Rows4(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 8;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 4]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
    }

    static void bf16Rows6(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 12;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 6]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 8]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
    }

    static void bf16Rows8(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 16;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 8]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 12]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 13]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 14]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 15]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
    }

    static void bf16Rows12(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        FloatVector a8 = FloatVector.zero(F);
        FloatVector b8 = FloatVector.zero(F);
        FloatVector a9 = FloatVector.zero(F);
        FloatVector b9 = FloatVector.zero(F);
        FloatVector a10 = FloatVector.zero(F);
        FloatVector b10 = FloatVector.zero(F);
        FloatVector a11 = FloatVector.zero(F);
        FloatVector b11 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 64L;
            int xk = xo + k * 24;
            IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
            IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
            FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            b = FloatVector.broadcast(F, x[xk + 8]);
            a8 = v0.fma(b, a8);
            b8 = v1.fma(b, b8);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a9 = v0.fma(b, a9);
            b9 = v1.fma(b, b9);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a10 = v0.fma(b, a10);
            b10 = v1.fma(b, b10);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a11 = v0.fma(b, a11);
            b11 = v1.fma(b, b11);
            v0 = t0.and(HIGH).reinterpretAsFloats();
            v1 = t1.and(HIGH).reinterpretAsFloats();
            b = FloatVector.broadcast(F, x[xk + 12]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 13]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 14]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 15]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 16]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 17]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 18]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 19]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            b = FloatVector.broadcast(F, x[xk + 20]);
            a8 = v0.fma(b, a8);
            b8 = v1.fma(b, b8);
            b = FloatVector.broadcast(F, x[xk + 21]);
            a9 = v0.fma(b, a9);
            b9 = v1.fma(b, b9);
            b = FloatVector.broadcast(F, x[xk + 22]);
            a10 = v0.fma(b, a10);
            b10 = v1.fma(b, b10);
            b = FloatVector.broadcast(F, x[xk + 23]);
            a11 = v0.fma(b, a11);
            b11 = v1.fma(b, b11);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
        a8.intoArray(out, o0 + 8 * stride);
        b8.intoArray(out, o1 + 8 * stride);
        a9.intoArray(out, o0 + 9 * stride);
        b9.intoArray(out, o1 + 9 * stride);
        a10.intoArray(out, o0 + 10 * stride);
        b10.intoArray(out, o1 + 10 * stride);
        a11.intoArray(out, o0 + 11 * stride);
        b11.intoArray(out, o1 + 11 * stride);
    }

    static void bf16Mix1(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
    }

    static void bf16Mix2(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
    }

    static void bf16Mix3(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
    }

    static void bf16Mix4(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
    }

    static void bf16Mix6(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
    }

    static void bf16Mix8(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1632]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1904]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1633]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1905]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
    }

    static void bf16Mix12(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        FloatVector a8 = FloatVector.zero(F);
        FloatVector b8 = FloatVector.zero(F);
        FloatVector a9 = FloatVector.zero(F);
        FloatVector b9 = FloatVector.zero(F);
        FloatVector a10 = FloatVector.zero(F);
        FloatVector b10 = FloatVector.zero(F);
        FloatVector a11 = FloatVector.zero(F);
        FloatVector b11 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 64L;
                int xk = xo + k * 2;
                IntVector t0 = IntVector.fromMemorySegment(I, w, w0 + at, ORDER);
                IntVector t1 = IntVector.fromMemorySegment(I, w, w1 + at, ORDER);
                FloatVector v0 = t0.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector v1 = t1.lanewise(VectorOperators.LSHL, 16).reinterpretAsFloats();
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1632]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1904]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                b = FloatVector.broadcast(F, x[xk + 2176]);
                a8 = v0.fma(b, a8);
                b8 = v1.fma(b, b8);
                b = FloatVector.broadcast(F, x[xk + 2448]);
                a9 = v0.fma(b, a9);
                b9 = v1.fma(b, b9);
                b = FloatVector.broadcast(F, x[xk + 2720]);
                a10 = v0.fma(b, a10);
                b10 = v1.fma(b, b10);
                b = FloatVector.broadcast(F, x[xk + 2992]);
                a11 = v0.fma(b, a11);
                b11 = v1.fma(b, b11);
                v0 = t0.and(HIGH).reinterpretAsFloats();
                v1 = t1.and(HIGH).reinterpretAsFloats();
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1633]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1905]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                b = FloatVector.broadcast(F, x[xk + 2177]);
                a8 = v0.fma(b, a8);
                b8 = v1.fma(b, b8);
                b = FloatVector.broadcast(F, x[xk + 2449]);
                a9 = v0.fma(b, a9);
                b9 = v1.fma(b, b9);
                b = FloatVector.broadcast(F, x[xk + 2721]);
                a10 = v0.fma(b, a10);
                b10 = v1.fma(b, b10);
                b = FloatVector.broadcast(F, x[xk + 2993]);
                a11 = v0.fma(b, a11);
                b11 = v1.fma(b, b11);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
        a8.intoArray(out, o0 + 8 * stride);
        b8.intoArray(out, o1 + 8 * stride);
        a9.intoArray(out, o0 + 9 * stride);
        b9.intoArray(out, o1 + 9 * stride);
        a10.intoArray(out, o0 + 10 * stride);
        b10.intoArray(out, o1 + 10 * stride);
        a11.intoArray(out, o0 + 11 * stride);
        b11.intoArray(out, o1 + 11 * stride);
    }

    static void f32Rows1(
            MemorySegment w,
            long w0,
            long w1,
            long w2,
            long w3,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector c0 = FloatVector.zero(F);
        FloatVector d0 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 2;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector v2 = FloatVector.fromMemorySegment(F, w, w2 + at, ORDER);
            FloatVector v3 = FloatVector.fromMemorySegment(F, w, w3 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            v2 = FloatVector.fromMemorySegment(F, w, w2 + at + 64, ORDER);
            v3 = FloatVector.fromMemorySegment(F, w, w3 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        c0.intoArray(out, o2);
        d0.intoArray(out, o3);
    }

    static void f32Rows2(
            MemorySegment w,
            long w0,
            long w1,
            long w2,
            long w3,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int o2,
            int o3,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector c0 = FloatVector.zero(F);
        FloatVector d0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector c1 = FloatVector.zero(F);
        FloatVector d1 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 4;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector v2 = FloatVector.fromMemorySegment(F, w, w2 + at, ORDER);
            FloatVector v3 = FloatVector.fromMemorySegment(F, w, w3 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            c1 = v2.fma(b, c1);
            d1 = v3.fma(b, d1);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            v2 = FloatVector.fromMemorySegment(F, w, w2 + at + 64, ORDER);
            v3 = FloatVector.fromMemorySegment(F, w, w3 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            c0 = v2.fma(b, c0);
            d0 = v3.fma(b, d0);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            c1 = v2.fma(b, c1);
            d1 = v3.fma(b, d1);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        c0.intoArray(out, o2);
        d0.intoArray(out, o3);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        c1.intoArray(out, o2 + stride);
        d1.intoArray(out, o3 + stride);
    }

    static void f32Rows3(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 6;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
    }

    static void f32Rows4(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 8;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
    }

    static void f32Rows6(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 12;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 8]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
    }

    static void f32Rows8(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 16;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 8]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 12]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 13]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 14]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 15]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
    }

    static void f32Rows12(
            MemorySegment w, long w0, long w1, int pairs, float[] x, int xo, float[] out, int o0, int o1, int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        FloatVector a8 = FloatVector.zero(F);
        FloatVector b8 = FloatVector.zero(F);
        FloatVector a9 = FloatVector.zero(F);
        FloatVector b9 = FloatVector.zero(F);
        FloatVector a10 = FloatVector.zero(F);
        FloatVector b10 = FloatVector.zero(F);
        FloatVector a11 = FloatVector.zero(F);
        FloatVector b11 = FloatVector.zero(F);
        for (int k = 0; k < pairs; k++) {
            long at = k * 128L;
            int xk = xo + k * 24;
            FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
            FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
            FloatVector b = FloatVector.broadcast(F, x[xk]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 1]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 2]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 3]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 4]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 5]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 6]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 7]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            b = FloatVector.broadcast(F, x[xk + 8]);
            a8 = v0.fma(b, a8);
            b8 = v1.fma(b, b8);
            b = FloatVector.broadcast(F, x[xk + 9]);
            a9 = v0.fma(b, a9);
            b9 = v1.fma(b, b9);
            b = FloatVector.broadcast(F, x[xk + 10]);
            a10 = v0.fma(b, a10);
            b10 = v1.fma(b, b10);
            b = FloatVector.broadcast(F, x[xk + 11]);
            a11 = v0.fma(b, a11);
            b11 = v1.fma(b, b11);
            v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
            v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
            b = FloatVector.broadcast(F, x[xk + 12]);
            a0 = v0.fma(b, a0);
            b0 = v1.fma(b, b0);
            b = FloatVector.broadcast(F, x[xk + 13]);
            a1 = v0.fma(b, a1);
            b1 = v1.fma(b, b1);
            b = FloatVector.broadcast(F, x[xk + 14]);
            a2 = v0.fma(b, a2);
            b2 = v1.fma(b, b2);
            b = FloatVector.broadcast(F, x[xk + 15]);
            a3 = v0.fma(b, a3);
            b3 = v1.fma(b, b3);
            b = FloatVector.broadcast(F, x[xk + 16]);
            a4 = v0.fma(b, a4);
            b4 = v1.fma(b, b4);
            b = FloatVector.broadcast(F, x[xk + 17]);
            a5 = v0.fma(b, a5);
            b5 = v1.fma(b, b5);
            b = FloatVector.broadcast(F, x[xk + 18]);
            a6 = v0.fma(b, a6);
            b6 = v1.fma(b, b6);
            b = FloatVector.broadcast(F, x[xk + 19]);
            a7 = v0.fma(b, a7);
            b7 = v1.fma(b, b7);
            b = FloatVector.broadcast(F, x[xk + 20]);
            a8 = v0.fma(b, a8);
            b8 = v1.fma(b, b8);
            b = FloatVector.broadcast(F, x[xk + 21]);
            a9 = v0.fma(b, a9);
            b9 = v1.fma(b, b9);
            b = FloatVector.broadcast(F, x[xk + 22]);
            a10 = v0.fma(b, a10);
            b10 = v1.fma(b, b10);
            b = FloatVector.broadcast(F, x[xk + 23]);
            a11 = v0.fma(b, a11);
            b11 = v1.fma(b, b11);
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
        a8.intoArray(out, o0 + 8 * stride);
        b8.intoArray(out, o1 + 8 * stride);
        a9.intoArray(out, o0 + 9 * stride);
        b9.intoArray(out, o1 + 9 * stride);
        a10.intoArray(out, o0 + 10 * stride);
        b10.intoArray(out, o1 + 10 * stride);
        a11.intoArray(out, o0 + 11 * stride);
        b11.intoArray(out, o1 + 11 * stride);
    }

    static void f32Mix1(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
    }

    static void f32Mix2(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
    }

    static void f32Mix3(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
    }

    static void f32Mix4(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
    }

    static void f32Mix6(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
    }

    static void f32Mix8(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1632]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1904]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1633]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1905]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
    }

    static void f32Mix12(
            MemorySegment w,
            long[] chunks,
            int chunkPairs,
            long d0,
            long d1,
            int first,
            int end,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        FloatVector a0 = FloatVector.zero(F);
        FloatVector b0 = FloatVector.zero(F);
        FloatVector a1 = FloatVector.zero(F);
        FloatVector b1 = FloatVector.zero(F);
        FloatVector a2 = FloatVector.zero(F);
        FloatVector b2 = FloatVector.zero(F);
        FloatVector a3 = FloatVector.zero(F);
        FloatVector b3 = FloatVector.zero(F);
        FloatVector a4 = FloatVector.zero(F);
        FloatVector b4 = FloatVector.zero(F);
        FloatVector a5 = FloatVector.zero(F);
        FloatVector b5 = FloatVector.zero(F);
        FloatVector a6 = FloatVector.zero(F);
        FloatVector b6 = FloatVector.zero(F);
        FloatVector a7 = FloatVector.zero(F);
        FloatVector b7 = FloatVector.zero(F);
        FloatVector a8 = FloatVector.zero(F);
        FloatVector b8 = FloatVector.zero(F);
        FloatVector a9 = FloatVector.zero(F);
        FloatVector b9 = FloatVector.zero(F);
        FloatVector a10 = FloatVector.zero(F);
        FloatVector b10 = FloatVector.zero(F);
        FloatVector a11 = FloatVector.zero(F);
        FloatVector b11 = FloatVector.zero(F);
        for (int c = first / chunkPairs; c * chunkPairs < end; c++) {
            int base = c * chunkPairs;
            int stop = Math.min(end, base + chunkPairs);
            long w0 = chunks[c] + d0;
            long w1 = chunks[c] + d1;
            for (int k = Math.max(first, base); k < stop; k++) {
                long at = (k - base) * 128L;
                int xk = xo + k * 2;
                FloatVector v0 = FloatVector.fromMemorySegment(F, w, w0 + at, ORDER);
                FloatVector v1 = FloatVector.fromMemorySegment(F, w, w1 + at, ORDER);
                FloatVector b = FloatVector.broadcast(F, x[xk]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 272]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 544]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 816]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1088]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1360]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1632]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1904]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                b = FloatVector.broadcast(F, x[xk + 2176]);
                a8 = v0.fma(b, a8);
                b8 = v1.fma(b, b8);
                b = FloatVector.broadcast(F, x[xk + 2448]);
                a9 = v0.fma(b, a9);
                b9 = v1.fma(b, b9);
                b = FloatVector.broadcast(F, x[xk + 2720]);
                a10 = v0.fma(b, a10);
                b10 = v1.fma(b, b10);
                b = FloatVector.broadcast(F, x[xk + 2992]);
                a11 = v0.fma(b, a11);
                b11 = v1.fma(b, b11);
                v0 = FloatVector.fromMemorySegment(F, w, w0 + at + 64, ORDER);
                v1 = FloatVector.fromMemorySegment(F, w, w1 + at + 64, ORDER);
                b = FloatVector.broadcast(F, x[xk + 1]);
                a0 = v0.fma(b, a0);
                b0 = v1.fma(b, b0);
                b = FloatVector.broadcast(F, x[xk + 273]);
                a1 = v0.fma(b, a1);
                b1 = v1.fma(b, b1);
                b = FloatVector.broadcast(F, x[xk + 545]);
                a2 = v0.fma(b, a2);
                b2 = v1.fma(b, b2);
                b = FloatVector.broadcast(F, x[xk + 817]);
                a3 = v0.fma(b, a3);
                b3 = v1.fma(b, b3);
                b = FloatVector.broadcast(F, x[xk + 1089]);
                a4 = v0.fma(b, a4);
                b4 = v1.fma(b, b4);
                b = FloatVector.broadcast(F, x[xk + 1361]);
                a5 = v0.fma(b, a5);
                b5 = v1.fma(b, b5);
                b = FloatVector.broadcast(F, x[xk + 1633]);
                a6 = v0.fma(b, a6);
                b6 = v1.fma(b, b6);
                b = FloatVector.broadcast(F, x[xk + 1905]);
                a7 = v0.fma(b, a7);
                b7 = v1.fma(b, b7);
                b = FloatVector.broadcast(F, x[xk + 2177]);
                a8 = v0.fma(b, a8);
                b8 = v1.fma(b, b8);
                b = FloatVector.broadcast(F, x[xk + 2449]);
                a9 = v0.fma(b, a9);
                b9 = v1.fma(b, b9);
                b = FloatVector.broadcast(F, x[xk + 2721]);
                a10 = v0.fma(b, a10);
                b10 = v1.fma(b, b10);
                b = FloatVector.broadcast(F, x[xk + 2993]);
                a11 = v0.fma(b, a11);
                b11 = v1.fma(b, b11);
            }
        }
        a0.intoArray(out, o0);
        b0.intoArray(out, o1);
        a1.intoArray(out, o0 + stride);
        b1.intoArray(out, o1 + stride);
        a2.intoArray(out, o0 + 2 * stride);
        b2.intoArray(out, o1 + 2 * stride);
        a3.intoArray(out, o0 + 3 * stride);
        b3.intoArray(out, o1 + 3 * stride);
        a4.intoArray(out, o0 + 4 * stride);
        b4.intoArray(out, o1 + 4 * stride);
        a5.intoArray(out, o0 + 5 * stride);
        b5.intoArray(out, o1 + 5 * stride);
        a6.intoArray(out, o0 + 6 * stride);
        b6.intoArray(out, o1 + 6 * stride);
        a7.intoArray(out, o0 + 7 * stride);
        b7.intoArray(out, o1 + 7 * stride);
        a8.intoArray(out, o0 + 8 * stride);
        b8.intoArray(out, o1 + 8 * stride);
        a9.intoArray(out, o0 + 9 * stride);
        b9.intoArray(out, o1 + 9 * stride);
        a10.intoArray(out, o0 + 10 * stride);
        b10.intoArray(out, o1 + 10 * stride);
        a11.intoArray(out, o0 + 11 * stride);
        b11.intoArray(out, o1 + 11 * stride);
    }
}
