package rondo.kv;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * Cuts a budget of bytes into pools: every life cycle first gets what one longest sequence needs, and what is left goes
 * by shares.
 *
 * @param layout               block size, life cycles and page bytes
 * @param deviceBytes          budget of the device tier: the smallest of all bounds that apply
 * @param hostBytes            budget of the host tier; 0 = none
 * @param poolRatio            {@code pool_ratio}: share of each life cycle; empty = from {@code avgSeqLen}
 * @param avgSeqLen            {@code avg_seq_len}: expected tokens of a sequence; empty = the longest, at most 65536
 * @param endpointRewindTokens {@code swa_endpoint_rewind_tokens}
 * @param stepTokens           {@code max_num_tokens}: window pages that the chunks under way pass through
 */
public record PoolSizing(
        KvLayout layout,
        long deviceBytes,
        long hostBytes,
        List<Double> poolRatio,
        OptionalInt avgSeqLen,
        int endpointRewindTokens,
        int stepTokens) {
    /**
     * About half of what recorded coding agents send (median 104,000 tokens), since the two mistakes do not weigh the
     * same: too few window pages make whole conversations unusable at once, too few full pages make hits fade.
     */
    private static final int DEFAULT_AVG_SEQ_LEN = 65_536;
    /** A chunk for each of the two steps that may be under way. */
    private static final int STEPS_UNDER_WAY = 2;
    /** The most of a budget that is set aside for chunks under way. */
    private static final double MOST_FOR_CHUNKS = 0.1;

    /** Beside the blocks of a sequence: scratch, one block as a chunk, and the source of a partial copy. */
    private static final int EXTRA_SLOTS = 3;

    private static final int MOST_SLOTS = 1 << 30;

    /** What came of it. */
    public sealed interface Outcome {
        /** @param maxSeqLen the effective {@code max_seq_len}, tokens */
        record Fits(KvPools pools, int maxSeqLen) implements Outcome {}

        /** @param longest tokens of the longest sequence that the whole budget holds; 0 = not even one block */
        record TooLong(int longest) implements Outcome {}
    }

    public PoolSizing {
        poolRatio = List.copyOf(poolRatio);
        if (deviceBytes < 0 || hostBytes < 0 || endpointRewindTokens < 0) {
            throw new IllegalArgumentException("bytes and tokens must be >= 0");
        }
        if (!poolRatio.isEmpty() && poolRatio.size() != layout.lifeCycles().size()) {
            throw new IllegalArgumentException(
                    "one share per life cycle is needed: " + layout.lifeCycles().size() + ", got " + poolRatio.size());
        }
        for (double share : poolRatio) {
            if (!(share > 0)) {
                throw new IllegalArgumentException("shares must be > 0, got " + share);
            }
        }
    }

    /** As for a step of no tokens. */
    public PoolSizing(
            KvLayout layout,
            long deviceBytes,
            long hostBytes,
            List<Double> poolRatio,
            OptionalInt avgSeqLen,
            int endpointRewindTokens) {
        this(layout, deviceBytes, hostBytes, poolRatio, avgSeqLen, endpointRewindTokens, 0);
    }

    /** The budget that {@code max_tokens} stands for: that many tokens in every life cycle. */
    public static long bytesOfTokens(KvLayout layout, long tokens) {
        long pages = 0;
        for (long bytes : layout.pageBytes()) {
            pages = Math.addExact(pages, bytes);
        }
        return Math.multiplyExact(tokens, pages) / layout.tokensPerBlock();
    }

    /** Device slots, scratch included, with which one sequence of that many tokens can run to its end. */
    public static List<Integer> minSlots(KvLayout layout, int maxSeqLen) {
        List<Integer> out = new ArrayList<>();
        for (LifeCycle cycle : layout.lifeCycles()) {
            out.add(mostBlocks(layout, cycle, maxSeqLen) + EXTRA_SLOTS);
        }
        return List.copyOf(out);
    }

    /**
     * The pools.
     *
     * @param maxSeqLen  {@code max_seq_len} where it is given: may use the whole budget. Where not, the effective value
     *                   leaves half of the budget for the shares.
     * @param modelLimit tokens that the model allows; bounds the effective value where none is given
     */
    public Outcome fit(OptionalInt maxSeqLen, int modelLimit) {
        int effective;
        if (maxSeqLen.isPresent()) {
            effective = maxSeqLen.getAsInt();
        } else {
            int longest = longest(deviceBytes / 2);
            if (longest < 2 * layout.tokensPerBlock()) {
                longest = longest(deviceBytes);
            }
            effective = Math.min(modelLimit, longest);
        }
        if (effective < 1 || minBytes(effective) > deviceBytes) {
            return new Outcome.TooLong(longest(deviceBytes));
        }
        return new Outcome.Fits(pools(effective), effective);
    }

    private KvPools pools(int maxSeqLen) {
        List<Integer> device = poolRatio.isEmpty() ? balanced(maxSeqLen) : byRatio(maxSeqLen);
        double usableBytes = 0;
        for (int lc = 0; lc < device.size(); lc++) {
            usableBytes += (double) (device.get(lc) - 1) * pageBytes(lc);
        }
        List<Integer> host = new ArrayList<>();
        for (int slots : device) {
            // The same proportions of slots as on the device.
            host.add((int) Math.min(MOST_SLOTS, Math.floor((double) hostBytes * (slots - 1) / usableBytes)));
        }
        return new KvPools(layout, device, host);
    }

    /** Each its least slots, and its share of what is left. */
    private List<Integer> byRatio(int maxSeqLen) {
        List<Integer> least = minSlots(layout, maxSeqLen);
        double[] shares = shares(maxSeqLen);
        long rest = deviceBytes - minBytes(maxSeqLen);
        List<Integer> slots = new ArrayList<>();
        for (int lc = 0; lc < shares.length; lc++) {
            long more = (long) Math.floor(rest * shares[lc] / pageBytes(lc));
            slots.add((int) Math.min(MOST_SLOTS, least.get(lc) + more));
        }
        return slots;
    }

    /**
     * Window pages for the chunks under way, and of the rest each its share, so that all pools hold the same number of
     * typical sequences; but never less than the least. (Giving every pool its least first, and shares of the rest,
     * would starve the windows where one longest sequence takes much of the full pool.)
     */
    private List<Integer> balanced(int maxSeqLen) {
        int n = layout.lifeCycles().size();
        List<Integer> least = minSlots(layout, maxSeqLen);
        double[] shares = shares(maxSeqLen);
        long[] chunks = new long[n];
        for (int lc = 0; lc < n; lc++) {
            if (!layout.lifeCycles().get(lc).isFull() && n > 1) {
                long wanted = (long) STEPS_UNDER_WAY * layout.blocks(stepTokens);
                chunks[lc] = Math.min(wanted, (long) (MOST_FOR_CHUNKS * deviceBytes / n / pageBytes(lc)));
            }
        }
        boolean[] atLeast = new boolean[n];
        long[] slots = new long[n];
        boolean again = true;
        while (again) {
            again = false;
            double rest = deviceBytes;
            double open = 0;
            for (int lc = 0; lc < n; lc++) {
                rest -= (double) (atLeast[lc] ? least.get(lc) : chunks[lc]) * pageBytes(lc);
                open += atLeast[lc] ? 0 : shares[lc];
            }
            for (int lc = 0; lc < n && !again; lc++) {
                slots[lc] = atLeast[lc]
                        ? least.get(lc)
                        : chunks[lc] + (long) Math.floor(Math.max(0, rest) * shares[lc] / open / pageBytes(lc));
                again = !atLeast[lc] && (rest < 0 || slots[lc] < least.get(lc));
                atLeast[lc] |= again;
            }
        }
        List<Integer> out = new ArrayList<>();
        for (long s : slots) {
            out.add((int) Math.min(MOST_SLOTS, s));
        }
        return out;
    }

    /** Share of each life cycle in what is left, summing to 1. */
    private double[] shares(int maxSeqLen) {
        double[] out = new double[layout.lifeCycles().size()];
        int length = Math.min(maxSeqLen, avgSeqLen.orElse(DEFAULT_AVG_SEQ_LEN));
        double sum = 0;
        for (int lc = 0; lc < out.length; lc++) {
            out[lc] = poolRatio.isEmpty()
                    ? (double) typicalBlocks(layout.lifeCycles().get(lc), length) * pageBytes(lc)
                    : poolRatio.get(lc);
            sum += out[lc];
        }
        for (int lc = 0; lc < out.length; lc++) {
            out[lc] /= sum;
        }
        return out;
    }

    /** Blocks of a sequence that decodes its last of {@code length} tokens; with a rewind, of its kept end point. */
    private int typicalBlocks(LifeCycle cycle, int length) {
        int b = layout.tokensPerBlock();
        int blocks = layout.blocks(length);
        int sink = Math.min(cycle.sinkBlocks(), blocks);
        if (cycle.isFull()) {
            return blocks;
        }
        if (endpointRewindTokens == 0) {
            return Math.min(blocks, blocks - (cycle.staleEnd(length - 1, b) - sink));
        }
        long kept = sink + ((long) cycle.window() + endpointRewindTokens + b - 1) / b + 1;
        return (int) Math.min(blocks, kept);
    }

    /** Most blocks that a sequence of at most that many tokens needs at any time. */
    private static int mostBlocks(KvLayout layout, LifeCycle cycle, int tokens) {
        int blocks = (int) (((long) tokens + layout.tokensPerBlock() - 1) / layout.tokensPerBlock());
        if (cycle.isFull()) {
            return blocks;
        }
        int window = (cycle.window() - 1 + layout.tokensPerBlock() - 1) / layout.tokensPerBlock() + 1;
        return Math.min(blocks, cycle.sinkBlocks() + window);
    }

    private long minBytes(int tokens) {
        List<Integer> slots = minSlots(layout, tokens);
        long bytes = 0;
        for (int lc = 0; lc < slots.size(); lc++) {
            bytes += slots.get(lc) * pageBytes(lc);
        }
        return bytes;
    }

    /** Tokens, a multiple of the block, of the longest sequence whose least slots fit into that many bytes. */
    private int longest(long bytes) {
        int low = 0;
        int high = Integer.MAX_VALUE / layout.tokensPerBlock() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (minBytes(middle * layout.tokensPerBlock()) <= bytes) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low * layout.tokensPerBlock();
    }

    private long pageBytes(int lc) {
        return layout.pageBytes().get(lc);
    }
}
