package rondo.model;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Consumer;
import rondo.base.Json;
import tools.jackson.databind.node.ObjectNode;

/** Rewrites the JSON header of a safetensors file; the data stays. */
final class HeaderEdit {
    private HeaderEdit() {}

    static void edit(Path file, Consumer<ObjectNode> change) throws IOException {
        ByteBuffer old = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
        int length = (int) old.getLong(0);
        ObjectNode header = (ObjectNode) Json.mapper().readTree(new String(old.array(), 8, length, UTF_8));
        change.accept(header);
        byte[] json = header.toString().getBytes(UTF_8);
        int data = old.capacity() - 8 - length;
        ByteBuffer out = ByteBuffer.allocate(8 + json.length + data).order(ByteOrder.LITTLE_ENDIAN);
        out.putLong(json.length).put(json).put(old.array(), 8 + length, data);
        Files.write(file, out.array());
    }

    static void rename(ObjectNode header, String from, String to) {
        header.set(to, header.remove(from));
    }

    /** An entry without bytes at the end of the data. */
    static void addEmpty(ObjectNode header, String name) {
        long end = header.propertyStream()
                .filter(e -> e.getValue().has("data_offsets"))
                .mapToLong(e -> e.getValue().get("data_offsets").get(1).longValue())
                .max()
                .orElse(0);
        ObjectNode entry = header.putObject(name);
        entry.put("dtype", "F32").putArray("shape").add(0);
        entry.putArray("data_offsets").add(end).add(end);
    }
}
