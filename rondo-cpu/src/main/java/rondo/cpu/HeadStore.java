package rondo.cpu;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static rondo.cpu.Lanes.COUNT;
import static rondo.cpu.Lanes.F;
import static rondo.cpu.Lanes.PANEL;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import jdk.incubator.vector.FloatVector;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.ElementType;
import rondo.model.compute.NormSpec;
import rondo.model.compute.StepShape;

/** Norms and rotates the heads of q and k in place, and stores k and v in their pages, rounded to the pages' type. */
final class HeadStore {
    private static final ValueLayout.OfShort SHORT = JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT = JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final WorkTeam team;
    private final WorkTeam.Region storing = this::tile;
    private final float[][] lanes;
    private float[][] rotation;
    private int[] slotOf = new int[0];
    private int[] positionOf = new int[0];
    private boolean[] lastOf = new boolean[0];

    @SuppressWarnings("NullAway.Init") // set by run before its region
    private CpuTensor fused;

    @SuppressWarnings("NullAway.Init") // set by run before its region
    private AttentionOp op;

    @SuppressWarnings("NullAway.Init") // set by run before its region
    private CpuKv kv;

    private int tokens;
    private int perTile;

    HeadStore(WorkTeam team) {
        this.team = team;
        lanes = new float[team.threads()][PANEL];
        rotation = new float[team.threads()][0];
    }

    void run(CpuTensor fused, AttentionOp op, StepShape step, CpuKv kv) {
        this.fused = fused;
        this.op = op;
        this.kv = kv;
        tokens = step.tokens;
        spread(step);
        if (op.frequencies().length() > 0) {
            CpuVector.of(op.frequencies()).rope().prepare(step);
        }
        if (rotation[0].length < op.headDim() + PANEL) {
            rotation = new float[team.threads()][op.headDim() + PANEL];
        }
        perTile = Math.clamp(tokens / (4 * team.threads()), 1, 16);
        long numbers = (long) tokens * (op.heads() + 3 * op.kvHeads()) * op.headDim();
        team.run(storing, (tokens + perTile - 1) / perTile, numbers);
    }

    /** Slot and position of every token of the step. */
    private void spread(StepShape step) {
        if (slotOf.length < step.tokens) {
            slotOf = new int[step.tokens];
            positionOf = new int[step.tokens];
            lastOf = new boolean[step.tokens];
        }
        for (int r = 0; r < step.runs; r++) {
            int length = step.length[r];
            for (int i = 0; i < length; i++) {
                int token = step.start[r] + i;
                slotOf[token] = step.slot[r];
                positionOf[token] = step.context[r] + i;
                lastOf[token] = i == length - 1;
            }
        }
    }

    private void tile(int tile, int worker) {
        int end = Math.min(tokens, (tile + 1) * perTile);
        for (int token = tile * perTile; token < end; token++) {
            token(token, worker);
        }
    }

    private void token(int token, int worker) {
        int d = op.headDim();
        int row = token * fused.stride;
        int position = positionOf[token];
        float[] table = rotation[worker];
        int at = -1;
        boolean rotate = op.frequencies().length() > 0;
        if (rotate) {
            RopeTable rope = CpuVector.of(op.frequencies()).rope();
            at = rope.find(position);
            if (at >= 0) {
                table = rope.values();
            } else {
                rope.compute(position, table, 0);
                at = 0;
            }
        }
        head(op.qNorm(), row, op.heads(), op.qScale(), worker);
        head(op.kNorm(), row + op.keyOffset(), op.kvHeads(), 1, worker);
        if (rotate) {
            for (int h = 0; h < op.heads() + op.kvHeads(); h++) {
                rotate(fused.data, row + h * d, d / 2, table, at);
            }
        }
        int tpb = kv.spec().tokensPerBlock();
        int page = kv.table(op.group(), slotOf[token])[position / tpb];
        MemorySegment pages = kv.segment(op.group());
        boolean zeroNext = lastOf[token] && (position & 1) == 0;
        for (int h = 0; h < op.kvHeads(); h++) {
            long keys = kv.keys(op.group(), page, op.layer(), h);
            long values = kv.values(op.group(), page, op.layer(), h);
            int k = row + op.keyOffset() + h * d;
            int v = row + op.valueOffset() + h * d;
            if (kv.half()) {
                keysHalf(pages, keys, fused.data, k, d, position % tpb, Math.min(tpb, PANEL));
                valuesHalf(pages, values, fused.data, v, d, position % tpb, tpb, zeroNext);
            } else {
                if (kv.spec().type() == ElementType.F16) {
                    roundToF16(fused.data, k, d);
                    roundToF16(fused.data, v, d);
                }
                keysFull(pages, keys, fused.data, k, d, position % tpb, Math.min(tpb, PANEL));
                valuesFull(pages, values, fused.data, v, d, position % tpb, tpb, zeroNext);
            }
        }
    }

