package rondo.cpu;

import java.lang.foreign.MemorySegment;

/** Picks the unrolled kernel for a type and a row count; the arguments are those of {@link PanelKernels}. */
final class Kernels {
    private Kernels() {}

    /** Three rows and more, two units. */
    static void two(
            boolean half,
            int rows,
            MemorySegment w,
            long w0,
            long w1,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        if (half) {
            twoHalf(rows, w, w0, w1, pairs, x, xo, out, o0, o1, stride);
        } else {
            twoFull(rows, w, w0, w1, pairs, x, xo, out, o0, o1, stride);
        }
    }

    private static void twoHalf(
            int rows,
            MemorySegment w,
            long w0,
            long w1,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        switch (rows) {
            case 3 -> PanelKernels.bf16Rows3(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 4 -> PanelKernels.bf16Rows4(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 6 -> PanelKernels.bf16Rows6(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 8 -> PanelKernels.bf16Rows8(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 12 -> PanelKernels.bf16Rows12(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }

    private static void twoFull(
            int rows,
            MemorySegment w,
            long w0,
            long w1,
            int pairs,
            float[] x,
            int xo,
            float[] out,
            int o0,
            int o1,
            int stride) {
        switch (rows) {
            case 3 -> PanelKernels.f32Rows3(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 4 -> PanelKernels.f32Rows4(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 6 -> PanelKernels.f32Rows6(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 8 -> PanelKernels.f32Rows8(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            case 12 -> PanelKernels.f32Rows12(w, w0, w1, pairs, x, xo, out, o0, o1, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }

    /** One or two rows, four units. */
    static void four(
            boolean half,
            int rows,
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
        if (half) {
            fourHalf(rows, w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
        } else {
            fourFull(rows, w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
        }
    }

    private static void fourHalf(
            int rows,
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
        switch (rows) {
            case 1 -> PanelKernels.bf16Rows1(w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
            case 2 -> PanelKernels.bf16Rows2(w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }

    private static void fourFull(
            int rows,
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
        switch (rows) {
            case 1 -> PanelKernels.f32Rows1(w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
            case 2 -> PanelKernels.f32Rows2(w, w0, w1, w2, w3, pairs, x, xo, out, o0, o1, o2, o3, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }

    /** Sums of values, weighted by scores. */
    static void mix(
            boolean half,
            int rows,
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
        if (half) {
            mixHalf(rows, w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
        } else {
            mixFull(rows, w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
        }
    }

    private static void mixHalf(
            int rows,
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
        switch (rows) {
            case 1 -> PanelKernels.bf16Mix1(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 2 -> PanelKernels.bf16Mix2(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 3 -> PanelKernels.bf16Mix3(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 4 -> PanelKernels.bf16Mix4(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 6 -> PanelKernels.bf16Mix6(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 8 -> PanelKernels.bf16Mix8(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 12 -> PanelKernels.bf16Mix12(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }

    private static void mixFull(
            int rows,
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
        switch (rows) {
            case 1 -> PanelKernels.f32Mix1(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 2 -> PanelKernels.f32Mix2(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 3 -> PanelKernels.f32Mix3(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 4 -> PanelKernels.f32Mix4(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 6 -> PanelKernels.f32Mix6(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 8 -> PanelKernels.f32Mix8(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            case 12 -> PanelKernels.f32Mix12(w, chunks, chunkPairs, d0, d1, first, end, x, xo, out, o0, o1, stride);
            default -> throw new IllegalArgumentException("no kernel for " + rows + " rows");
        }
    }
}
