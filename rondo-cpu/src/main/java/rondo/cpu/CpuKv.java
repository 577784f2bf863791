package rondo.cpu;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import rondo.base.UserError;
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
        if (spec.type() == ElementType.F16) {
            throw new UserError(UserError.USAGE, "config: kv_cache_config.dtype must be bfloat16 or float32 on the CPU");
        }
        int blocks = (maxSeqLen + spec.tokensPerBlock() - 1) / spec.tokensPerBlock();
        int groups = spec.groups().size();
        pages = new MemorySegment[groups];
        tables = new int[groups][slots][blocks];
        try {
            for (int g = 0; g < groups; g++) {
                if (spec.groups().get(g).headDim() % Lanes.PANEL != 0) {
                    throw new UserError(
                            UserError.MODEL,
                            "model: head_dim must be a multiple of 16 on the CPU, got "
                                    + spec.groups().get(g).headDim());
                }
                pages[g] = memory.piece(Math.max(1, pageCounts[g]) * spec.pageBytes(g));
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
        long bytes = spec.pageBytes(group);
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

    /** Bytes of K (or of V) of one head in a page. */
    int headBytes(int group) {
        return spec.tokensPerBlock() * spec.groups().get(group).headDim() * spec.type().bytes();
    }

    /** Where K of a head begins in a page; V lies {@code kvHeads} heads further. */
    long keys(int group, int page, int layer, int head) {
        int heads = spec.groups().get(group).kvHeads();
        return page * spec.pageBytes(group) + (long) (layer * 2 * heads + head) * headBytes(group);
    }

    long values(int group, int page, int layer, int head) {
        return keys(group, page, layer, head) + (long) spec.groups().get(group).kvHeads() * headBytes(group);
    }
}
