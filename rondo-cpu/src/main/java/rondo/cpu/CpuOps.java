package rondo.cpu;

import java.lang.foreign.MemorySegment;
import rondo.model.compute.AttentionOp;
import rondo.model.compute.KvMemory;
import rondo.model.compute.NormSpec;
import rondo.model.compute.Ops;
import rondo.model.compute.StepShape;
import rondo.model.compute.Tensor;
import rondo.model.compute.Weight;

/** The operations on CPU tensors: each is one or two regions of the work team, and nothing is allocated on the way. */
final class CpuOps implements Ops {
    /** Floats that a worker turns in a nanosecond in an operation of a few passes; only decides who works. */
    private static final int FLOATS_PER_NANO = 4;

    /** Logits capped in one go. */
    private static final int CAP_COLUMNS = 8192;

    private final WorkTeam team;
    private final MatrixProduct product;
    private final HeadStore store;
    private final Attention attention;
    private final float[][] lanes;
    private final WorkTeam.Region embedding = this::embedTile;
    private final WorkTeam.Region norming = this::normTile;
    private final WorkTeam.Region adding = this::addNormTile;
    private final WorkTeam.Region activating = this::activationTile;
    private final WorkTeam.Region capping = this::capTile;

    // Arguments of the operation in work; set by the calling thread before its region.
    private CpuTensor first = new CpuTensor(0, 0);
    private CpuTensor second = first;
    private CpuTensor third = first;
    private NormSpec norm = NormSpec.NONE;
    private NormSpec nextNorm = NormSpec.NONE;
    private int[] ids = new int[0];
    private RowTable table = new RowTable(0, 0, false, MemorySegment.NULL);
    private int rows;
    private int rowsPerTile;
    private int columnTiles;
    private float multiplier;
    private float softCap;

    CpuOps(WorkTeam team) {
        this.team = team;
        product = new MatrixProduct(team);
        store = new HeadStore(team);
        attention = new Attention(team);
        lanes = new float[team.threads()][Lanes.PANEL];
    }

    @Override
    public void embed(Tensor out, Weight table, int[] ids, int rows, NormSpec norm) {
        first = (CpuTensor) out;
        this.table = (RowTable) table;
        this.ids = ids;
        this.norm = norm;
        byRows(embedding, rows, first.stride, 2);
    }

    @Override
    public void norm(Tensor out, Tensor in, int rows, NormSpec norm) {
        first = (CpuTensor) out;
        second = (CpuTensor) in;
        this.norm = norm;
        byRows(norming, rows, first.stride, 1);
    }

    @Override
    public void addNorm(Tensor residual, Tensor branch, int rows, NormSpec post, NormSpec next, Tensor out) {
        first = (CpuTensor) residual;
        second = (CpuTensor) branch;
        third = (CpuTensor) out;
        norm = post;
        nextNorm = next;
        byRows(adding, rows, first.stride, 2);
    }

    @Override
    public void linear(Tensor out, Tensor in, int rows, Weight weight) {
        product.run((CpuTensor) out, (CpuTensor) in, rows, (PanelWeight) weight);
    }

    @Override
    public void qkNormRopeStore(Tensor fused, AttentionOp op, StepShape step, KvMemory kv) {
        store.run((CpuTensor) fused, op, step, (CpuKv) kv);
    }

    @Override
    public void attention(Tensor out, Tensor fused, AttentionOp op, StepShape step, KvMemory kv) {
        attention.run((CpuTensor) out, (CpuTensor) fused, op, step, (CpuKv) kv);
    }

    @Override
    public void gatedActivation(Tensor out, Tensor gateUp, int rows) {
        first = (CpuTensor) out;
        second = (CpuTensor) gateUp;
        byRows(activating, rows, first.stride, 4);
    }

    @Override
    public void gather(Tensor out, Tensor in, int[] rowIndex, int rows) {
        CpuTensor to = (CpuTensor) out;
        CpuTensor from = (CpuTensor) in;
        for (int j = 0; j < rows; j++) {
            System.arraycopy(from.data, rowIndex[j] * from.stride, to.data, j * to.stride, to.stride);
        }
    }

    @Override
    public void logits(Tensor out, Tensor in, int[] rowIndex, int rows, Weight head, float multiplier, float softCap) {
        first = (CpuTensor) out;
        product.gather(first, (CpuTensor) in, rowIndex, rows, (PanelWeight) head);
        if (softCap == 0 && multiplier == 1) {
            return;
        }
        this.multiplier = multiplier;
        this.softCap = softCap;
        this.rows = rows;
        columnTiles = (first.stride + CAP_COLUMNS - 1) / CAP_COLUMNS;
        team.run(capping, rows * columnTiles, (long) rows * first.stride / 2);
    }

    private void byRows(WorkTeam.Region region, int rows, int columns, int weight) {
        this.rows = rows;
        rowsPerTile = Math.clamp(rows / (4 * team.threads()), 1, 16);
        long nanos = (long) rows * columns * weight / FLOATS_PER_NANO;
        team.run(region, (rows + rowsPerTile - 1) / rowsPerTile, nanos);
    }

    private int end(int tile) {
        return Math.min(rows, (tile + 1) * rowsPerTile);
    }

    private void embedTile(int tile, int worker) {
        float[] weight = CpuVector.of(norm.weight()).data;
        for (int row = tile * rowsPerTile; row < end(tile); row++) {
            int at = row * first.stride;
            RowOps.widen(table, ids[row], first.data, at);
            RowOps.norm(norm, weight, first.data, at, first.data, at, first.columns(), first.stride, lanes[worker]);
        }
    }

    private void normTile(int tile, int worker) {
        float[] weight = CpuVector.of(norm.weight()).data;
        for (int row = tile * rowsPerTile; row < end(tile); row++) {
            int at = row * first.stride;
            RowOps.norm(norm, weight, second.data, at, first.data, at, first.columns(), first.stride, lanes[worker]);
        }
    }

    private void addNormTile(int tile, int worker) {
        float[] post = CpuVector.of(norm.weight()).data;
        float[] next = CpuVector.of(nextNorm.weight()).data;
        int columns = first.columns();
        int padded = first.stride;
        for (int row = tile * rowsPerTile; row < end(tile); row++) {
            int at = row * padded;
            int to = row * third.stride;
            // the branch is this operation's to use up: its norm is written over it
            RowOps.norm(norm, post, second.data, at, second.data, at, columns, padded, lanes[worker]);
            RowOps.add(second.data, at, first.data, at, padded);
            RowOps.norm(nextNorm, next, first.data, at, third.data, to, columns, padded, lanes[worker]);
        }
    }

    private void activationTile(int tile, int worker) {
        int columns = first.columns();
        for (int row = tile * rowsPerTile; row < end(tile); row++) {
            int gate = row * second.stride;
            RowOps.gated(second.data, gate, gate + columns, first.data, row * first.stride, columns);
        }
    }

    private void capTile(int tile, int worker) {
        int row = tile / columnTiles * first.stride;
        int from = tile % columnTiles * CAP_COLUMNS;
        int end = Math.min(first.stride, from + CAP_COLUMNS);
        if (softCap == 0) {
            RowOps.scale(first.data, row + from, end - from, multiplier);
        } else {
            RowOps.softCap(first.data, row + from, row + end, multiplier, softCap);
        }
    }
}
