package rondo.cpu;

import static rondo.cpu.Lanes.COUNT;
import static rondo.cpu.Lanes.MAX_ROWS;
import static rondo.cpu.Lanes.PANEL;

import java.util.Arrays;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.StepShape;

/**
 * Causal attention over the pages. Work is cut into items (run, KV head, tile of queries); the rows of a tile are its
 * queries times the query heads that share the KV head, so K and V are read once for all of them. For each absolute
 * range of 256 tokens a row has a partial (largest score, sum of exponentials, weighted values) that depends on nothing
 * but the row and the range; partials are merged from left to right. Few items with a long context are cut by ranges too
 * and merged afterwards, which gives the same bits.
 */
final class Attention {
    static final int RANGE = 256;

    /** Rows of a tile: eight blocks share a pass over K and V in the second-level cache. */
    private static final int TILE_ROWS = 8 * MAX_ROWS;

    private final WorkTeam team;
    private final WorkTeam.Region whole = this::wholeItem;
    private final WorkTeam.Region partial = this::partialItem;
    private final WorkTeam.Region merging = this::mergeItem;
    private final AttentionScratch[] scratch;

    // The items of the call in work.
    private int items;
    private int[] itemRun = new int[16];
    private int[] itemHead = new int[16];
    private int[] itemQuery = new int[16];
    private int[] itemFirstRange = new int[16];
    /** Where an item's (item, range) pairs begin; one more than there are items. */
    private int[] itemPairs = new int[17];
    /** Which item a pair belongs to. */
    private int[] pairItem = new int[16];

    private float[] partials = new float[0];
    private float[] partialMax = new float[0];
    private float[] partialSum = new float[0];

    @SuppressWarnings("NullAway.Init") // set by run before its regions
    private CpuTensor out;

    @SuppressWarnings("NullAway.Init") // set by run before its regions
    private CpuTensor fused;

    @SuppressWarnings("NullAway.Init") // set by run before its regions
    private AttentionOp op;

    @SuppressWarnings("NullAway.Init") // set by run before its regions
    private StepShape step;

    @SuppressWarnings("NullAway.Init") // set by run before its regions
    private CpuKv kv;

    /** Floats of a row of values: head_dim, padded to whole panels. */
    private int wide;

    private int share;
    private int queriesPerTile;
    private int rowsPerTile;

    Attention(WorkTeam team) {
        this.team = team;
        scratch = new AttentionScratch[team.threads()];
        for (int i = 0; i < scratch.length; i++) {
            scratch[i] = new AttentionScratch();
        }
    }

    void run(CpuTensor out, CpuTensor fused, AttentionOp op, StepShape step, CpuKv kv) {
        this.out = out;
        this.fused = fused;
        this.op = op;
        this.step = step;
        this.kv = kv;
        wide = Lanes.padded(op.headDim());
        share = op.heads() / op.kvHeads();
        queriesPerTile = Math.max(1, TILE_ROWS / share);
        rowsPerTile = queriesPerTile * share;
        long rowTokens = plan();
        for (AttentionScratch s : scratch) {
            s.prepare(rowsPerTile, op.headDim(), kv.spec().tokensPerBlock(), kv.half());
        }
        long nanos = rowTokens * op.headDim() / (3 * COUNT / 4);
        int pairs = itemPairs[items];
        if (team.threads() > 1 && items < 2 * team.threads() && pairs > items && nanos > WorkTeam.WAKE_NANOS) {
            long floats = (long) pairs * rowsPerTile;
            if (partialMax.length < floats) {
                int room = Math.toIntExact(floats + floats / 2);
                partialMax = new float[room];
                partialSum = new float[room];
            }
            if (partials.length < floats * wide) {
                partials = new float[Math.toIntExact((floats + floats / 2) * wide)];
            }
            team.run(partial, pairs, nanos);
            team.run(merging, items, nanos / 64);
        } else {
            team.run(whole, items, nanos);
        }
    }

    /** Lists the items, those with most context first within a run; answers visible (row, token) pairs. */
    private long plan() {
        items = 0;
        int pairs = 0;
        long rowTokens = 0;
        for (int r = 0; r < step.runs; r++) {
            int length = step.length[r];
            int lastTile = (length - 1) / queriesPerTile;
            for (int t = lastTile; t >= 0; t--) {
                int query = t * queriesPerTile;
                int last = step.context[r] + Math.min(length, query + queriesPerTile) - 1;
                int first = firstVisible(step.context[r] + query);
                int ranges = last / RANGE - first / RANGE + 1;
                rowTokens += (long) (last - first + 1) * Math.min(queriesPerTile, length - query) * op.heads();
                for (int h = 0; h < op.kvHeads(); h++) {
                    room(pairs + ranges);
                    itemRun[items] = r;
                    itemHead[items] = h;
                    itemQuery[items] = query;
                    itemFirstRange[items] = first / RANGE;
                    itemPairs[items] = pairs;
                    Arrays.fill(pairItem, pairs, pairs + ranges, items);
                    pairs += ranges;
                    items++;
                    itemPairs[items] = pairs;
                }
            }
        }
        return rowTokens;
    }

