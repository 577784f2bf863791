package rondo.cpu;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import rondo.model.compute.ElementType;
import rondo.model.compute.KvMemory;
import rondo.model.compute.KvSpec;

/**
 * KV pages in huge-page memory. A page holds, layer after layer, K of every KV head, then V of every KV head. Both are laid
 * out like weights, so that the kernels of the matrix products serve attention too: K in panels of 16 tokens (outputs)
 * with pairs of dimensions per lane, V in panels of 16 dimensions with pairs of tokens per lane. Float32 has one number per
 * lane. Pages of fewer than 16 tokens have K panels as wide as the page; attention puts them together first.
 */
final class CpuKv implements KvMemory {
    private final KvSpec spec;
    private final HugeMemory memory = new HugeMemory();
    private final MemorySegment[] pages;
    private final int[][][] tables;

    CpuKv(KvSpec spec, int[] pageCounts, int slots, int maxSeqLen) {
        this.spec = spec;
        int blocks = (maxSeqLen + spec.tokensPerBlock() - 1) / spec.tokensPerBlock();
        int groups = spec.groups().size();
        pages = new MemorySegment[groups];
        tables = new int[groups][slots][blocks];
        try {
            for (int g = 0; g < groups; g++) {
                pages[g] = memory.piece(Math.max(1, pageCounts[g]) * pageBytes(g));
            }
        } catch (RuntimeException e) {
            memory.close();
            throw e;
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
        long bytes = pageBytes(group);
        MemorySegment.copy(pages[group], from * bytes, pages[group], to * bytes, bytes);
    }

    @Override
    public void close() {
        memory.close();
        Arrays.fill(pages, MemorySegment.NULL);
    }

    MemorySegment segment(int group) {
        return pages[group];
    }

    boolean half() {
        return spec.type() == ElementType.BF16;
    }

    /** Where the pages of a slot's blocks are looked up. */
    int[] table(int group, int slot) {
        return tables[group][slot];
    }

    /** As {@link KvSpec#pageBytes}, but for head_dims that are no multiple of 16: V is padded to whole panels. */
    private long pageBytes(int group) {
        KvSpec.Group g = spec.groups().get(group);
        return (long) g.layers() * g.kvHeads() * (keyBytes(g) + valueBytes(g));
    }

    /** K of one head in a page. */
    private long keyBytes(KvSpec.Group g) {
        return (long) spec.tokensPerBlock() * g.headDim() * storedBytes();
    }

    private long valueBytes(KvSpec.Group g) {
        return (long) spec.tokensPerBlock() * Lanes.padded(g.headDim()) * storedBytes();
    }

    /** Bytes of a stored number: float16 is rounded to, but kept as float32. */
    int storedBytes() {
        return half() ? 2 : 4;
    }

    /** Where K of a head begins in a page. */
    long keys(int group, int page, int layer, int head) {
        KvSpec.Group g = spec.groups().get(group);
        long perLayer = g.kvHeads() * (keyBytes(g) + valueBytes(g));
        return page * pageBytes(group) + layer * perLayer + head * keyBytes(g);
    }

    /** Where V of a head begins in a page: behind the K of all heads. */
    long values(int group, int page, int layer, int head) {
        KvSpec.Group g = spec.groups().get(group);
        return keys(group, page, layer, 0) + g.kvHeads() * keyBytes(g) + head * valueBytes(g);
    }
}
