package rondo.model;

import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import rondo.base.TimeSource;
import rondo.base.UserError;
import rondo.model.arch.Architecture;
import rondo.model.arch.DecoderSpec;
import rondo.model.arch.TensorTable;
import rondo.model.checkpoint.Checkpoint;
import rondo.model.checkpoint.ConfigNode;
import rondo.model.checkpoint.StoredTensor;
import rondo.model.checkpoint.StoredType;
import rondo.model.checkpoint.TensorShape;
import rondo.model.checkpoint.WeightLedger;
import rondo.model.compute.Device;
import rondo.model.decoder.DecoderExecutor;

/** From a checkpoint directory to an executor. Whatever is wrong with the files is one clear line. */
public final class ModelLoader {
    private ModelLoader() {}

    /** Loads a checkpoint onto a device, which the executor then owns; on failure the device is the caller's still. */
    public static LoadedModel load(Path directory, ModelOptions options, Device device, TimeSource time) {
        try (Checkpoint checkpoint = Checkpoint.open(directory)) {
            return load(checkpoint, options, device, time);
        }
    }

    /** The same with seeded random weights, of which no file need be there: for load tests. */
    public static LoadedModel loadDummy(Path directory, ModelOptions options, Device device, TimeSource time) {
        try (Checkpoint checkpoint = Checkpoint.dummy(directory, ModelLoader::shapes)) {
            return load(checkpoint, options, device, time);
        }
    }

    private static List<TensorShape> shapes(ConfigNode config) {
        Architecture architecture = Architecture.of(config);
        return architecture.tensors().wanted(architecture.spec(config)).stream()
                .map(w -> new TensorShape(
                        w.name(),
                        w.columns() == 0 ? List.of((long) w.rows()) : List.of((long) w.rows(), (long) w.columns())))
                .toList();
    }

    private static LoadedModel load(Checkpoint checkpoint, ModelOptions options, Device device, TimeSource time) {
        Opened opened = Opened.of(checkpoint, options);
        opened.ledger().requireBalanced(checkpoint.directory());
        DType kv = options.kvDtype() == DType.AUTO ? opened.dtype() : options.kvDtype();
        DecoderExecutor executor = DecoderExecutor.load(
                opened.spec(), opened.table(), checkpoint, kv.element(), options.tokensPerBlock(), device, time);
        return new LoadedModel(executor, opened.spec(), opened.ledger(), checkpoint.generation(), opened.dtype(), kv);
    }

    /** Reads headers and configuration only; the ledger may be unbalanced, and tensors of a wrong shape. */
    public static Inspection inspect(Path directory, ModelOptions options) {
        try (Checkpoint checkpoint = Checkpoint.open(directory)) {
            Opened opened = Opened.of(checkpoint, options);
            WeightLedger ledger = opened.ledger();
            DType kv = options.kvDtype() == DType.AUTO ? opened.dtype() : options.kvDtype();
            List<String> skipped =
                    ledger.skipped().values().stream().flatMap(List::stream).toList();
            return new Inspection(
                    opened.spec(),
                    ledger,
                    checkpoint.generation(),
                    opened.dtype(),
                    kv,
                    DecoderExecutor.layout(opened.spec(), kv.element(), options.tokensPerBlock()),
                    totals(checkpoint, ledger.consumed()),
                    totals(checkpoint, skipped),
                    fault(checkpoint, opened));
        }
    }

    private static List<Inspection.TypeTotal> totals(Checkpoint checkpoint, List<String> names) {
        Map<StoredType, Inspection.TypeTotal> totals = new EnumMap<>(StoredType.class);
        for (String name : names) {
            StoredTensor tensor = checkpoint.tensor(name).orElseThrow();
            StoredType type = tensor.type();
            long bytes = tensor.bytes().byteSize();
            totals.merge(
                    type,
                    new Inspection.TypeTotal(type, 1, bytes / type.bytes(), bytes),
                    (a, b) -> new Inspection.TypeTotal(
                            type, a.tensors() + b.tensors(), a.parameters() + b.parameters(), a.bytes() + b.bytes()));
        }
        return List.copyOf(totals.values());
    }

    private static Optional<UserError> fault(Checkpoint checkpoint, Opened opened) {
        try {
            opened.ledger().requireBalanced(checkpoint.directory());
            DecoderExecutor.requireReadable(opened.spec(), opened.table(), checkpoint);
            return Optional.empty();
        } catch (UserError e) {
            return Optional.of(e);
        }
    }

    private record Opened(DecoderSpec spec, TensorTable table, WeightLedger ledger, DType dtype) {
        static Opened of(Checkpoint checkpoint, ModelOptions options) {
            Architecture architecture = Architecture.of(checkpoint.config());
            DecoderSpec spec = architecture.spec(checkpoint.config()).withWindows(options.windows(), options.longest());
            TensorTable table = architecture.tensors();
            List<String> wanted =
                    table.wanted(spec).stream().map(TensorTable.Wanted::name).toList();
            WeightLedger ledger =
                    WeightLedger.of(checkpoint.names(), wanted, table.skips(spec, options.disableMmEncoder()));
            return new Opened(spec, table, ledger, ModelShape.dtype(checkpoint.config(), options));
        }
    }
}