    private void room(int pairs) {
        if (items + 1 >= itemRun.length) {
            int length = 2 * itemRun.length;
            itemRun = Arrays.copyOf(itemRun, length);
            itemHead = Arrays.copyOf(itemHead, length);
            itemQuery = Arrays.copyOf(itemQuery, length);
            itemFirstRange = Arrays.copyOf(itemFirstRange, length);
            itemPairs = Arrays.copyOf(itemPairs, length + 1);
        }
        if (pairs > pairItem.length) {
            pairItem = Arrays.copyOf(pairItem, Math.max(pairs, 2 * pairItem.length));
        }
    }

    /** Position of the first token that a query at this position sees. */
    private int firstVisible(int position) {
        return op.window() == 0 ? 0 : Math.max(0, position - op.window() + 1);
    }

    private int rows(int item) {
        return Math.min(queriesPerTile, step.length[itemRun[item]] - itemQuery[item]) * share;
    }

    private void wholeItem(int item, int worker) {
        AttentionScratch s = scratch[worker];
        int rows = rows(item);
        packQueries(s, item, rows);
        int ranges = itemPairs[item + 1] - itemPairs[item];
        s.begin(rows);
        for (int i = 0; i < ranges; i++) {
            int range = itemFirstRange[item] + i;
            locate(s, item, rows, range);
            for (int block = 0; block < rows; block += MAX_ROWS) {
                int count = Math.min(MAX_ROWS, rows - block);
                block(s, item, range, block, count);
                for (int row = 0; row < count; row++) {
                    s.merge(block + row, s.partMax[row], s.partSum[row], s.part, row * wide, wide);
                }
            }
        }
        finish(s, item, rows);
    }

    private void partialItem(int pair, int worker) {
        AttentionScratch s = scratch[worker];
        int item = pairItem[pair];
        int range = itemFirstRange[item] + pair - itemPairs[item];
        int rows = rows(item);
        packQueries(s, item, rows);
        locate(s, item, rows, range);
        int to = pair * rowsPerTile;
        for (int block = 0; block < rows; block += MAX_ROWS) {
            int count = Math.min(MAX_ROWS, rows - block);
            block(s, item, range, block, count);
            System.arraycopy(s.partMax, 0, partialMax, to + block, count);
            System.arraycopy(s.partSum, 0, partialSum, to + block, count);
            System.arraycopy(s.part, 0, partials, (to + block) * wide, count * wide);
        }
    }

    private void mergeItem(int item, int worker) {
        AttentionScratch s = scratch[worker];
        int rows = rows(item);
        s.begin(rows);
        for (int pair = itemPairs[item]; pair < itemPairs[item + 1]; pair++) {
            for (int row = 0; row < rows; row++) {
                int at = pair * rowsPerTile + row;
                s.merge(row, partialMax[at], partialSum[at], partials, at * wide, wide);
            }
        }
        finish(s, item, rows);
    }

    /** Blocks of scaled queries, [dimension][row]. */
    private void packQueries(AttentionScratch s, int item, int rows) {
        int d = op.headDim();
        int run = itemRun[item];
        for (int row = 0; row < rows; row++) {
            int block = row / MAX_ROWS * MAX_ROWS;
            int width = Lanes.blockRows(Math.min(MAX_ROWS, rows - block));
            int token = step.start[run] + itemQuery[item] + row / share;
            int head = itemHead[item] * share + row % share;
            int from = token * fused.stride + head * d;
            int to = block * d + row - block;
            for (int i = 0; i < d; i++) {
                s.queries[to + i * width] = fused.data[from + i] * op.scale();
            }
        }
    }

    /** Finds the pages of the part of a range that the item sees. */
    private void locate(AttentionScratch s, int item, int rows, int range) {
        int run = itemRun[item];
        int first = step.context[run] + itemQuery[item];
        int last = first + rows / share - 1;
        int from = Math.max(firstVisible(first), range * RANGE);
        int end = Math.min(last, range * RANGE + RANGE - 1) + 1;
        s.locate(kv, op.group(), op.layer(), itemHead[item], step.slot[run], range * RANGE, from, end);
    }

