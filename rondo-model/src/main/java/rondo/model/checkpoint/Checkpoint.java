package rondo.model.checkpoint;

import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import rondo.base.UserError;
import tools.jackson.databind.JsonNode;

/** A checkpoint directory: its configuration, and its tensors as mapped bytes until it is closed. */
public final class Checkpoint implements AutoCloseable {
    private static final String SINGLE = "model.safetensors";
    private static final String INDEX = "model.safetensors.index.json";
    private static final Pattern HUB_NAME = Pattern.compile("[A-Za-z0-9][\\w.-]*/[\\w.-]+");

    private final Path directory;
    private final ConfigNode config;
    private final GenerationConfig generation;
    private final Map<String, StoredTensor> tensors;
    private final Arena arena;

    private Checkpoint(
            Path directory,
            ConfigNode config,
            GenerationConfig generation,
            Map<String, StoredTensor> tensors,
            Arena arena) {
        this.directory = directory;
        this.config = config;
        this.generation = generation;
        this.tensors = tensors;
        this.arena = arena;
    }

    /** Opens a directory and checks the headers of all its files. */
    @SuppressWarnings("MustBeClosedChecker") // the checkpoint owns the arena and closes it
    public static Checkpoint open(Path directory) {
        requireDirectory(directory);
        ConfigNode config = ConfigNode.read(directory.resolve("config.json"));
        GenerationConfig generation = GenerationConfig.read(directory, config);
        // Shared, so that a device may take weights in with several threads.
        Arena arena = Arena.ofShared();
        try {
            return new Checkpoint(directory, config, generation, tensors(directory, arena), arena);
        } catch (RuntimeException e) {
            arena.close();
            throw e;
        }
    }

    /**
     * A directory of which only the configuration is read; the weights are seeded random numbers.
     *
     * @param wanted the tensors that a model of this configuration has
     */
    @SuppressWarnings("MustBeClosedChecker") // the checkpoint owns the arena and closes it
    public static Checkpoint dummy(Path directory, Function<ConfigNode, List<TensorShape>> wanted) {
        requireDirectory(directory);
        ConfigNode config = ConfigNode.read(directory.resolve("config.json"));
        GenerationConfig generation = GenerationConfig.read(directory, config);
        List<TensorShape> shapes = wanted.apply(config);
        StoredType type = switch (dtype(config).orElse("bfloat16")) {
            case "float32" -> StoredType.F32;
            case "float16" -> StoredType.F16;
            default -> StoredType.BF16;
        };
        Arena arena = Arena.ofShared();
        try {
            return new Checkpoint(
                    directory, config, generation, DummyTensors.of(directory, shapes, type, arena), arena);
        } catch (RuntimeException | OutOfMemoryError e) {
            arena.close();
            throw e;
        }
    }

    /** Fails with one clear line unless {@code model} is a directory. */
    public static void requireDirectory(Path model) {
        if (Files.isDirectory(model)) {
            return;
        }
        if (Files.exists(model)) {
            throw new UserError(UserError.MODEL, "model: must be a directory, got the file '" + model + "'");
        }
        if (HUB_NAME.matcher(model.toString()).matches()) {
            throw new UserError(
                    UserError.MODEL,
                    "model: must be a local directory, got '" + model + "' (nothing is downloaded from a hub)");
        }
        throw new UserError(UserError.MODEL, "model: directory '" + model + "' not found");
    }

    public Path directory() {
        return directory;
    }

    public ConfigNode config() {
        return config;
    }

    public GenerationConfig generation() {
        return generation;
    }

    /** All names of the index (or of the single file), and of the files that it names. */
    public Set<String> names() {
        return tensors.keySet();
    }

    public Optional<StoredTensor> tensor(String name) {
        return Optional.ofNullable(tensors.get(name));
    }

    /** The stored type: {@code dtype}, or {@code torch_dtype} as older files say, nested too. */
    public static Optional<String> dtype(ConfigNode config) {
        Optional<ConfigNode> text = config.child("text_config");
        return config.text("dtype")
                .or(() -> config.text("torch_dtype"))
                .or(() -> text.flatMap(t -> t.text("dtype")))
                .or(() -> text.flatMap(t -> t.text("torch_dtype")));
    }

    /** Unmaps the files; no tensor may be read afterwards. */
    @Override
    public void close() {
        arena.close();
    }

    private static Map<String, StoredTensor> tensors(Path directory, Arena arena) {
        Path index = directory.resolve(INDEX);
        if (Files.exists(index)) {
            return sharded(directory, index, arena);
        }
        Path single = directory.resolve(SINGLE);
        if (!Files.exists(single)) {
            throw Faults.in(directory, "holds neither " + SINGLE + " nor " + INDEX);
        }
        return SafeTensors.open(single, arena);
    }

    private static Map<String, StoredTensor> sharded(Path directory, Path index, Arena arena) {
        Map<String, String> fileOf = weightMap(index);
        Set<String> files = new LinkedHashSet<>(fileOf.values());
        List<String> absent = files.stream()
                .filter(f -> !Files.exists(directory.resolve(f)))
                .sorted()
                .toList();
        if (!absent.isEmpty()) {
            throw Faults.in(index, "names files that are not there: " + Faults.list(absent));
        }
        Map<String, StoredTensor> all = new LinkedHashMap<>();
        for (String file : files) {
            for (StoredTensor tensor :
                    SafeTensors.open(directory.resolve(file), arena).values()) {
                StoredTensor twin = all.put(tensor.name(), tensor);
                if (twin != null) {
                    throw Faults.in(
                            tensor.file(),
                            "tensor " + tensor.name() + " is also in "
                                    + twin.file().getFileName());
                }
            }
        }
        List<String> lost = new ArrayList<>();
        fileOf.forEach((name, file) -> {
            StoredTensor tensor = all.get(name);
            if (tensor == null || !tensor.file().equals(directory.resolve(file))) {
                lost.add(name + " (" + file + ")");
            }
        });
        if (!lost.isEmpty()) {
            throw Faults.in(index, "names tensors that are not in their file: " + Faults.list(lost));
        }
        return all;
    }

    private static Map<String, String> weightMap(Path index) {
        ConfigNode root = ConfigNode.read(index);
        ConfigNode map = root.child("weight_map").orElseThrow(() -> root.fault("weight_map", "is missing"));
        Map<String, String> fileOf = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> entry : map.entries()) {
            String file = entry.getValue().isString() ? entry.getValue().stringValue() : "";
            // A name, not a way out of the directory.
            if (file.isEmpty() || file.indexOf('/') >= 0 || file.indexOf('\\') >= 0 || file.indexOf('\0') >= 0) {
                throw map.wrong(entry.getKey(), "the name of a file beside the index");
            }
            fileOf.put(entry.getKey(), file);
        }
        return fileOf;
    }
}
