package rondo.server;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import rondo.base.Json;
import tools.jackson.core.JsonGenerator;

/** JSON and SSE events straight to bytes, without a tree in between. */
final class JsonBytes {
    static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);

    private static final byte[] DATA = "data: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] END = "\n\n".getBytes(StandardCharsets.US_ASCII);

    /** Writes one value. */
    @FunctionalInterface
    interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private JsonBytes() {}

    static byte[] of(Body body) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(512);
        append(out, body);
        return out.toByteArray();
    }

    /** Appends {@code data: <value>} and the empty line. */
    static void event(ByteArrayOutputStream out, Body body) {
        out.writeBytes(DATA);
        append(out, body);
        out.writeBytes(END);
    }

    private static void append(ByteArrayOutputStream out, Body body) {
        try (JsonGenerator json = Json.mapper().createGenerator(out)) {
            body.write(json);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