    private void head(NormSpec norm, int from, int heads, float factor, int worker) {
        int d = op.headDim();
        if (norm.kind() == NormSpec.Kind.NONE && factor == 1) {
            return;
        }
        float[] weight = CpuVector.of(norm.weight()).data;
        for (int h = 0; h < heads; h++) {
            int at = from + h * d;
            RowOps.norm(norm, weight, fused.data, at, fused.data, at, d, d, lanes[worker]);
            if (factor != 1) {
                RowOps.scale(fused.data, at, d, factor);
            }
        }
    }

    /** Pairs (x_j, x_{j+half}); {@code table} holds half cosines from {@code at}, then half sines. */
    private static void rotate(float[] x, int from, int half, float[] table, int at) {
        int whole = half & -COUNT;
        for (int j = 0; j < whole; j += COUNT) {
            FloatVector a = FloatVector.fromArray(F, x, from + j);
            FloatVector b = FloatVector.fromArray(F, x, from + half + j);
            FloatVector cos = FloatVector.fromArray(F, table, at + j);
            FloatVector sin = FloatVector.fromArray(F, table, at + half + j);
            a.mul(cos).sub(b.mul(sin)).intoArray(x, from + j);
            b.mul(cos).add(a.mul(sin)).intoArray(x, from + half + j);
        }
        for (int j = whole; j < half; j++) {
            float a = x[from + j];
            float b = x[from + half + j];
            float cos = table[at + j];
            float sin = table[at + half + j];
            x[from + j] = a * cos - b * sin;
            x[from + half + j] = b * cos + a * sin;
        }
    }

    private static void keysHalf(MemorySegment to, long at, float[] x, int from, int d, int token, int wide) {
        long first = at + (long) (token / wide) * d * wide * 2 + token % wide * 4L;
        for (int j = 0; j < d / 2; j++) {
            int low = bf16(x[from + 2 * j]) & 0xffff;
            to.set(INT, first + (long) j * wide * 4, low | bf16(x[from + 2 * j + 1]) << 16);
        }
    }

    private static void keysFull(MemorySegment to, long at, float[] x, int from, int d, int token, int wide) {
        long first = at + (long) (token / wide) * d * wide * 4 + token % wide * 4L;
        for (int j = 0; j < d; j++) {
            to.set(FLOAT, first + (long) j * wide * 4, x[from + j]);
        }
    }

    /**
     * @param zeroNext the token is the run's last and the lower half of its pair: the upper half, which nobody has written
     *                 yet, is read with weight 0 and so must be a number
     */
    private static void valuesHalf(
            MemorySegment to, long at, float[] x, int from, int d, int token, int tpb, boolean zeroNext) {
        for (int p = 0; p * PANEL < d; p++) {
            long first = at + p * (tpb / 2 * 64L) + token / 2 * 64L;
            int source = from + p * PANEL;
            int count = Math.min(PANEL, d - p * PANEL);
            if (zeroNext) {
                for (int i = 0; i < count; i++) {
                    to.set(INT, first + i * 4L, bf16(x[source + i]) & 0xffff);
                }
            } else {
                long half = first + (token & 1) * 2L;
                for (int i = 0; i < count; i++) {
                    to.set(SHORT, half + i * 4L, (short) bf16(x[source + i]));
                }
            }
        }
    }

    private static void valuesFull(
            MemorySegment to, long at, float[] x, int from, int d, int token, int tpb, boolean zeroNext) {
        for (int p = 0; p * PANEL < d; p++) {
            long first = at + p * (tpb * 64L) + token * 64L;
            int count = Math.min(PANEL, d - p * PANEL);
            for (int i = 0; i < count; i++) {
                to.set(FLOAT, first + i * 4L, x[from + p * PANEL + i]);
                if (zeroNext) {
                    to.set(FLOAT, first + 64 + i * 4L, 0f);
                }
            }
        }
    }

    private static void roundToF16(float[] x, int from, int count) {
        for (int i = from; i < from + count; i++) {
            x[i] = Float.float16ToFloat(Float.floatToFloat16(x[i]));
        }
    }

    /** Rounded to nearest even; a NaN stays one. */
    static int bf16(float x) {
        int bits = Float.floatToRawIntBits(x);
        int rounded = (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
        return Float.isNaN(x) ? (bits >>> 16) | 0x40 : rounded;
    }
}
