package rondo.model.compute.scalar;

import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;

/** Pages {@code [layer][K, V][token][head][d]} in the cache's own type, and a table of blocks per slot and group. */
final class ScalarKv implements KvMemory {
    private final KvSpec spec;
    private final float[][][] wide; // [group][page], where the type is F32
    private final short[][][] narrow; // [group][page], where it is not
    private final int[][][] tables; // [group][slot][block]

    ScalarKv(KvSpec spec, int[] pages, int slots, int maxSeqLen) {
        this.spec = spec;
        int groups = spec.groups().size();
        boolean f32 = spec.type() == ElementType.F32;
        wide = new float[groups][][];
        narrow = new short[groups][][];
        tables = new int[groups][slots][(maxSeqLen + spec.tokensPerBlock() - 1) / spec.tokensPerBlock()];
        for (int g = 0; g < groups; g++) {
            int elements = Math.toIntExact(spec.pageBytes(g) / spec.type().bytes());
            wide[g] = new float[pages[g]][f32 ? elements : 0];
            narrow[g] = new short[pages[g]][f32 ? 0 : elements];
        }
    }

    @Override
    public KvSpec spec() {
        return spec;
    }

    @Override
    public void table(int slot, int group, int block, int page) {
        tables[group][slot][block] = page;
    }

    @Override
    public void copyPage(int group, int from, int to) {
        System.arraycopy(wide[group][from], 0, wide[group][to], 0, wide[group][to].length);
        System.arraycopy(narrow[group][from], 0, narrow[group][to], 0, narrow[group][to].length);
    }

    /** Stores one head's K ({@code part} 0) or V (1) of the token at {@code position}, rounded to the cache's type. */
    void store(int slot, int group, int layer, int part, int head, int position, float[] from, int at) {
        int page = tables[group][slot][position / spec.tokensPerBlock()];
        int d = spec.groups().get(group).headDim();
        int to = index(group, layer, part, head, position);
        switch (spec.type()) {
            case F32 -> System.arraycopy(from, at, wide[group][page], to, d);
            case BF16 -> {
                for (int c = 0; c < d; c++) {
                    narrow[group][page][to + c] = Numbers.toBf16(from[at + c]);
                }
            }
            case F16 -> {
                for (int c = 0; c < d; c++) {
                    narrow[group][page][to + c] = Float.floatToFloat16(from[at + c]);
                }
            }
        }
    }

    /** Reads what {@link #store} stored. */
    void load(int slot, int group, int layer, int part, int head, int position, float[] into) {
        int page = tables[group][slot][position / spec.tokensPerBlock()];
        int d = spec.groups().get(group).headDim();
        int from = index(group, layer, part, head, position);
        switch (spec.type()) {
            case F32 -> System.arraycopy(wide[group][page], from, into, 0, d);
            case BF16 -> {
                for (int c = 0; c < d; c++) {
                    into[c] = Numbers.bf16(narrow[group][page][from + c]);
                }
            }
            case F16 -> {
                for (int c = 0; c < d; c++) {
                    into[c] = Float.float16ToFloat(narrow[group][page][from + c]);
                }
            }
        }
    }

    private int index(int group, int layer, int part, int head, int position) {
        KvSpec.Group g = spec.groups().get(group);
        int token = (2 * layer + part) * spec.tokensPerBlock() + position % spec.tokensPerBlock();
        return (token * g.kvHeads() + head) * g.headDim();
    }

    @Override
    public void close() {
        // Everything is on the heap.
    }
}
