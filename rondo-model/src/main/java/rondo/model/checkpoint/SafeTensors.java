package rondo.model.checkpoint;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import rondo.base.Json;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;

/**
 * One safetensors file, mapped and never read whole: 8 bytes of header length, a JSON header, and the tensors' bytes,
 * which must follow each other without holes or overlap up to the end of the file.
 */
public final class SafeTensors {
    /** Longest header that is believed. */
    static final long MAX_HEADER_BYTES = 100_000_000;

    private static final String METADATA = "__metadata__";

    private final Path file;
    private final MemorySegment data;
    private final List<StoredTensor> tensors = new ArrayList<>();

    private SafeTensors(Path file, MemorySegment data) {
        this.file = file;
        this.data = data;
    }

    /** Maps a file for as long as the arena lives, and checks its header: name → tensor, in the order of the bytes. */
    public static Map<String, StoredTensor> open(Path file, Arena arena) {
        MemorySegment all = map(file, arena);
        long size = all.byteSize();
        if (size < 8) {
            throw Faults.in(
                    file, "truncated: " + size + " bytes, but a safetensors file starts with 8 bytes of length");
        }
        long header = all.get(JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 0);
        if (header < 2 || header > MAX_HEADER_BYTES) {
            throw Faults.in(
                    file,
                    "not a safetensors file: header length " + Long.toUnsignedString(header) + " is not within 2 to "
                            + MAX_HEADER_BYTES);
        }
        if (header > size - 8) {
            throw Faults.in(
                    file,
                    "truncated: the header is " + header + " bytes long, but only " + (size - 8) + " bytes follow");
        }
        byte[] json = all.asSlice(8, header).toArray(JAVA_BYTE);
        return new SafeTensors(file, all.asSlice(8 + header)).read(json);
    }

    private static MemorySegment map(Path file, Arena arena) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        } catch (IOException e) {
            throw Faults.in(file, "cannot be read: " + e.getMessage(), e);
        }
    }

    private Map<String, StoredTensor> read(byte[] json) {
        JsonNode root = parse(json);
        if (!root.isObject()) {
            throw Faults.in(file, "the header is not a JSON object");
        }
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            if (entry.getKey().equals(METADATA)) {
                metadata(entry.getValue());
            } else {
                tensors.add(tensor(entry.getKey(), entry.getValue()));
            }
        }
        return contiguous();
    }

    private JsonNode parse(byte[] json) {
        try {
            return Json.mapper()
                    .reader()
                    .with(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .readTree(json);
        } catch (JacksonException e) {
            throw Faults.in(file, "the header is not valid JSON: " + Json.fault(e), e);
        }
    }

    private void metadata(JsonNode node) {
        if (!node.isObject() || node.valueStream().anyMatch(v -> !v.isString())) {
            throw Faults.in(file, METADATA + " must be an object of strings");
        }
    }

    private StoredTensor tensor(String name, JsonNode node) {
        JsonNode dtype = node.path("dtype");
        StoredType type = StoredType.named(dtype.isString() ? dtype.stringValue() : "")
                .orElseThrow(() -> Faults.in(file, "tensor " + name + ": unknown dtype " + dtype));
        List<Long> shape = new ArrayList<>();
        long bytes = type.bytes();
        if (!node.path("shape").isArray()) {
            throw Faults.in(file, "tensor " + name + ": shape must be a list, got " + node.path("shape"));
        }
        for (JsonNode dimension : node.path("shape")) {
            long n = count(name, "shape", dimension);
            shape.add(n);
            if (n != 0 && bytes > Long.MAX_VALUE / n) {
                throw Faults.in(file, "tensor " + name + ": shape " + node.path("shape") + " is too large");
            }
            bytes *= n;
        }
        JsonNode offsets = node.path("data_offsets");
        if (!offsets.isArray() || offsets.size() != 2) {
            throw Faults.in(file, "tensor " + name + ": data_offsets must be [begin, end], got " + offsets);
        }
        long begin = count(name, "data_offsets", offsets.get(0));
        long end = count(name, "data_offsets", offsets.get(1));
        if (end < begin || end - begin != bytes) {
            throw Faults.in(
                    file,
                    "tensor " + name + ": data_offsets " + offsets + " do not span the " + bytes + " bytes of " + type
                            + " " + shape);
        }
        if (end > data.byteSize()) {
            throw Faults.in(
                    file,
                    "truncated: tensor " + name + " ends at byte " + end + " of the data, but only " + data.byteSize()
                            + " bytes are there");
        }
        return new StoredTensor(name, type, shape, data.asSlice(begin, bytes), file);
    }

    private long count(String name, String field, JsonNode node) {
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.longValue() < 0) {
            throw Faults.in(file, "tensor " + name + ": " + field + " must hold whole numbers >= 0, got " + node);
        }
        return node.longValue();
    }

    private Map<String, StoredTensor> contiguous() {
        tensors.sort(Comparator.comparingLong(this::begin)
                .thenComparingLong(t -> t.bytes().byteSize()));
        Map<String, StoredTensor> byName = new LinkedHashMap<>();
        long at = 0;
        for (StoredTensor tensor : tensors) {
            long begin = begin(tensor);
            if (begin != at) {
                String what = begin < at ? "overlaps the tensor before it" : "leaves a hole before it";
                throw Faults.in(
                        file, "tensor " + tensor.name() + " " + what + ": begins at " + begin + ", expected " + at);
            }
            at = begin + tensor.bytes().byteSize();
            byName.put(tensor.name(), tensor);
        }
        if (at != data.byteSize()) {
            throw Faults.in(
                    file, "the tensors end at byte " + at + " of the data, but it has " + data.byteSize() + " bytes");
        }
        return byName;
    }

    private long begin(StoredTensor tensor) {
        return tensor.bytes().address() - data.address();
    }
}