    /** The partials of one block of rows over one range: into part, partMax (−∞ = the row sees nothing here), partSum. */
    private void block(AttentionScratch s, int item, int range, int block, int count) {
        int d = op.headDim();
        int base = range * RANGE;
        int query = step.context[itemRun[item]] + itemQuery[item];
        int low = RANGE;
        int high = -1;
        for (int row = 0; row < count; row++) {
            int position = query + (block + row) / share;
            int from = Math.max(firstVisible(position) - base, 0);
            int to = Math.min(position - base, RANGE - 1);
            if (from <= to) {
                low = Math.min(low, from);
                high = Math.max(high, to);
            }
            s.rowFrom[row] = from;
            s.rowTo[row] = to;
            s.partMax[row] = Float.NEGATIVE_INFINITY;
        }
        if (low > high) {
            return;
        }
        int width = Lanes.blockRows(count);
        int begin = low / PANEL * PANEL;
        int end = (high / PANEL + 1) * PANEL;
        scores(s, width, block * d, begin / COUNT, end / COUNT);
        for (int row = 0; row < count; row++) {
            int from = s.rowFrom[row];
            int to = s.rowTo[row];
            if (from <= to) {
                int at = row * PanelKernels.SCORES;
                Arrays.fill(s.scores, at + begin, at + from, Float.NEGATIVE_INFINITY);
                Arrays.fill(s.scores, at + to + 1, at + end, Float.NEGATIVE_INFINITY);
                float max = RowOps.max(s.scores, at + begin, at + end);
                s.partMax[row] = max;
                s.partSum[row] = RowOps.expSum(s.scores, at + begin, at + end, max, s.lanes);
            }
        }
        values(s, width, low / 2, high / 2 + 1);
    }

    private void scores(AttentionScratch s, int width, int queries, int fromUnit, int endUnit) {
        int last = endUnit - 1;
        int pairs = op.headDim() / 2;
        boolean half = kv.half();
        if (width <= 2) {
            for (int u = fromUnit; u < endUnit; u += 4) {
                int u1 = Math.min(u + 1, last);
                int u2 = Math.min(u + 2, last);
                int u3 = Math.min(u + 3, last);
                Kernels.four(
                        half,
                        width,
                        s.pages,
                        s.keys(u),
                        s.keys(u1),
                        s.keys(u2),
                        s.keys(u3),
                        pairs,
                        s.queries,
                        queries,
                        s.scores,
                        u * COUNT,
                        u1 * COUNT,
                        u2 * COUNT,
                        u3 * COUNT,
                        PanelKernels.SCORES);
            }
        } else {
            for (int u = fromUnit; u < endUnit; u += 2) {
                int u1 = Math.min(u + 1, last);
                Kernels.two(
                        half,
                        width,
                        s.pages,
                        s.keys(u),
                        s.keys(u1),
                        pairs,
                        s.queries,
                        queries,
                        s.scores,
                        u * COUNT,
                        u1 * COUNT,
                        PanelKernels.SCORES);
            }
        }
    }

    private void values(AttentionScratch s, int width, int firstPair, int endPair) {
        int units = wide / COUNT;
        for (int u = 0; u < units; u += 2) {
            int u1 = Math.min(u + 1, units - 1);
            Kernels.mix(
                    kv.half(),
                    width,
                    s.pages,
                    s.valueChunks,
                    s.chunkTokens / 2,
                    s.valueUnit(u),
                    s.valueUnit(u1),
                    firstPair,
                    endPair,
                    s.scores,
                    0,
                    s.part,
                    u * COUNT,
                    u1 * COUNT,
                    wide);
        }
    }

    /** Divides by the sums, applies the gate, and writes the item's rows. */
    private void finish(AttentionScratch s, int item, int rows) {
        int d = op.headDim();
        int run = itemRun[item];
        for (int row = 0; row < rows; row++) {
            int token = step.start[run] + itemQuery[item] + row / share;
            int column = (itemHead[item] * share + row % share) * d;
            int to = token * out.stride + column;
            float inverse = 1 / s.sum[row];
            if (op.gated()) {
                int gate = token * fused.stride + op.gateOffset() + column;
                RowOps.gate(s.merged, row * wide, inverse, fused.data, gate, out.data, to, d);
            } else {
                RowOps.scaled(s.merged, row * wide, inverse, out.data, to, d);
            }
        }
    }
}
