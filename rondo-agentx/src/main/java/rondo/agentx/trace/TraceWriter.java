package rondo.agentx.trace;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.OptionalDouble;
import java.util.zip.GZIPOutputStream;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.exc.JacksonIOException;

/** Writes traces as JSON lines, compressed where the name ends in {@code .gz}; the file is whole or absent. */
public final class TraceWriter {
    private TraceWriter() {}

    /** Writes {@code traces} to {@code file}, which must end in {@code .jsonl} or {@code .jsonl.gz}. */
    public static void write(Path file, List<Trace> traces) {
        String name = file.getFileName().toString();
        if (!name.endsWith(".jsonl") && !name.endsWith(".jsonl.gz")) {
            throw new UserError(UserError.USAGE, "traces: output " + file + " must end in .jsonl or .jsonl.gz");
        }
        Path temporary = file.resolveSibling("." + name + ".tmp");
        try {
            if (file.toAbsolutePath().getParent() != null) {
                Files.createDirectories(file.toAbsolutePath().getParent());
            }
            try (OutputStream raw = new BufferedOutputStream(Files.newOutputStream(temporary), 1 << 16);
                    OutputStream out = name.endsWith(".gz") ? new GZIPOutputStream(raw) : raw) {
                for (Trace trace : traces) {
                    try (JsonGenerator json = Json.mapper().createGenerator(new Unclosed(out))) {
                        trace(json, trace);
                    }
                    out.write('\n');
                }
            }
            Files.move(temporary, file, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | JacksonIOException e) {
            remove(temporary);
            String why = e instanceof JacksonIOException j ? j.getOriginalMessage() : e.getMessage();
            throw new UserError(UserError.USAGE, "traces: cannot write " + file + ": " + why, e);
        }
    }

    private static void remove(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // the fault that led here is the one to tell
        }
    }

    private static void trace(JsonGenerator json, Trace trace) {
        json.writeStartObject();
        json.writeStringProperty("id", trace.id());
        strings(json, "models", trace.models());
        json.writeNumberProperty("block_size", trace.blockSize());
        json.writeStringProperty("hash_id_scope", "local");
        json.writeNumberProperty("tool_tokens", trace.toolTokens());
        json.writeNumberProperty("system_tokens", trace.systemTokens());
        json.writeArrayPropertyStart("requests");
        for (TraceEntry entry : trace.entries()) {
            switch (entry) {
                case TraceRequest r -> request(json, r);
                case SubagentEntry s -> subagent(json, s);
            }
        }
        json.writeEndArray();
        if (!trace.totals().isNull()) {
            json.writeName("totals");
            json.writeTree(trace.totals());
        }
        json.writeEndObject();
    }

    private static void request(JsonGenerator json, TraceRequest r) {
        json.writeStartObject();
        json.writeNumberProperty("t", r.t());
        json.writeStringProperty("type", r.streamed() ? "s" : "n");
        json.writeStringProperty("model", r.model());
        json.writeNumberProperty("in", r.in());
        json.writeNumberProperty("out", r.out());
        json.writeName("hash_ids");
        json.writeArray(r.hashIds(), 0, r.hashIds().length);
        strings(json, "input_types", r.inputTypes());
        strings(json, "output_types", r.outputTypes());
        json.writeStringProperty("stop", r.stop());
        number(json, "api_time", r.apiTime());
        number(json, "think_time", r.thinkTime());
        number(json, "ttft", r.ttft());
        json.writeEndObject();
    }

    private static void subagent(JsonGenerator json, SubagentEntry s) {
        json.writeStartObject();
        json.writeNumberProperty("t", s.t());
        json.writeStringProperty("type", "subagent");
        json.writeStringProperty("agent_id", s.agentId());
        json.writeStringProperty("subagent_type", s.subagentType());
        json.writeStringProperty("status", s.status());
        number(json, "duration_ms", s.durationMs());
        s.totalTokens().ifPresent(v -> json.writeNumberProperty("total_tokens", v));
        s.toolUseCount().ifPresent(v -> json.writeNumberProperty("tool_use_count", v));
        strings(json, "models", s.models());
        json.writeNumberProperty("tool_tokens", s.toolTokens());
        json.writeNumberProperty("system_tokens", s.systemTokens());
        json.writeArrayPropertyStart("requests");
        s.requests().forEach(r -> request(json, r));
        json.writeEndArray();
        json.writeEndObject();
    }

    private static void number(JsonGenerator json, String name, OptionalDouble value) {
        if (value.isPresent()) {
            json.writeNumberProperty(name, value.getAsDouble());
        }
    }

    private static void strings(JsonGenerator json, String name, List<String> values) {
        json.writeArrayPropertyStart(name);
        values.forEach(json::writeString);
        json.writeEndArray();
    }

    /** Keeps the file open when the generator of one row is closed. */
    private static final class Unclosed extends java.io.FilterOutputStream {
        Unclosed(OutputStream out) {
            super(out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            out.write(bytes, from, length);
        }

        @Override
        public void close() throws IOException {
            flush();
        }
    }
}
